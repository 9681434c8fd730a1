// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a real run beside those of the reference: --interpret
// --against.
#ifndef GRAPHC_TOOLS_GRAPHC_RUNCOMPARISON_H
#define GRAPHC_TOOLS_GRAPHC_RUNCOMPARISON_H

#include "lib/interpreter/Interpreter.h"
#include "runtime/base/Status.h"
#include "tools/graphc/CompareTensors.h"

#include <map>
#include <string>

namespace graphc {

/// Compares each op of an interpreted step with the value that a run had, and
/// gives the ops behind it the run's value: so each op is judged by itself, and
/// the first that differs is where the run went wrong. Thread-safety: none.
class RunComparison {
public:
  /// `folder` is of graphc-run --dump.
  explicit RunComparison(std::string folder) : folder(std::move(folder)) {}

  /// Reads what the run had in this step, which counts from 1; nothing is
  /// compared in steps that are not in the folder. Errors of the file.
  runtime::Status beginStep(int64_t step);
  /// The result of an op; replaced by the run's value. Fails, after an error on
  /// stderr, if that one is wrong.
  mlir::LogicalResult observe(mlir::OpResult result,
                              interpreter::Tensor &value);
  /// The variables as the step left them; as observe().
  mlir::LogicalResult endStep(interpreter::Interpreter &reference,
                              mlir::ModuleOp module);

  int64_t steps() const { return compared; }  ///< that were in the folder
  int64_t ops() const { return found; }       ///< results, of all steps
  int64_t missing() const { return unknown; } ///< results that the run lacks
  const interpreter::Counts &counts() const { return elements; }

private:
  mlir::LogicalResult check(const std::string &name, const std::string &what,
                            mlir::RankedTensorType type,
                            interpreter::Tensor &value);

  std::string folder;
  int64_t step = 0;
  bool hasStep = false;
  std::map<std::string, runtime::HostTensor> values; ///< of the step
  interpreter::Counts elements;
  int64_t compared = 0, found = 0, unknown = 0;
};

} // namespace graphc

#endif
