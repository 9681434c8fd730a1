// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernels -> LLVM dialect -> LLVM IR -> objects -> image, once per x86-64
// level. LLVM takes most of the time, so the kernels are divided into parts,
// which as many threads compile as there are cores: a part is lowered at once,
// and each of its kernels then compiled for each level that has it.
#include "lib/target/cpu/CompileCpu.h"

#include "lib/target/cpu/CpuEntries.h"
#include "lib/target/cpu/KernelObjects.h"
#include "lib/target/cpu/LinkImage.h"
#include "lib/target/cpu/OutlinePhilox.h"
#include "lib/target/cpu/SplitModule.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

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
  std::vector<KernelObjects> code; ///< objects are of isas
  bool isFailed = false;

  /// Fails after a diagnostic.
  LogicalResult compile(OptLevel optLevel, ObjectCompiler &compiler,
                        CodeCache &cache) {
    if (failed(lowerToLlvm(*kernels)))
      return failure();
    SmallVector<OwningOpRef<ModuleOp>> entries =
        splitEntries(std::move(kernels));
    for (OwningOpRef<ModuleOp> &entry : entries) {
      FailureOr<KernelObjects> compiled =
          compileKernel(*entry, isas, optLevel, compiler, cache);
      if (failed(compiled))
        return failure();
      code.push_back(std::move(*compiled));
      entry = nullptr;
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
LogicalResult compileParts(MLIRContext *context, MutableArrayRef<Part> parts,
                           OptLevel optLevel, CodeCache &cache) {
  size_t count = std::clamp<size_t>(std::thread::hardware_concurrency(), 1,
                                    std::max<size_t>(parts.size(), 1));
  ThreadedContext threaded(context, count > 1);
  ParallelDiagnosticHandler diagnostics(context);
  std::atomic<size_t> next = 0;
  auto work = [&] {
    ObjectCompiler compiler;
    for (size_t i = next++; i < parts.size(); i = next++) {
      diagnostics.setOrderIDForThread(i);
      parts[i].isFailed = failed(parts[i].compile(optLevel, compiler, cache));
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

/// Objects of a level, each once, and the symbols of its kernels.
FailureOr<CpuImage> linkLevel(const LevelKernels &level, ArrayRef<Part> parts,
                              ArrayRef<StringRef> kernelOrder) {
  SmallVector<ArrayRef<char>> objects;
  llvm::StringSet<> known;
  llvm::StringMap<StringRef> symbolOf;
  for (const Part &part : parts)
    for (const KernelObjects &code : part.code)
      for (auto [isa, object] : llvm::zip(part.isas, code.objects)) {
        if (isa != level.isa)
          continue;
        symbolOf[code.name] = code.symbol;
        if (known.insert(code.symbol).second)
          objects.push_back(object);
      }
  std::vector<std::string> symbols;
  for (StringRef kernel : kernelOrder) {
    std::string name = entryName(kernel);
    auto found = symbolOf.find(name);
    // The linker reports a name that no module has.
    symbols.push_back(found == symbolOf.end() ? name : found->second.str());
  }
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
                                            ArrayRef<StringRef> kernelOrder,
                                            OptLevel optLevel,
                                            CodeCache &cache) {
  SmallVector<CpuImage> images;
  if (levels.empty())
    return images;
  std::vector<Part> parts = makeParts(levels);
  ModuleOp first = levels.front().modules.front();
  if (failed(compileParts(first.getContext(), parts, optLevel, cache)))
    return failure();
  for (const LevelKernels &level : levels) {
    FailureOr<CpuImage> image = linkLevel(level, parts, kernelOrder);
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
  CodeCache none("");
  return compileCpu(levels, kernelOrder, OptLevel::Full, none);
}

} // namespace graphc
