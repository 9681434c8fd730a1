// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/format/CpuExecutable.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"

#include <algorithm>
#include <ostream>

namespace graphc::runtime {

namespace {

constexpr const char *kIsas[] = {"x86-64-v3", "x86-64-v4"};

const format::CpuExecutable &executableIn(const ExecutableCode &code) {
  return *format::GetCpuExecutable(code.bytes.data());
}

Status checkImage(const format::Image &image, const format::Model &model) {
  if (std::ranges::find(kIsas, viewOf(image.isa())) == std::end(kIsas))
    return dataLoss("this level of CPU is not known; x86-64-v3 and x86-64-v4 "
                    "are");
  const auto &entries = *image.entries();
  if (entries.size() != model.kernels()->size())
    return dataLoss("it has " + std::to_string(entries.size()) +
                    " entries but there are " +
                    std::to_string(model.kernels()->size()) + " kernels");
  if (!isAligned(entries))
    return dataLoss("its list of entries is not aligned");
  for (uint32_t i = 0; i < entries.size(); ++i)
    if (entries.Get(i) != kNoEntry && entries.Get(i) >= image.code()->size())
      return dataLoss("the entry of kernel " +
                      quote(viewOf(model.kernels()->Get(i)->name())) +
                      " lies after the code's end");
  return Status::ok();
}

/// Bytes from the entry of a kernel to the next entry or the end.
uint64_t codeSize(const format::Image &image, uint32_t index) {
  uint64_t begin = image.entries()->Get(index);
  uint64_t end = image.code()->size();
  if (begin == kNoEntry)
    return 0;
  for (uint64_t entry : *image.entries())
    if (entry > begin)
      end = std::min(end, entry);
  return end - begin;
}

class CpuFormat final : public ExecutableFormat {
public:
  std::string_view target() const override { return kCpuTarget; }
  std::string_view deviceType() const override { return kCpuDeviceType; }
  bool hasDeviceMemory() const override { return false; }

  Status verify(const ExecutableCode &code,
                const format::Model &model) const override {
    if (!isValidBuffer(code.bytes, [](flatbuffers::Verifier &verifier) {
          return format::VerifyCpuExecutableBuffer(verifier);
        }))
      return dataLoss("its code is no valid FlatBuffer");
    // Each image walks a list that others may name, too.
    uint64_t budget = walkBudget(code.bytes.size());
    const auto &images = *executableIn(code).images();
    if (model.kernels()->size() != 0 && images.size() == 0)
      return dataLoss("it has kernels but no machine code");
    NameSet isas;
    for (const format::Image *image : images) {
      Status status = isas.add(image->isa());
      if (status.isOk())
        status = charge(budget, image->entries()->size());
      if (status.isOk())
        status = checkImage(*image, model);
      if (!status.isOk())
        return status.annotate("image " + quote(viewOf(image->isa())));
    }
    return Status::ok();
  }

  bool hasKernel(const ExecutableCode &code, uint32_t index) const override {
    return std::ranges::all_of(
        *executableIn(code).images(), [&](const format::Image *image) {
          return image->entries()->Get(index) != kNoEntry;
        });
  }

  Status checkDispatch(const ExecutableCode &code, const format::Model &model,
                       const format::Program &,
                       const format::Dispatch &dispatch,
                       uint64_t &) const override {
    if (hasKernel(code, dispatch.kernel()))
      return Status::ok();
    return dataLoss(
        "kernel " +
        quote(viewOf(model.kernels()->Get(dispatch.kernel())->name())) +
        " has no code for the host");
  }

  std::vector<std::pair<std::string, uint64_t>>
  codeSizes(const ExecutableCode &code, uint32_t index) const override {
    std::vector<std::pair<std::string, uint64_t>> sizes;
    for (const format::Image *image : *executableIn(code).images())
      sizes.emplace_back(image->isa()->str(), codeSize(*image, index));
    return sizes;
  }

  void printImages(const ExecutableCode &code, std::ostream &out,
                   bool layout) const override {
    for (const format::Image *image : *executableIn(code).images()) {
      out << "image " << viewOf(image->isa());
      if (layout)
        out << ": " << image->code()->size() << " bytes at "
            << fileOffset(code, *image->code()) << " of the file";
      out << "\n";
    }
  }
};

} // namespace

const ExecutableFormat &cpuFormat() {
  static const CpuFormat format;
  return format;
}

const format::CpuExecutable *cpuExecutable(const Model &model) {
  ExecutableCode code = model.executable(kCpuTarget);
  return code.bytes.empty() ? nullptr : &executableIn(code);
}

} // namespace graphc::runtime
