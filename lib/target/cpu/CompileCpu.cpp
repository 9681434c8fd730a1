// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernels -> LLVM dialect -> LLVM IR -> objects -> image, once per x86-64
// level. LLVM takes most of the time, so the kernels are divided into parts,
// which as many threads compile as there are cores: a part is lowered once and
// then compiled for each level that has it, in an LLVMContext of its own.
#include "lib/target/cpu/CompileCpu.h"

#include "lib/target/cpu/CompileObject.h"
#include "lib/target/cpu/CpuEntries.h"
#include "lib/target/cpu/LinkImage.h"
#include "lib/target/cpu/OutlinePhilox.h"
#include "lib/target/cpu/SplitModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/LLVMContext.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace mlir;

namespace graphc {
namespace {

/// Some kernels of a module, and what they become for each level that has them.
struct Part {
  OwningOpRef<ModuleOp> kernels;
  SmallVector<StringRef, 2> isas;
  SmallVector<SmallVector<char, 0>, 2> objects; ///< of isas
  bool isFailed = false;

  /// Fails after a diagnostic.
  LogicalResult compile() {
    if (failed(lowerToLlvm(*kernels)))
      return failure();
    for (StringRef isa : isas) {
      llvm::LLVMContext context;
      auto module = translateModuleToLLVMIR(*kernels, context, "graphc");
      if (!module)
        return failure();
      auto object = compileObject(*module, isa);
      if (!object)
        return kernels->emitError()
               << isa << ": " << llvm::toString(object.takeError());
      objects.push_back(std::move(*object));
    }
    return success();
  }
};

/// In the order of modules, each once. An image without kernels is a part of
/// nothing.
std::vector<Part> makeParts(ArrayRef<LevelKernels> levels) {
  llvm::MapVector<Operation *, SmallVector<StringRef, 2>> isas;
  for (const LevelKernels &level : levels)
    for (ModuleOp module : level.modules)
      isas[module].push_back(level.isa);
  std::vector<Part> parts;
  for (auto &[op, ofModule] : isas) {
    ModuleOp module = cast<ModuleOp>(op);
    OwningOpRef<ModuleOp> outlined = outlinePhilox(module);
    for (OwningOpRef<ModuleOp> &kernels :
         splitKernels(outlined ? *outlined : module))
      parts.push_back({std::move(kernels), ofModule, {}});
  }
  if (parts.empty() && !isas.empty()) {
    auto &[module, ofModule] = isas.front();
    parts.push_back({cast<ModuleOp>(module).clone(), ofModule, {}});
  }
  return parts;
}

/// Lets several threads use a context, which costs its other users nothing.
class ThreadedContext {
public:
  ThreadedContext(MLIRContext *context, bool isWanted)
      : context(context),
        isChanged(isWanted && !context->isMultithreadingEnabled()) {
    if (isChanged)
      context->enableMultithreading();
  }
  ~ThreadedContext() {
    if (isChanged)
      context->disableMultithreading();
  }

private:
  MLIRContext *context;
  bool isChanged;
};

/// Compiles the parts on the threads that this machine has; each takes the next
/// part. Diagnostics come in the order of the parts.
LogicalResult compileParts(MLIRContext *context, MutableArrayRef<Part> parts) {
  size_t count = std::clamp<size_t>(std::thread::hardware_concurrency(), 1,
                                    std::max<size_t>(parts.size(), 1));
  ThreadedContext threaded(context, count > 1);
  ParallelDiagnosticHandler diagnostics(context);
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < parts.size(); i = next++) {
      diagnostics.setOrderIDForThread(i);
      parts[i].isFailed = failed(parts[i].compile());
      parts[i].kernels = nullptr;
      diagnostics.eraseOrderIDForThread();
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return success(
      llvm::none_of(parts, [](const Part &part) { return part.isFailed; }));
}

FailureOr<CpuImage> linkLevel(const LevelKernels &level, ArrayRef<Part> parts,
                              ArrayRef<std::string> symbols) {
  SmallVector<ArrayRef<char>> objects;
  for (const Part &part : parts)
    for (auto [isa, object] : llvm::zip(part.isas, part.objects))
      if (isa == level.isa)
        objects.push_back(object);
  auto linked = linkImage(objects, symbols);
  if (!linked) {
    ModuleOp module = level.modules.front();
    module.emitError() << level.isa << ": "
                       << llvm::toString(linked.takeError());
    return failure();
  }
  return CpuImage{level.isa.str(), std::move(linked->code),
                  std::move(linked->entries)};
}

} // namespace

FailureOr<SmallVector<CpuImage>> compileCpu(ArrayRef<LevelKernels> levels,
                                            ArrayRef<StringRef> kernelOrder) {
  SmallVector<CpuImage> images;
  if (levels.empty())
    return images;
  std::vector<Part> parts = makeParts(levels);
  ModuleOp first = levels.front().modules.front();
  if (failed(compileParts(first.getContext(), parts)))
    return failure();
  std::vector<std::string> symbols;
  for (StringRef name : kernelOrder)
    symbols.push_back(("gk_" + name).str());
  for (const LevelKernels &level : levels) {
    FailureOr<CpuImage> image = linkLevel(level, parts, symbols);
    if (failed(image))
      return failure();
    images.push_back(std::move(*image));
  }
  return images;
}

FailureOr<SmallVector<CpuImage>> compileCpu(ModuleOp kernels,
                                            ArrayRef<StringRef> isas,
                                            ArrayRef<StringRef> kernelOrder) {
  SmallVector<LevelKernels> levels;
  for (StringRef isa : isas)
    levels.push_back({isa, {kernels}});
  return compileCpu(levels, kernelOrder);
}

} // namespace graphc
