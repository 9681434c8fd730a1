// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the op from which a NaN or an infinity comes.
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPTRACE_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPTRACE_H

#include "runtime/executor/Executor.h"

#include <optional>
#include <string>

namespace graphc::runtime {

/// "op 'Log_2' (line 23)", as far as the model says so.
std::string describeOp(const format::Instruction &instruction);

/// Looks at everything that a step writes.
/// Thread-safety: as its executor's.
class StepTrace {
public:
  StepTrace(Executor &executor, uint64_t step);

  /// Why fetch `fetch`, written last by `instruction`, is not finite: walks the
  /// step again up to there, on the inputs that it had, and names the first op
  /// that makes such a value. Under NanPolicy::Warn the walk is left out where
  /// it would update variables twice, since the run goes on.
  std::string explain(const format::Port &fetch, size_t instruction,
                      NonFinite found);

  /// Runs the whole step and looks at every value when it is made.
  Status runChecked();

private:
  std::string findInStart() const;
  std::string findInOutputs(size_t instruction) const;
  bool keepsBatch(const format::HostCall &call) const;
  std::string replay(size_t last);
  std::string updatedVariable(size_t last) const;
  std::string message(const std::string &finding) const;
  NonFinite look(uint32_t slot) const;

  Executor &executor;
  const format::Program &program;
  uint64_t step;
};

} // namespace graphc::runtime

#endif
