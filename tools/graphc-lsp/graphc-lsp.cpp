// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-lsp: the language server for .tfir files: diagnostics while typing,
// definitions, uses and hover, in every editor that speaks LSP.
#include "graphc/InitAll.h"
#include "lib/text/GuardParser.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  graphc::guardParser();
  mlir::DialectRegistry registry;
  graphc::registerGraphcDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirLspServerMain(argc, argv, registry));
}
