// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run whose ops are compared with the reference: --verify-ops.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_OPVERIFICATION_H
#define GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_OPVERIFICATION_H

#include "tools/graphc-run/RunOptions.h"
#include "tools/graphc-run/TemporaryFolder.h"

#include <memory>
#include <string>
#include <vector>

namespace graphc::run {

/// The text in a model is compiled again by graphc, so that the values of all
/// ops are in memory, and run with the flags of this command; then graphc
/// executes it by the reference (graphc --interpret --against), which names the
/// first op whose value is not what its operands give. The files are in a
/// temporary folder, which ends with this. Thread-safety: none.
class OpVerification {
public:
  /// Makes the model and turns `options` into those of its run. Errors say what
  /// the model lacks, or what graphc ended with.
  static runtime::StatusOr<std::unique_ptr<OpVerification>>
  prepare(RunOptions &options);

  /// After the run. 0, or 1 after the first difference on stderr.
  runtime::StatusOr<int> compare() const;

private:
  OpVerification() = default;
  runtime::Status writeFeeds(const RunOptions &options);

  std::unique_ptr<TemporaryFolder> folder; ///< of all files
  std::string compiler;                    ///< path of graphc
  std::vector<std::string> flags;          ///< text and flags of the model
  std::vector<std::string> inputs;         ///< graph, seed, data, feeds
};

} // namespace graphc::run

#endif
