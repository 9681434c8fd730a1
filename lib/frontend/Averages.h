// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of variables' moving averages.
#ifndef GRAPHC_LIB_FRONTEND_AVERAGES_H
#define GRAPHC_LIB_FRONTEND_AVERAGES_H

#include "dialects/tfir/Names.h"

#include <string>

namespace graphc {

/// The name of the variable that holds the moving average of `variable`.
inline std::string averageName(llvm::StringRef variable) {
  return variable.str() + "/" + tfir::kAverageSuffix.str();
}

/// The variable of which `average` is the moving average; empty when it is
/// none.
inline llvm::StringRef averagedVariable(llvm::StringRef average) {
  bool is =
      average.consume_back(tfir::kAverageSuffix) && average.consume_back("/");
  return is ? average : llvm::StringRef();
}

} // namespace graphc

#endif
