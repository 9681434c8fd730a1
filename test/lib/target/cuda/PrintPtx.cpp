// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PrintPtx FILE.mlir ARCH: compiles the functions of a file for a GPU and
// prints the PTX, below a line per launch that tells its grid.
#include "lib/target/common/CodegenDialects.h"
#include "lib/target/cuda/CompileGpu.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace graphc;

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: PrintPtx FILE.mlir ARCH\n";
    return 2;
  }
  DialectRegistry registry;
  registerCodegenDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string error;
  auto file = openInputFile(argv[1], &error);
  if (!file) {
    llvm::errs() << error << "\n";
    return 1;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  std::vector<std::string> names;
  for (auto func : module->getOps<func::FuncOp>())
    names.push_back(func.getName().str());
  SmallVector<StringRef> order(names.begin(), names.end());
  CodeCache none("");
  FailureOr<GpuCode> code =
      compileGpu(*module, StringRef(argv[2]), order, none);
  if (failed(code))
    return 1;
  for (const GpuKernel &kernel : code->kernels)
    for (const GpuLaunch &launch : kernel.launches)
      llvm::outs() << "// " << kernel.name << ": " << launch.entry << " <<<"
                   << launch.grid << ", " << launch.block << ">>> scratch "
                   << kernel.scratch << "\n";
  llvm::outs() << code->images.front().ptx;
  return 0;
}
