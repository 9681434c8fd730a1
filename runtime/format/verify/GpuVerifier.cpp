// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is known of what PTX does with its buffers, as of any machine code.
// Calls of libraries are known: no buffer of theirs is too small.
#include "runtime/format/verify/GpuVerifier.h"

#include "runtime/format/Names.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/verify/GpuCallNeeds.h"

#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphc::runtime {

namespace {

constexpr uint32_t kMostBlocks = 0x7fffffff;
constexpr uint32_t kMostThreads = 1024;
constexpr uint64_t kPartAlignment = 256;

std::string textOf(uint64_t number) { return std::to_string(number); }

Status charge(uint64_t &budget, uint64_t count) {
  if (count > budget)
    return dataLoss("its lists are longer than the index that holds them");
  budget -= count;
  return Status::ok();
}

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

Status checkImage(const format::GpuImage &image, BlobVerifier &blobs) {
  if (!isArchitecture(viewOf(image.arch())))
    return dataLoss("this is no architecture, such as sm_80");
  GRAPHC_TRY(blobs.check(image.ptx()).annotate("PTX"));
  if (image.ptx()->size() == 0)
    return dataLoss("it has no PTX");
  if (image.cubin())
    GRAPHC_TRY(blobs.check(image.cubin()).annotate("cubin"));
  return Status::ok();
}

Status checkLaunch(const format::GpuLaunch &launch) {
  if (!isEntry(viewOf(launch.entry())))
    return dataLoss("its entry " + quote(viewOf(launch.entry())) +
                    " is no name of PTX");
  if (launch.grid() < 1 || launch.grid() > kMostBlocks || launch.block() < 1 ||
      launch.block() > kMostThreads)
    return dataLoss("it has " + textOf(launch.grid()) + " blocks of " +
                    textOf(launch.block()) + " threads; 1 to " +
                    textOf(kMostBlocks) + " of 1 to " + textOf(kMostThreads) +
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

bool isOnGpu(const format::Program &program) {
  return nameOfDevice(viewOf(program.device())).type == "GPU";
}

Status checkGpuCode(const format::Model &model, BlobVerifier &blobs,
                    uint64_t &budget) {
  bool hasImages = model.gpu_images() && model.gpu_images()->size() > 0;
  if (hasImages != (model.gpu_kernels() != nullptr))
    return dataLoss("it has code for GPUs and kernels that use it, one without "
                    "the other");
  if (!hasImages)
    return Status::ok();
  std::set<std::string_view> archs;
  for (const format::GpuImage *image : *model.gpu_images()) {
    Status status = checkImage(*image, blobs);
    if (status.isOk() && !archs.insert(viewOf(image->arch())).second)
      status = dataLoss("it is there twice");
    if (!status.isOk())
      return status.annotate("GPU image " + quote(viewOf(image->arch())));
  }
  if (model.gpu_kernels()->size() != model.kernels()->size())
    return dataLoss("it has " + textOf(model.gpu_kernels()->size()) +
                    " kernels for GPUs but there are " +
                    textOf(model.kernels()->size()) + " kernels");
  for (uint32_t i = 0; i < model.gpu_kernels()->size(); ++i) {
    Status status = checkKernel(*model.gpu_kernels()->Get(i), budget);
    if (!status.isOk())
      return status.annotate("GPU kernel " +
                             quote(viewOf(model.kernels()->Get(i)->name())));
  }
  return Status::ok();
}

Status checkGpuScratch(const format::Program &program) {
  if (program.gpu_scratch_bytes() > kMaxBytes)
    return dataLoss("its GPU scratch has " +
                    textOf(program.gpu_scratch_bytes()) +
                    " bytes; the limit is " + textOf(kMaxBytes));
  if (program.gpu_scratch_bytes() != 0 && !isOnGpu(program))
    return dataLoss("it has scratch memory of a GPU, but is on another device");
  return Status::ok();
}

Status checkGpuDispatch(const format::Model &model,
                        const format::Program &program,
                        const format::Dispatch &dispatch, uint64_t &budget) {
  if (!model.gpu_kernels() || !isOnGpu(program))
    return Status::ok();
  const format::GpuKernel &kernel =
      *model.gpu_kernels()->Get(dispatch.kernel());
  std::string name =
      quote(viewOf(model.kernels()->Get(dispatch.kernel())->name()));
  if (!kernel.stages() || kernel.stages()->size() == 0)
    return dataLoss("kernel " + name + " was not made for GPUs");
  if (dispatch.slots()->size() != kernel.buffers())
    return dataLoss("kernel " + name + " has " + textOf(kernel.buffers()) +
                    " buffers on a GPU, but there are " +
                    textOf(dispatch.slots()->size()) + " slots");
  if (kernel.scratch_bytes() > program.gpu_scratch_bytes())
    return dataLoss("kernel " + name + " needs " +
                    textOf(kernel.scratch_bytes()) +
                    " bytes of scratch, but the program has " +
                    textOf(program.gpu_scratch_bytes()));
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
