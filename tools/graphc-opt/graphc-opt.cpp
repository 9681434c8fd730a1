// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-opt: runs single passes, pipelines of them, or phases of graphc over
// .tfir and .mlir files. For tests and for whoever wants to see what they do.
#include "graphc/Compiler.h"
#include "graphc/InitAll.h"
#include "graphc/Passes.h"
#include "tools/graphc-opt/GraphcPipeline.h"
#include "tools/graphc-opt/PrintFlags.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  graphc::registerGraphcDialects(registry);
  graphc::registerAllDialects(registry);
  if (std::optional<int> code =
          graphc::printTextIfAsked(argc, argv, registry))
    return *code;
  graphc::registerGraphcPasses();
  graphc::registerGraphcPipeline();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "graphc-opt: runs passes over tfir and exec\n", registry));
}
