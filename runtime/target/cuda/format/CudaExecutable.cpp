// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/format/CudaExecutable.h"

#include "runtime/format/Quote.h"
#include "runtime/target/cuda/format/CheckExecutable.h"
#include "runtime/target/cuda/format/PrintExecutable.h"

namespace graphc::runtime {

namespace {

const format::CudaExecutable &executableIn(const ExecutableCode &code) {
  return *format::GetCudaExecutable(code.bytes.data());
}

class CudaFormat final : public ExecutableFormat {
public:
  std::string_view target() const override { return kCudaTarget; }
  std::string_view deviceType() const override { return kCudaDeviceType; }
  bool hasDeviceMemory() const override { return true; }

  Status verify(const ExecutableCode &code,
                const format::Model &model) const override {
    if (!isValidBuffer(code.bytes, [](flatbuffers::Verifier &verifier) {
          return format::VerifyCudaExecutableBuffer(verifier);
        }))
      return dataLoss("its code is no valid FlatBuffer");
    uint64_t budget = walkBudget(code.bytes.size());
    return checkGpuCode(executableIn(code), model, budget);
  }

  Status checkDispatch(const ExecutableCode &code, const format::Model &model,
                       const format::Program &program,
                       const format::Dispatch &dispatch,
                       uint64_t &budget) const override {
    return checkGpuDispatch(executableIn(code), model, program, dispatch,
                            budget);
  }

  void printKernel(const ExecutableCode &code, uint32_t index,
                   std::ostream &out, bool layout) const override {
    printGpuKernel(*executableIn(code).kernels()->Get(index), out, layout);
  }

  void printImages(const ExecutableCode &code, std::ostream &out,
                   bool layout) const override {
    printGpuImages(executableIn(code), code, out, layout);
  }

  std::vector<std::string_view>
  assembly(const ExecutableCode &code) const override {
    std::vector<std::string_view> texts;
    for (const format::GpuImage *image : *executableIn(code).images())
      texts.emplace_back(reinterpret_cast<const char *>(image->ptx()->data()),
                         image->ptx()->size());
    return texts;
  }
};

} // namespace

const ExecutableFormat &cudaFormat() {
  static const CudaFormat format;
  return format;
}

const format::CudaExecutable *cudaExecutable(const Model &model) {
  ExecutableCode code = model.executable(kCudaTarget);
  return code.bytes.empty() ? nullptr : &executableIn(code);
}

} // namespace graphc::runtime
