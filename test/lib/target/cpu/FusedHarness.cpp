// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor functions -> kernels -> images -> executable memory.
#include "test/lib/target/cpu/FusedHarness.h"

#include "lib/target/common/CodegenDialects.h"
#include "lib/target/cpu/fused/FusedKernel.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <chrono>
#include <cstring>
#include <sys/mman.h>

using namespace mlir;

namespace graphc {
namespace {

using Entry = void (*)(void *const *, void *, int64_t, int64_t);

[[noreturn]] void fail(const std::string &message) {
  llvm::errs() << "fused harness: " << message << "\n";
  std::abort();
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

LogicalResult emitKernels(ModuleOp module) {
  SmallVector<func::FuncOp> funcs(module.getOps<func::FuncOp>());
  for (func::FuncOp func : funcs)
    if (failed(emitFusedKernel(func)))
      return failure();
  return verify(module);
}

} // namespace

std::string diagnosticsOf(const std::string &text) {
  auto context = makeContext();
  std::string messages;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
  });
  auto module = parseSourceString<ModuleOp>(text, context.get());
  if (module && succeeded(emitKernels(*module))) {
    SmallVector<StringRef> isas{"x86-64-v3"};
    (void)compileCpu(*module, isas, {});
  }
  return messages;
}

std::string kernelsOf(const std::string &text) {
  auto context = makeContext();
  auto module = parseSourceString<ModuleOp>(text, context.get());
  if (!module || failed(emitKernels(*module)))
    fail("the kernels cannot be emitted");
  std::string kernels;
  llvm::raw_string_ostream(kernels) << *module;
  return kernels;
}

std::vector<std::string> runnableLevels() {
  std::vector<std::string> levels;
  if (__builtin_cpu_supports("x86-64-v3"))
    levels.push_back("x86-64-v3");
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back("x86-64-v4");
  return levels;
}

FusedProgram::FusedProgram(const std::string &text) {
  auto context = makeContext();
  auto module = parseSourceString<ModuleOp>(text, context.get());
  if (!module)
    fail("the module does not parse");
  auto start = std::chrono::steady_clock::now();
  if (failed(emitKernels(*module)))
    fail("the kernels cannot be emitted");
  std::vector<std::string> names;
  for (auto func : module->getOps<func::FuncOp>()) {
    names.push_back(func.getName().str());
    kernels[names.back()] = {
        names.size() - 1,
        func->getAttrOfType<IntegerAttr>("exec.units").getInt(),
        func->getAttrOfType<IntegerAttr>("exec.scratch").getInt()};
  }
  SmallVector<StringRef> order(names.begin(), names.end());
  SmallVector<StringRef> isas{"x86-64-v3", "x86-64-v4"};
  auto compiled = compileCpu(*module, isas, order);
  if (failed(compiled))
    fail("the kernels cannot be compiled");
  compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  images = std::move(*compiled);
  for (const CpuImage &image : images) {
    void *memory = mmap(nullptr, image.code.size(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      fail("no memory for code");
    memcpy(memory, image.code.data(), image.code.size());
    if (mprotect(memory, image.code.size(), PROT_READ | PROT_EXEC) != 0)
      fail("memory cannot be made executable");
    mappings[image.isa] = {static_cast<char *>(memory), image.code.size()};
  }
}

FusedProgram::~FusedProgram() {
  for (const auto &[level, mapping] : mappings)
    munmap(mapping.base, mapping.bytes);
}

const CpuImage &FusedProgram::image(const std::string &level) const {
  for (const CpuImage &image : images)
    if (image.isa == level)
      return image;
  fail("no image for " + level);
}

int64_t FusedProgram::units(const std::string &kernel) const {
  return kernels.at(kernel).units;
}

int64_t FusedProgram::scratch(const std::string &kernel) const {
  return kernels.at(kernel).scratch;
}

void FusedProgram::run(const std::string &level, const std::string &kernel,
                       const std::vector<void *> &buffers, int64_t begin,
                       int64_t end) const {
  const Kernel &entry = kernels.at(kernel);
  Host<unsigned char> scratch(entry.scratch, 0xff);
  char *code = mappings.at(level).base + image(level).entries[entry.index];
  reinterpret_cast<Entry>(code)(buffers.data(), scratch.data(), begin, end);
  if (!scratch.guardIsIntact())
    fail(kernel + " wrote behind its scratch memory");
}

void FusedProgram::run(const std::string &level, const std::string &kernel,
                       const std::vector<void *> &buffers) const {
  run(level, kernel, buffers, 0, units(kernel));
}

} // namespace graphc
