// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is known of what PTX does with its buffers, as of any machine code.
// Calls of libraries are known: no buffer of theirs is too small.
#include "runtime/target/cuda/format/CheckExecutable.h"

#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/target/cuda/format/CallNeeds.h"

#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphc::runtime {

namespace {

constexpr uint32_t kMaxBlocks = 0x7fffffff;
constexpr uint32_t kMaxThreads = 1024;
constexpr uint64_t kPartAlignment = 256;

std::string textOf(uint64_t number) { return std::to_string(number); }

/// "sm_80".
bool isArchitecture(std::string_view arch) {
  if (!arch.starts_with("sm_") || arch.size() < 5 || arch.size() > 7)
    return false;
  for (char c : arch.substr(3))
    if (c < '0' || c > '9')
      return false;
  return true;
}

/// PTX knows letters, digits, _ and $.
bool isEntry(std::string_view name) {
  for (char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '$')
      return false;
  return !name.empty();
}

Status checkImage(const format::GpuImage &image) {
  if (!isArchitecture(viewOf(image.arch())))
    return dataLoss("this is no architecture, such as sm_80");
  if (image.ptx()->size() == 0)
    return dataLoss("it has no PTX");
  return Status::ok();
}

Status checkLaunch(const format::GpuLaunch &launch) {
  if (!isEntry(viewOf(launch.entry())))
    return dataLoss("its entry " + quote(viewOf(launch.entry())) +
                    " is no name of PTX");
  if (launch.grid() < 1 || launch.grid() > kMaxBlocks || launch.block() < 1 ||
      launch.block() > kMaxThreads)
    return dataLoss("it has " + textOf(launch.grid()) + " blocks of " +
                    textOf(launch.block()) + " threads; 1 to " +
                    textOf(kMaxBlocks) + " of 1 to " + textOf(kMaxThreads) +
                    " are possible");
  return Status::ok();
}

/// `sizeOf(buffer)` is the size of a buffer that is to be compared.
template <typename SizeOf>
Status checkSizes(const format::GpuStage &stage, SizeOf sizeOf) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<uint64_t> needs, gpuCallNeeds(stage));
  for (size_t i = 0; i < needs.size(); ++i) {
    uint32_t buffer = stage.buffers()->Get(static_cast<uint32_t>(i));
    std::optional<uint64_t> size = sizeOf(buffer);
    if (size && *size < needs[i])
      return dataLoss("buffer " + textOf(buffer) + " has " + textOf(*size) +
                      " bytes, but it needs " + textOf(needs[i]));
  }
  return Status::ok();
}

Status checkStage(const format::GpuKernel &kernel,
                  const format::GpuStage &stage) {
  switch (stage.call_type()) {
  case format::GpuCall::GpuLaunch:
    GRAPHC_TRY(checkLaunch(*stage.call_as_GpuLaunch()));
    break;
  case format::GpuCall::GpuMatmul:
  case format::GpuCall::GpuConvolution:
    break;
  default:
    return dataLoss("calls of kind " +
                    textOf(static_cast<uint8_t>(stage.call_type())) +
                    " are not known");
  }
  uint64_t parts = kernel.scratch() ? kernel.scratch()->size() : 0;
  for (uint32_t buffer : *stage.buffers())
    if (buffer >= kernel.buffers() + parts)
      return dataLoss("buffer " + textOf(buffer) +
                      " does not exist; there are " +
                      textOf(kernel.buffers() + parts));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<uint64_t> needs, gpuCallNeeds(stage));
  if (!needs.empty() && needs.size() != stage.buffers()->size())
    return dataLoss("it has " + textOf(stage.buffers()->size()) +
                    " buffers; it needs " + textOf(needs.size()));
  return checkSizes(stage, [&](uint32_t buffer) -> std::optional<uint64_t> {
    if (buffer < kernel.buffers())
      return std::nullopt;
    return kernel.scratch()->Get(buffer - kernel.buffers())->size();
  });
}

