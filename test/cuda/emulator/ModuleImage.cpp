// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/ModuleImage.h"

#include <cstring>
#include <sstream>

namespace graphc::emulator {

namespace {

std::string dotted(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// Machine code cannot be emulated; a module must bring its text.
bool isMachineCode(const void *image) {
  constexpr unsigned char kElf[] = {0x7f, 'E', 'L', 'F'};
  constexpr unsigned char kFatbin[] = {0x50, 0xed, 0x55, 0xba};
  return !std::memcmp(image, kElf, 4) || !std::memcmp(image, kFatbin, 4);
}

/// Checks that driver and chip are new enough.
Failure checkVersions(const Driver &driver, const ModuleText &text) {
  if (text.version > newestPtx(driver.version))
    return {CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            "the module is written in PTX " + dotted(text.version) +
                ", the driver knows up to " +
                dotted(newestPtx(driver.version))};
  if (text.target > driver.arch)
    return {CUDA_ERROR_NO_BINARY_FOR_GPU,
            "the module is for sm_" + std::to_string(text.target) +
                " and later, the device is sm_" + std::to_string(driver.arch)};
  return {};
}

std::shared_ptr<const std::vector<std::string>> linesOf(const char *text) {
  auto lines = std::make_shared<std::vector<std::string>>();
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines->push_back(line);
  return lines;
}

Symbols placeVariables(Driver &driver, Module &module, const ModuleText &text) {
  Symbols symbols;
  for (const Variable &variable : text.variables) {
    if (variable.space != "global" && variable.space != "const")
      continue;
    Allocation *made = driver.memory.allocate(
        module.context->device, std::max<uint64_t>(variable.bytes, 1));
    if (!made)
      throw PtxError(variable.line,
                     "no memory for '" + std::string(variable.name) + "'");
    made->isOfModule = true;
    made->name = "variable '" + std::string(variable.name) + "'";
    // What has no initial value is zero.
    made->shadow->markInitialised(0, variable.bytes);
    std::copy(variable.initial.begin(), variable.initial.end(), made->data);
    module.variables.push_back(made);
    symbols[std::string(variable.name)] = made->base;
  }
  return symbols;
}

void loadFunctions(Driver &driver, Module &module, const ModuleText &text,
                   const char *image) {
  Symbols symbols = placeVariables(driver, module, text);
  auto lines = linesOf(image);
  for (const KernelText &kernelText : text.kernels) {
    Kernel kernel = decodeKernel(kernelText, text, symbols);
    kernel.source = lines;
    auto function = std::make_unique<Function>();
    function->context = module.context;
    function->ptxVersion = text.version;
    function->kernel = std::make_shared<const Kernel>(std::move(kernel));
    const std::string &name = function->kernel->name;
    module.functions[name] = driver.functions.add(std::move(function));
  }
}

} // namespace

int newestPtx(int driverVersion) {
  int major = driverVersion / 1000, minor = driverVersion % 1000 / 10;
  // From 12.6 on, the minor numbers of the two are one apart.
  if (major == 12 && minor >= 6)
    --minor;
  return (major - 4) * 10 + minor;
}

std::unique_ptr<Module> loadModule(Driver &driver, Context &context,
                                   const void *image, Failure &failure) {
  if (isMachineCode(image)) {
    failure = {CUDA_ERROR_NO_BINARY_FOR_GPU,
               "the emulator executes PTX only; keep the PTX beside the cubin"};
    return nullptr;
  }
  auto module = std::make_unique<Module>();
  module->context = &context;
  try {
    auto text = static_cast<const char *>(image);
    ModuleText parsed = parsePtx(text);
    failure = checkVersions(driver, parsed);
    if (!failure.code)
      loadFunctions(driver, *module, parsed, text);
  } catch (const std::exception &error) {
    failure = {CUDA_ERROR_INVALID_PTX, error.what()};
  }
  if (!failure.code)
    return module;
  driver.unload(*module);
  return nullptr;
}

} // namespace graphc::emulator
