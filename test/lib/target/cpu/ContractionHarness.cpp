// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emitted function -> image -> executable memory.
#include "test/lib/target/cpu/ContractionHarness.h"

#include "lib/target/common/CodegenDialects.h"
#include "lib/target/cpu/CompileCpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sys/mman.h>

using namespace mlir;

namespace graphc {

constexpr size_t kGuardFloats = 16;
constexpr float kGuard = 12345.0f;

[[noreturn]] static void fail(const char *message) {
  llvm::errs() << "contraction harness: " << message << "\n";
  std::abort();
}

std::vector<std::string> testedLevels() {
  std::vector<std::string> levels;
  if (__builtin_cpu_supports("x86-64-v3"))
    levels.push_back("x86-64-v3");
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back("x86-64-v4");
  return levels;
}

RegisterTile tileOf(const std::string &level) {
  return level == "x86-64-v4" ? kTileX86V4 : kTileX86V3;
}

void HostBuffer::Free::operator()(float *memory) const { std::free(memory); }

HostBuffer::HostBuffer(size_t count, uint32_t seed)
    : count(count),
      values(static_cast<float *>(std::aligned_alloc(
          64, ((count + kGuardFloats) * sizeof(float) + 63) / 64 * 64))) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<float> uniform(-0.5f, 0.5f);
  for (size_t i = 0; i < count; ++i)
    values[i] = seed ? uniform(random) : std::nanf("");
  std::fill_n(data() + count, kGuardFloats, kGuard);
}

bool HostBuffer::isIntact() const {
  return std::all_of(values.get() + count, values.get() + count + kGuardFloats,
                     [](float value) { return value == kGuard; });
}

double normwiseError(const std::vector<float> &actual,
                     const std::vector<double> &expected) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(actual[i]))
      return HUGE_VAL;
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return norm == 0 ? difference : std::sqrt(difference / norm);
}

std::unique_ptr<MLIRContext> makeKernelContext() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

static void emitFunction(OpBuilder &b, ArrayRef<Type> buffers,
                         int64_t scratchBytes, const JitKernel::Body &body) {
  Location loc = b.getUnknownLoc();
  SmallVector<Type> types(buffers);
  types.push_back(MemRefType::get({scratchBytes}, b.getI8Type()));
  types.append(2, b.getIndexType());
  auto func =
      func::FuncOp::create(b, loc, "kernel", b.getFunctionType(types, {}));
  unsigned count = buffers.size();
  for (unsigned i = 0; i <= count; ++i) {
    func.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    func.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(64));
  }
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto arguments = entry->getArguments();
  body(b, {arguments.take_front(count), arguments[count], arguments[count + 1],
           arguments[count + 2]});
  func::ReturnOp::create(b, loc);
}

JitKernel::JitKernel(MLIRContext &context, ArrayRef<Type> buffers,
                     int64_t scratchBytes, const std::string &level,
                     const Body &body)
    : scratchBytes(std::max<int64_t>(scratchBytes, 64)) {
  OpBuilder b(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(module->getBody());
  emitFunction(b, buffers, this->scratchBytes, body);
  if (failed(verify(*module)))
    fail("the emitted kernel is not valid");
  SmallVector<StringRef> levels{level}, names{"kernel"};
  auto images = compileCpu(*module, levels, names);
  if (failed(images))
    fail("the kernel does not compile");
  const std::vector<char> &code = images->front().code;
  bytes = code.size();
  entry = images->front().entries.front();
  void *mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    fail("no memory for code");
  memory = static_cast<char *>(mapping);
  std::memcpy(memory, code.data(), bytes);
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0)
    fail("memory cannot be made executable");
}

JitKernel::~JitKernel() { munmap(memory, bytes); }

void JitKernel::run(const std::vector<void *> &buffers, int64_t begin,
                    int64_t end) const {
  HostBuffer scratch((scratchBytes + 3) / 4);
  runWith(buffers, scratch.data(), begin, end);
  if (!scratch.isIntact())
    fail("the kernel wrote behind its scratch");
}

void JitKernel::runWith(const std::vector<void *> &buffers, void *scratch,
                        int64_t begin, int64_t end) const {
  using Entry = void (*)(void *const *, void *, int64_t, int64_t);
  reinterpret_cast<Entry>(memory + entry)(buffers.data(), scratch, begin, end);
}

void runInSteps(const JitKernel &kernel, const std::vector<void *> &buffers,
                int64_t units, int64_t step) {
  for (int64_t begin = (units - 1) / step * step; begin >= 0; begin -= step)
    kernel.run(buffers, begin, std::min(begin + step, units));
}

bool haveSameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

} // namespace graphc
