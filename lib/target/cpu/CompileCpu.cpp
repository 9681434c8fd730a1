// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernels -> LLVM dialect -> LLVM IR -> objects -> image, once per x86-64
// level. LLVM takes most of the time, so the kernels of each level are divided
// into parts, each with an LLVMContext of its own, which as many threads
// compile as there are cores.
#include "lib/target/cpu/CompileCpu.h"

#include "lib/target/cpu/CompileObject.h"
#include "lib/target/cpu/CpuEntries.h"
#include "lib/target/cpu/LinkImage.h"
#include "lib/target/cpu/SplitModule.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/LLVMContext.h"

#include <atomic>
#include <thread>

using namespace mlir;

namespace graphc {
namespace {

/// The compilation of some kernels; an LLVMContext is used by one thread.
struct Job {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  StringRef isa;
  SmallVector<char, 0> object;
  std::string error;

  void run() {
    auto compiled = compileObject(*module, isa);
    if (compiled)
      object = std::move(*compiled);
    else
      error = llvm::toString(compiled.takeError());
    module.reset();
  }
};

/// All jobs of a level.
using Level = std::vector<std::unique_ptr<Job>>;

/// Runs the jobs of all levels on the threads that this machine has.
void runJobs(ArrayRef<Level> levels) {
  std::vector<Job *> jobs;
  for (const Level &level : levels)
    for (const std::unique_ptr<Job> &job : level)
      jobs.push_back(job.get());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < jobs.size(); i = next++)
      jobs[i]->run();
  };
  size_t count = std::min<size_t>(
      jobs.size(), std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

FailureOr<Level> makeJobs(LevelModule target) {
  Level level;
  for (OwningOpRef<ModuleOp> &part : splitModule(target.kernels)) {
    auto job = std::make_unique<Job>();
    job->isa = target.isa;
    job->module = translateModuleToLLVMIR(*part, job->context, "graphc");
    if (!job->module)
      return failure();
    level.push_back(std::move(job));
  }
  return level;
}

FailureOr<CpuImage> linkLevel(LevelModule target, const Level &jobs,
                              ArrayRef<std::string> symbols) {
  ModuleOp module = target.kernels;
  SmallVector<ArrayRef<char>> objects;
  for (const std::unique_ptr<Job> &job : jobs) {
    if (!job->error.empty()) {
      module.emitError() << target.isa << ": " << job->error;
      return failure();
    }
    objects.push_back(job->object);
  }
  auto linked = linkImage(objects, symbols);
  if (!linked) {
    module.emitError() << target.isa << ": "
                       << llvm::toString(linked.takeError());
    return failure();
  }
  return CpuImage{target.isa.str(), std::move(linked->code),
                  std::move(linked->entries)};
}

} // namespace

FailureOr<SmallVector<CpuImage>> compileCpu(ArrayRef<LevelModule> targets,
                                            ArrayRef<StringRef> kernelOrder) {
  // Lowering and translation are quick and touch what the targets share, the
  // modules and the MLIRContext, so they are done one by one.
  llvm::SmallPtrSet<Operation *, 2> lowered;
  std::vector<Level> levels;
  for (LevelModule target : targets) {
    if (lowered.insert(target.kernels).second &&
        failed(lowerToLlvm(target.kernels)))
      return failure();
    FailureOr<Level> level = makeJobs(target);
    if (failed(level))
      return failure();
    levels.push_back(std::move(*level));
  }
  runJobs(levels);
  std::vector<std::string> symbols;
  for (StringRef name : kernelOrder)
    symbols.push_back(("gk_" + name).str());
  SmallVector<CpuImage> images;
  for (auto [target, level] : llvm::zip(targets, levels)) {
    FailureOr<CpuImage> image = linkLevel(target, level, symbols);
    if (failed(image))
      return failure();
    images.push_back(std::move(*image));
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
