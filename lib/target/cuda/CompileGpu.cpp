// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// functions on tensors -> functions of threads -> LLVM dialect -> PTX
#include "lib/target/cuda/CompileGpu.h"

#include "dialects/exec/Exec.h"
#include "lib/target/common/LowerToLlvm.h"
#include "lib/target/cuda/WritePtx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"

#include <thread>

using namespace mlir;

namespace graphc {

/// Entries are what a driver launches; all else is for the compiler.
static void markEntries(ModuleOp module) {
  OpBuilder b(module.getContext());
  exec::ExecDialect::BlockAttrHelper attribute(module.getContext());
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    IntegerAttr block = attribute.getAttr(func);
    func.setCConv(LLVM::cconv::CConv::PTX_Kernel);
    func.setPassthroughAttr(b.getArrayAttr(
        b.getStrArrayAttr({"nvvm.reqntid", std::to_string(block.getInt())})));
    attribute.removeAttr(func);
  }
}

/// Emits all functions; the kernels by their names.
static FailureOr<llvm::StringMap<GpuKernel>> emitKernels(ModuleOp module) {
  llvm::StringMap<GpuKernel> kernels;
  llvm::StringSet<> entries;
  SmallVector<func::FuncOp> funcs(module.getOps<func::FuncOp>());
  for (func::FuncOp func : funcs) {
    FailureOr<GpuKernel> kernel = emitGpuKernel(func, entries);
    if (failed(kernel))
      return failure();
    kernels[kernel->name] = *kernel;
  }
  return kernels;
}

namespace {

/// The compilation for one architecture; an LLVMContext is used by one thread.
struct Job {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  GpuImage image;
  std::string error;

  void run(CodeCache &cache) {
    std::string key = CodeCache::keyOf(bitcodeOf(*module), image.arch);
    if (std::optional<CodeCache::Code> known = cache.find(key)) {
      image.ptx.assign(known->begin(), known->end());
      return;
    }
    llvm::Expected<std::string> ptx = writePtx(*module, image.arch);
    if (!ptx) {
      error = llvm::toString(ptx.takeError());
      return;
    }
    image.ptx = std::move(*ptx);
    cache.add(key, image.ptx);
  }
};

} // namespace

static FailureOr<std::vector<GpuImage>>
writeImages(ModuleOp module, ArrayRef<StringRef> archs, CodeCache &cache) {
  std::vector<std::unique_ptr<Job>> jobs;
  for (StringRef arch : archs) {
    Job &job = *jobs.emplace_back(std::make_unique<Job>());
    job.image.arch = arch.str();
    job.module = translateModuleToLLVMIR(module, job.context, "graphc");
    if (!job.module)
      return failure();
  }
  std::vector<std::thread> threads;
  for (size_t i = 1; i < jobs.size(); ++i)
    threads.emplace_back([&, i] { jobs[i]->run(cache); });
  if (!jobs.empty())
    jobs.front()->run(cache);
  for (std::thread &thread : threads)
    thread.join();
  std::vector<GpuImage> images;
  for (std::unique_ptr<Job> &job : jobs) {
    if (!job->error.empty()) {
      module.emitError() << job->image.arch << ": " << job->error;
      return failure();
    }
    images.push_back(std::move(job->image));
  }
  return images;
}

FailureOr<GpuCode> compileGpu(ModuleOp module, ArrayRef<StringRef> archs,
                              ArrayRef<StringRef> order, CodeCache &cache) {
  for (StringRef arch : archs)
    if (!isGpuArchitecture(arch)) {
      module.emitError("'") << arch
                            << "' is no GPU architecture that kernels are "
                               "compiled for; use sm_80 or a later one: "
                            << gpuArchitectures();
      return failure();
    }
  FailureOr<llvm::StringMap<GpuKernel>> kernels = emitKernels(module);
  if (failed(kernels) || failed(lowerBodiesToLlvm(module)))
    return failure();
  markEntries(module);
  GpuCode code;
  for (StringRef name : order) {
    auto found = kernels->find(name);
    if (found == kernels->end()) {
      module.emitError("there is no kernel '")
          << name << "' in the module; name its functions only";
      return failure();
    }
    code.kernels.push_back(found->second);
  }
  FailureOr<std::vector<GpuImage>> images = writeImages(module, archs, cache);
  if (failed(images))
    return failure();
  code.images = std::move(*images);
  return code;
}

} // namespace graphc
