// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a loop of the compiled graph, as its text tells them.
#ifndef GRAPHC_LIB_TEXT_BUILD_LOOPPARTS_H
#define GRAPHC_LIB_TEXT_BUILD_LOOPPARTS_H

#include "lib/text/build/GraphBuilder.h"

namespace graphc::text {

struct GraphBuilder::Loop {
  bool isRepeat = false;
  std::optional<int64_t> steps;    ///< of repeat(); the limit of while()
  const Expr *condition = nullptr; ///< of while()
  llvm::SmallVector<mlir::Value> inputs, inits;
  llvm::SmallVector<const Expr *> carried, stacked, number; ///< names
  llvm::StringSet<> taken;
  Call common{nullptr, nullptr}; ///< name, device, colocation
};

} // namespace graphc::text

#endif
