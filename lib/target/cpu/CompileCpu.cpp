// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernels -> LLVM dialect -> LLVM IR -> object -> image, once per x86-64 level.
// LLVM takes most of the time, so each level gets its own LLVMContext and its
// own thread.
#include "lib/target/cpu/CompileCpu.h"

#include "lib/target/cpu/CompileObject.h"
#include "lib/target/cpu/CpuEntries.h"
#include "lib/target/cpu/LinkImage.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/LLVMContext.h"

#include <thread>

using namespace mlir;

namespace graphc {
namespace {

/// The compilation for one level; an LLVMContext is used by one thread.
struct Job {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  CpuImage image;
  std::string error;

  void run(ArrayRef<std::string> symbols) {
    auto object = compileObject(*module, image.isa);
    auto linked = object ? linkImage(*object, symbols)
                         : llvm::Expected<LinkedImage>(object.takeError());
    if (!linked) {
      error = llvm::toString(linked.takeError());
      return;
    }
    image.code = std::move(linked->code);
    image.entries = std::move(linked->entries);
  }
};

} // namespace

FailureOr<SmallVector<CpuImage>> compileCpu(ArrayRef<LevelModule> targets,
                                            ArrayRef<StringRef> kernelOrder) {
  // Lowering and translation are quick and touch what the targets share, the
  // modules and the MLIRContext, so they are done one by one.
  llvm::SmallPtrSet<Operation *, 2> lowered;
  std::vector<std::unique_ptr<Job>> jobs;
  for (LevelModule target : targets) {
    if (lowered.insert(target.kernels).second &&
        failed(lowerToLlvm(target.kernels)))
      return failure();
    jobs.push_back(std::make_unique<Job>());
    Job &job = *jobs.back();
    job.image.isa = target.isa.str();
    job.module = translateModuleToLLVMIR(target.kernels, job.context, "graphc");
    if (!job.module)
      return failure();
  }
  std::vector<std::string> symbols;
  for (StringRef name : kernelOrder)
    symbols.push_back(("gk_" + name).str());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < jobs.size(); ++i)
    threads.emplace_back([&, i] { jobs[i]->run(symbols); });
  if (!jobs.empty())
    jobs.front()->run(symbols);
  for (std::thread &thread : threads)
    thread.join();
  SmallVector<CpuImage> images;
  for (auto [target, job] : llvm::zip(targets, jobs)) {
    if (!job->error.empty()) {
      ModuleOp module = target.kernels;
      module.emitError() << job->image.isa << ": " << job->error;
      return failure();
    }
    images.push_back(std::move(job->image));
  }
  return images;
}

FailureOr<SmallVector<CpuImage>> compileCpu(ModuleOp kernels,
                                            ArrayRef<StringRef> isas,
                                            ArrayRef<StringRef> kernelOrder) {
  SmallVector<LevelModule> targets;
  for (StringRef isa : isas)
    targets.push_back({isa, kernels});
  return compileCpu(targets, kernelOrder);
}

} // namespace graphc
