// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that is known about the times of a graph's steps after a run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_RUNPROFILE_H
#define GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_RUNPROFILE_H

#include "runtime/format/Model.h"
#include "runtime/profile/CriticalPath.h"
#include "runtime/profile/DeviceBalance.h"
#include "runtime/profile/ProfileTable.h"
#include "runtime/target/cpu/MachineLimits.h"

#include <string>
#include <vector>

namespace graphc::run {

/// Measurements of a run.
struct ProfileData {
  const runtime::Model *model = nullptr;
  const format::Graph *graph = nullptr; ///< of the model
  int64_t steps = 0;                    ///< that `times` are means of
  std::vector<runtime::InstructionSeconds> times;
  std::vector<runtime::InstructionSpan> spans; ///< of some steps
  runtime::ThreadGroups threadGroups;          ///< by program
  int threads = 0; ///< of the host that kernels run on; 0: none here
  runtime::MachineLimits limits;
};

/// The parts of a profile that tables are made of; the data outlive it.
class RunProfile {
public:
  explicit RunProfile(const ProfileData &data);

  const ProfileData &data() const { return source; }
  std::vector<runtime::ProfileRow> rows(runtime::ProfileKey key) const;
  runtime::CriticalPath criticalPath() const;
  std::vector<runtime::ProgramTime> programTimes() const;

  /// Towers or tasks; fewer than two peers: there is nothing to compare.
  runtime::PeerBalance towers() const;
  runtime::PeerBalance tasks() const;

  size_t recordedSteps() const { return records.size(); }
  /// Nanoseconds of a recorded step, mean.
  double stepNanos() const;

  /// "CPU:0", or with its task; "" where the graph has one program.
  std::string deviceText(uint32_t program) const;
  runtime::InstructionId idOf(uint32_t index) const { return step.idOf(index); }
  const format::Instruction &instructionAt(runtime::InstructionId id) const;
  /// The text of a line of the source, without spaces around it; "": not known.
  std::string lineText(uint32_t line) const;

private:
  template <typename Name> std::vector<std::string> names(Name nameOf) const;

  const ProfileData &source;
  runtime::StepDependences step;
  std::vector<runtime::StepRecord> records;
  std::vector<std::string> lines; ///< of the source
};

} // namespace graphc::run

#endif
