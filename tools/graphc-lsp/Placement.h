// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and devices that the compiler gives to a module that was parsed.
#ifndef GRAPHC_TOOLS_GRAPHC_LSP_PLACEMENT_H
#define GRAPHC_TOOLS_GRAPHC_LSP_PLACEMENT_H

#include "graphc/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace graphc {
class PlacementLog;
}

namespace graphc::lsp {

struct Meaning;

/// Runs the phases up to 'placed'.
class PlacedModule {
public:
  /// Changes the module. Errors are MLIR's diagnostics; what was known before
  /// them stays.
  PlacedModule(mlir::ModuleOp module, CompileOptions options);

  /// The type of a value once sizes are bound; empty when it is not known.
  std::string typeOf(const Meaning &meaning) const;
  /// Device, its reason and what others would cost, in lines; empty where
  /// nothing was placed.
  std::string explain(const Meaning &meaning) const;

private:
  void collectTypes(mlir::ModuleOp module);

  llvm::StringMap<std::vector<std::string>> types; ///< by key, of each result
  std::shared_ptr<const PlacementLog> log;
};

} // namespace graphc::lsp

#endif
