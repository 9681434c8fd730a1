// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From programs to the bytes of a model.bin.
#ifndef GRAPHC_LIB_PACKAGE_WRITEMODEL_H
#define GRAPHC_LIB_PACKAGE_WRITEMODEL_H

#include "mlir/IR/BuiltinOps.h"

#include <cstddef>
#include <string>
#include <vector>

namespace graphc {

/// Origin of a model, recorded in the file.
struct Origin {
  llvm::StringRef source;         ///< the text that was compiled
  std::vector<std::string> flags; ///< those that change the result
  std::string report;             ///< JSON of makeReport(); empty: none
};

/// Serialises a module of phase `compiled`. Deterministic.
std::vector<std::byte> writeModel(mlir::ModuleOp module, const Origin &origin);

} // namespace graphc

#endif
