// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unique names for ops that the user does not name.
#ifndef GRAPHC_LIB_FRONTEND_UNIQUENAMES_H
#define GRAPHC_LIB_FRONTEND_UNIQUENAMES_H

#include "dialects/tfir/Tfir.h"
#include "llvm/ADT/StringMap.h"

namespace graphc {

/// TensorFlow's name of the kind of op: "MatMul" for tfir.matmul.
std::string kindName(mlir::Operation *op);

/// The names of one graph that are taken: those of its ops and of the module's
/// variables. Not thread-safe.
class UniqueNames {
public:
  explicit UniqueNames(tfir::GraphOp graph);

  /// `base`, or else the first of `base_1`, `base_2`, ... that is free; it is
  /// taken from then on.
  std::string take(llvm::StringRef base);

private:
  /// For each taken name the number that its next copy tries first.
  llvm::StringMap<unsigned> taken;
};

} // namespace graphc

#endif
