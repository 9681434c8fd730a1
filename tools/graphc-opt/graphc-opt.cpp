// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-opt: runs single passes, or pipelines of them, over .tfir and .mlir
// files. For tests and for whoever wants to see what a pass does.
#include "graphc/InitAll.h"
#include "graphc/Passes.h"
#include "lib/frontend/GuardParser.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  graphc::guardParser();
  mlir::DialectRegistry registry;
  graphc::registerGraphcDialects(registry);
  graphc::registerGraphcPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "graphc-opt: runs passes over tfir and exec\n", registry));
}
