// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/driver/CudaModule.h"

#include "runtime/format/Quote.h"

#include <charconv>

namespace graphc::runtime {

namespace {

/// The oldest GPUs that graphc makes code for.
constexpr int kMinCapability = 80;

/// "9.0" of the directive ".version 9.0"; empty if there is none.
std::string_view ptxVersion(std::string_view ptx) {
  constexpr std::string_view kDirective = ".version ";
  size_t at = ptx.find(kDirective);
  if (at == ptx.npos)
    return "";
  ptx.remove_prefix(at + kDirective.size());
  return ptx.substr(0, ptx.find_first_of("\r\n \t"));
}

} // namespace

std::optional<int> capabilityOf(std::string_view arch) {
  constexpr std::string_view kPrefix = "sm_";
  int number = 0;
  if (!arch.starts_with(kPrefix))
    return std::nullopt;
  arch.remove_prefix(kPrefix.size());
  auto [end, error] =
      std::from_chars(arch.data(), arch.data() + arch.size(), number);
  if (error != std::errc() || end != arch.data() + arch.size())
    return std::nullopt;
  return number;
}

std::string archsOf(const Model &model) {
  std::string archs;
  if (const format::CudaExecutable *code = cudaExecutable(model))
    for (const format::GpuImage *image : *code->images())
      archs += (archs.empty() ? "" : ", ") + image->arch()->str();
  return archs.empty() ? "no architecture" : archs;
}

std::string archCure(int capability) {
  if (capability < kMinCapability)
    return "graphc makes code for " + archName(kMinCapability) +
           " and later ones; let the CPU execute its programs with "
           "--virtual-gpus";
  return "recompile with graphc --gpu-arch=" + archName(capability);
}

std::optional<ImageChoice> findImage(const Model &model, int capability) {
  const format::CudaExecutable *code = cudaExecutable(model);
  std::optional<ImageChoice> best;
  int bestCapability = 0;
  for (uint32_t i = 0; code && i < code->images()->size(); ++i) {
    const format::GpuImage &image = *code->images()->Get(i);
    std::optional<int> arch = capabilityOf(viewOf(image.arch()));
    if (!arch)
      continue;
    if (*arch == capability && image.cubin())
      return ImageChoice{&image, true};
    if (*arch <= capability && *arch > bestCapability) {
      best = ImageChoice{&image, false};
      bestCapability = *arch;
    }
  }
  return best;
}

StatusOr<ImageChoice> chooseImage(const Model &model,
                                  const CudaDeviceFacts &device) {
  if (std::optional<ImageChoice> image = findImage(model, device.capability))
    return *image;
  return failedPrecondition(
      quote(model.name()) + " has GPU code for " + archsOf(model) +
      ", but GPU " + std::to_string(device.number) + " (" + device.model +
      ") is " + archName(device.capability) + "; " +
      archCure(device.capability));
}

StatusOr<std::unique_ptr<CudaModule>>
CudaModule::load(const Model &model, const CudaDevice &device) {
  std::unique_ptr<CudaModule> made(new CudaModule(device));
  GRAPHC_TRY(made->loadImage(model));
  GRAPHC_TRY(made->findFunctions(*cudaExecutable(model)));
  return made;
}

Status CudaModule::loadImage(const Model &model) {
  GRAPHC_ASSIGN_OR_RETURN(ImageChoice choice,
                          chooseImage(model, device.facts()));
  const auto &code =
      choice.isMachineCode ? *choice.image->cubin() : *choice.image->ptx();
  // The driver wants a text with an end.
  std::string text(code.begin(), code.end());
  std::string log(4096, '\0');
  int options[] = {cuda::kJitErrorLogBuffer, cuda::kJitErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  GRAPHC_TRY(device.makeCurrent());
  cuda::Result result =
      device.api().moduleLoadData(&handle, text.data(), 2, options, values);
  if (result == cuda::kUnsupportedPtxVersion)
    return failedPrecondition(
        "the CUDA driver, of version " + device.api().version() +
        ", is too old for the GPU code of " + quote(model.name()) +
        ", PTX of version " + std::string(ptxVersion(text)) +
        "; update the driver, or run on the CPU with --virtual-gpus");
  log.resize(log.find('\0'));
  Status status =
      device.check(result, "loading the GPU code of " + quote(model.name()));
  return log.empty() || status.isOk()
             ? status
             : Status(status.code(), status.message() + ": " + log);
}

Status CudaModule::findFunctions(const format::CudaExecutable &code) {
  for (const format::GpuKernel *kernel : *code.kernels()) {
    functions.emplace_back();
    for (uint32_t i = 0; kernel->stages() && i < kernel->stages()->size();
         ++i) {
      cuda::Function function = nullptr;
      if (const auto *launch = kernel->stages()->Get(i)->call_as_GpuLaunch())
        GRAPHC_TRY(
            device.check(device.api().moduleGetFunction(
                             &function, handle, launch->entry()->c_str()),
                         "finding kernel " + quote(viewOf(launch->entry()))));
      functions.back().push_back(function);
    }
  }
  return Status::ok();
}

CudaModule::~CudaModule() {
  if (handle && device.makeCurrent().isOk())
    device.api().moduleUnload(handle);
}

} // namespace graphc::runtime
