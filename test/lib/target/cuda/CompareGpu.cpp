// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CompareGpu FILE.mlir [DRIVER]: computes the functions of a file with CPU
// kernels and with GPU kernels, and compares the results: 1e-5, and the same
// bits in a second run. DRIVER is a shared library, such as libcuda.so.1;
// without it the threads of the GPU are fibers, in another order in each run.
#include "lib/target/common/CodegenDialects.h"
#include "test/lib/target/cpu/FusedHarness.h"
#include "test/lib/target/cuda/DriverGpu.h"
#include "test/lib/target/cuda/HostGpu.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace mlir;
using namespace graphc;

namespace {

using Bytes = Host<char>;

/// A buffer of a kernel.
struct Buffer {
  RankedTensorType type;
  bool isArgument;

  int64_t count() const { return type.getNumElements(); }
  int64_t elementBytes() const {
    return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
};

struct Signature {
  std::string name;
  std::vector<Buffer> buffers;
};

Signature signatureOf(func::FuncOp func) {
  Signature signature{func.getName().str(), {}};
  for (Type type : func.getArgumentTypes())
    signature.buffers.push_back({cast<RankedTensorType>(type), true});
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (!func.getResultAttr(i, "exec.inplace"))
      signature.buffers.push_back(
          {cast<RankedTensorType>(func.getResultTypes()[i]), false});
  return signature;
}

/// Floats between -1 and 2; integers that are indices of small tensors.
template <typename T>
void fill(Bytes &bytes, uint32_t seed, double low, double high) {
  size_t count = bytes.size() / sizeof(T);
  auto values = Host<T>::random(count, seed, low, high);
  memcpy(bytes.data(), values.data(), bytes.size());
}

Bytes makeBuffer(const Buffer &buffer, uint32_t seed) {
  Bytes bytes(buffer.count() * buffer.elementBytes(), char(0x7f));
  Type element = buffer.type.getElementType();
  if (!buffer.isArgument)
    return bytes;
  if (element.isF32())
    fill<float>(bytes, seed, -1, 2);
  else if (element.isF64())
    fill<double>(bytes, seed, -1, 2);
  else if (element.isInteger(64))
    fill<int64_t>(bytes, seed, 0, 10);
  else if (element.isInteger(32))
    fill<int32_t>(bytes, seed, 0, 10);
  else
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = char(i * 7 / 3 % (element.isInteger(1) ? 2 : 100));
  return bytes;
}

template <typename T>
bool areClose(const Bytes &cpu, const Bytes &gpu, const std::string &where) {
  for (size_t i = 0; i < cpu.size() / sizeof(T); ++i) {
    T a, b;
    memcpy(&a, cpu.data() + i * sizeof(T), sizeof(T));
    memcpy(&b, gpu.data() + i * sizeof(T), sizeof(T));
    bool same = memcmp(&a, &b, sizeof(T)) == 0;
    if (same || std::abs(double(a) - double(b)) <=
                    1e-5 * std::max(1.0, std::abs(double(a))))
      continue;
    llvm::errs() << where << ", element " << i << ": CPU " << double(a)
                 << ", GPU " << double(b) << "\n";
    return false;
  }
  return true;
}

bool compare(const Buffer &buffer, Bytes &cpu, Bytes &gpu,
             const std::string &where) {
  if (!gpu.guardIsIntact()) {
    llvm::errs() << where << ": written behind the end\n";
    return false;
  }
  if (buffer.type.getElementType().isF32())
    return areClose<float>(cpu, gpu, where);
  if (buffer.type.getElementType().isF64())
    return areClose<double>(cpu, gpu, where);
  if (memcmp(cpu.data(), gpu.data(), cpu.size()) == 0)
    return true;
  llvm::errs() << where << ": integers differ\n";
  return false;
}

std::vector<void *> addresses(std::vector<Bytes> &buffers) {
  std::vector<void *> all;
  for (Bytes &buffer : buffers)
    all.push_back(buffer.data());
  return all;
}

/// Computes a kernel on a GPU; the second run of one may do so in another
/// order.
using Run =
    std::function<void(const Signature &, std::vector<Bytes> &, bool second)>;

Run runOnHost(ModuleOp module) {
  auto gpu = std::make_shared<HostGpu>(module);
  return [=](const Signature &signature, std::vector<Bytes> &buffers,
             bool second) {
    gpu->run(signature.name, addresses(buffers), /*descending=*/second);
  };
}

Run runOnDriver(ModuleOp module, ArrayRef<Signature> signatures,
                const std::string &library) {
  SmallVector<StringRef> order;
  for (const Signature &signature : signatures)
    order.push_back(signature.name);
  CodeCache none("");
  FailureOr<GpuCode> code = compileGpu(module, StringRef("sm_80"), order, none);
  if (failed(code))
    exit(1);
  auto gpu = std::make_shared<DriverGpu>(library, code->images.front());
  std::map<std::string, GpuKernel> kernels;
  for (const GpuKernel &kernel : code->kernels)
    kernels[kernel.name] = kernel;
  return [=](const Signature &signature, std::vector<Bytes> &buffers, bool) {
    std::vector<KernelBuffer> all;
    for (auto [buffer, kind] : llvm::zip(buffers, signature.buffers))
      all.push_back({buffer.data(), buffer.size(), kind.isArgument});
    gpu->run(kernels.at(signature.name), all);
  };
}

bool compareKernel(const Signature &signature, const FusedProgram &program,
                   const Run &run) {
  std::vector<Bytes> onCpu;
  for (const Buffer &buffer : signature.buffers)
    onCpu.push_back(makeBuffer(buffer, onCpu.size() + 1));
  std::vector<Bytes> first(onCpu), second(onCpu);
  program.run(runnableLevels().front(), signature.name, addresses(onCpu));
  run(signature, first, /*second=*/false);
  run(signature, second, /*second=*/true);
  bool good = true;
  for (size_t i = 0; i < onCpu.size(); ++i) {
    std::string where = signature.name + ", buffer " + std::to_string(i);
    good &= compare(signature.buffers[i], onCpu[i], first[i], where);
    if (memcmp(first[i].data(), second[i].data(), first[i].size()) != 0) {
      llvm::errs() << where << ": two runs differ\n";
      good = false;
    }
  }
  return good;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    llvm::errs() << "usage: CompareGpu FILE.mlir [DRIVER]\n";
    return 2;
  }
  std::stringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  DialectRegistry registry;
  registerCodegenDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(text.str(), &context);
  if (!module)
    return 1;
  std::vector<Signature> signatures;
  for (auto func : module->getOps<func::FuncOp>())
    signatures.push_back(signatureOf(func));
  FusedProgram program(text.str());
  Run run = argc == 2 ? runOnHost(*module)
                      : runOnDriver(*module, signatures, argv[2]);
  bool good = true;
  for (const Signature &signature : signatures)
    good &= compareKernel(signature, program, run);
  return good ? 0 : 1;
}
