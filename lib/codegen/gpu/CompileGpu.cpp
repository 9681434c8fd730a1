// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// functions on tensors -> functions of threads -> LLVM dialect -> PTX
#include "lib/codegen/gpu/CompileGpu.h"

#include "lib/codegen/LowerToLlvm.h"
#include "lib/codegen/gpu/WritePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace graphc {

/// Entries are what a driver launches; all else is for the compiler.
static void markEntries(ModuleOp module) {
  OpBuilder b(module.getContext());
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    auto block = func->getAttrOfType<IntegerAttr>(kBlockAttr);
    func.setCConv(LLVM::cconv::CConv::PTX_Kernel);
    func.setPassthroughAttr(b.getArrayAttr(
        b.getStrArrayAttr({"nvvm.reqntid", std::to_string(block.getInt())})));
    func->removeAttr(kBlockAttr);
  }
}

/// Emits all functions; the kernels by their names.
static FailureOr<llvm::StringMap<GpuKernel>> emitKernels(ModuleOp module) {
  llvm::StringMap<GpuKernel> kernels;
  llvm::StringSet<> entries;
  SmallVector<func::FuncOp> funcs(module.getOps<func::FuncOp>());
  for (func::FuncOp func : funcs) {
    FailureOr<GpuKernel> kernel = emitGpuKernel(func);
    if (failed(kernel))
      return failure();
    for (const GpuLaunch &launch : kernel->launches)
      if (!entries.insert(launch.entry).second) {
        module.emitError("two kernels become the entry '")
            << launch.entry << "'; rename one of them";
        return failure();
      }
    kernels[kernel->name] = *kernel;
  }
  return kernels;
}

FailureOr<GpuImage> compileGpu(ModuleOp module, StringRef arch,
                               ArrayRef<StringRef> order) {
  if (!isGpuArchitecture(arch)) {
    module.emitError("'") << arch
                          << "' is no GPU architecture that kernels are "
                             "compiled for; use sm_80 or a later one, such as "
                             "sm_90";
    return failure();
  }
  FailureOr<llvm::StringMap<GpuKernel>> kernels = emitKernels(module);
  if (failed(kernels) || failed(lowerBodiesToLlvm(module)))
    return failure();
  markEntries(module);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "graphc");
  if (!code)
    return failure();
  llvm::Expected<std::string> ptx = writePtx(*code, arch);
  if (!ptx) {
    module.emitError() << arch << ": " << llvm::toString(ptx.takeError());
    return failure();
  }
  GpuImage image;
  image.arch = arch.str();
  image.ptx = std::move(*ptx);
  for (StringRef name : order) {
    auto found = kernels->find(name);
    if (found == kernels->end()) {
      module.emitError("there is no kernel '")
          << name << "' in the module; name its functions only";
      return failure();
    }
    image.kernels.push_back(found->second);
  }
  return image;
}

} // namespace graphc
