// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target of a compiled program: this process, or a simulated cluster.
#ifndef GRAPHC_TEST_RANDOM_PROGRAMRUN_H
#define GRAPHC_TEST_RANDOM_PROGRAMRUN_H

#include "runtime/session/RunRequest.h"
#include "test/random/Check.h"

#include <memory>

namespace graphc::random {

/// A model that is open.
/// Thread-safety: one call at a time.
class ProgramRun {
public:
  virtual ~ProgramRun() = default;
  /// Names the files of a dataset; all before initialize().
  virtual runtime::Status bindDataset(const std::string &name,
                                      const std::string &files) = 0;
  virtual runtime::Status initialize() = 0;
  /// One step; its fetches in the order of their names.
  virtual runtime::StatusOr<std::vector<runtime::HostTensor>>
  run(const runtime::RunRequest &request) = 0;
  virtual runtime::StatusOr<runtime::HostTensor>
  readVariable(const std::string &name) = 0;
};

/// In this process, or where `options.isCluster` on the tasks that the model
/// names: these are real, their processes, network and time are simulated.
runtime::StatusOr<std::unique_ptr<ProgramRun>>
openProgram(std::shared_ptr<const runtime::Model> model,
            const CheckOptions &options);

} // namespace graphc::random

#endif
