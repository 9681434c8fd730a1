// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds on what a step may cost, as users write them:
//
//   link /gpu:*->/cpu:0 <= 4MiB        bytes per step
//   messages /gpu:*->/cpu:0 <= 64      per step
//   peak /gpu:0 <= 1GiB                arena and variables of each such device
//
// On the command line several follow each other, with ';' between them.
#ifndef GRAPHC_LIB_SCHEDULE_BUDGETS_H
#define GRAPHC_LIB_SCHEDULE_BUDGETS_H

#include "dialects/tfir/Tfir.h"
#include "runtime/base/DeviceName.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc {

/// Bound on what a step may cost.
struct Budget {
  using Kind = tfir::BudgetKind;

  Kind kind = Kind::Link;
  runtime::DeviceName source; ///< Peak: the devices
  runtime::DeviceName target; ///< Link, Messages
  int64_t limit = 0;          ///< bytes, or messages
  std::string text;           ///< in the form above
};

/// The budgets of one --budget. InvalidArgument names the text, the column,
/// the cause and the forms.
runtime::StatusOr<std::vector<Budget>> parseBudgets(llvm::StringRef text);

/// A budget in the form above.
std::string toString(const Budget &budget);

} // namespace graphc

#endif