Status checkKernel(const format::GpuKernel &kernel, uint64_t &budget) {
  uint64_t bytes = kernel.scratch_bytes();
  if (bytes > kMaxBytes)
    return dataLoss("it wants " + textOf(bytes) +
                    " bytes of scratch; the limit is " + textOf(kMaxBytes));
  if (kernel.scratch()) {
    GRAPHC_TRY(charge(budget, kernel.scratch()->size()));
    // FlatBuffers' verifier checks the alignment of a list's size only.
    auto start = reinterpret_cast<uintptr_t>(kernel.scratch()->Data());
    if (kernel.scratch()->size() && start % alignof(format::GpuExtent) != 0)
      return dataLoss("the list of its parts of scratch is not aligned");
    for (const format::GpuExtent *part : *kernel.scratch())
      if (part->offset() % kPartAlignment != 0 || part->offset() > bytes ||
          part->size() > bytes - part->offset())
        return dataLoss(
            "a part of " + textOf(part->size()) + " bytes at offset " +
            textOf(part->offset()) + " does not lie in its " + textOf(bytes) +
            " bytes of scratch, at a multiple of " + textOf(kPartAlignment));
  }
  for (uint32_t i = 0; kernel.stages() && i < kernel.stages()->size(); ++i) {
    const format::GpuStage &stage = *kernel.stages()->Get(i);
    GRAPHC_TRY(charge(budget, 1 + stage.buffers()->size()));
    Status status = checkStage(kernel, stage);
    if (!status.isOk())
      return status.annotate("stage " + textOf(i));
  }
  return Status::ok();
}

} // namespace

Status checkGpuCode(const format::CudaExecutable &code,
                    const format::Model &model, uint64_t &budget) {
  // A model whose programs only copy has no kernels, and images all the same.
  bool hasKernels = code.kernels()->size() != 0 || model.kernels()->size() == 0;
  if (code.images()->size() == 0 || !hasKernels)
    return dataLoss("it has code for GPUs and kernels that use it, one without "
                    "the other");
  std::set<std::string_view> archs;
  for (const format::GpuImage *image : *code.images()) {
    Status status = checkImage(*image);
    if (status.isOk() && !archs.insert(viewOf(image->arch())).second)
      status = dataLoss("it is there twice");
    if (!status.isOk())
      return status.annotate("GPU image " + quote(viewOf(image->arch())));
  }
  if (code.kernels()->size() != model.kernels()->size())
    return dataLoss("it has " + textOf(code.kernels()->size()) +
                    " kernels for GPUs but there are " +
                    textOf(model.kernels()->size()) + " kernels");
  for (uint32_t i = 0; i < code.kernels()->size(); ++i) {
    Status status = checkKernel(*code.kernels()->Get(i), budget);
    if (!status.isOk())
      return status.annotate("GPU kernel " +
                             quote(viewOf(model.kernels()->Get(i)->name())));
  }
  return Status::ok();
}

Status checkGpuDispatch(const format::CudaExecutable &code,
                        const format::Model &model,
                        const format::Program &program,
                        const format::Dispatch &dispatch, uint64_t &budget) {
  const format::GpuKernel &kernel = *code.kernels()->Get(dispatch.kernel());
  std::string name =
      quote(viewOf(model.kernels()->Get(dispatch.kernel())->name()));
  if (!kernel.stages() || kernel.stages()->size() == 0)
    return dataLoss("kernel " + name + " was not made for GPUs");
  if (dispatch.slots()->size() != kernel.buffers())
    return dataLoss("kernel " + name + " has " + textOf(kernel.buffers()) +
                    " buffers on a GPU, but there are " +
                    textOf(dispatch.slots()->size()) + " slots");
  if (kernel.scratch_bytes() > program.device_scratch_bytes())
    return dataLoss("kernel " + name + " needs " +
                    textOf(kernel.scratch_bytes()) +
                    " bytes of scratch, but the program has " +
                    textOf(program.device_scratch_bytes()));
  GRAPHC_TRY(charge(budget, kernel.stages()->size()));
  for (const format::GpuStage *stage : *kernel.stages())
    GRAPHC_TRY(
        checkSizes(*stage, [&](uint32_t buffer) -> std::optional<uint64_t> {
          if (buffer >= kernel.buffers())
            return std::nullopt;
          return program.slots()->Get(dispatch.slots()->Get(buffer))->size();
        }).annotate("kernel " + name));
  return Status::ok();
}

} // namespace graphc::runtime
