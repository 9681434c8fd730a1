// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and sums are contracted only where ExpandMath.cpp did it, as on a
// CPU; division and square root are rounded correctly, and numbers below the
// normal ones are kept: these are LLVM's defaults for PTX.
#include "lib/target/cuda/WritePtx.h"

#include "lib/target/common/OptimizeLlvm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace llvm;

namespace graphc {
namespace {

/// Not those of which LLVM knows a form with a letter, such as sm_90a, whose
/// PTX runs nowhere else.
constexpr StringLiteral kArchitectures[] = {
    "sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89", "sm_90",
    "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};

/// The parameters of an entry, of 8 bytes each: up to PTX 8.0, and from 8.1 on,
/// which drivers of CUDA 12.1 take.
constexpr size_t kFewBuffers = 4352 / 8;
constexpr size_t kMaxBuffers = 32764 / 8;

/// The oldest architectures have a PTX of before 8.1 by default.
StringRef featuresFor(StringRef arch, size_t buffers) {
  bool isOld =
      is_contained({"sm_80", "sm_86", "sm_87", "sm_89", "sm_90"}, arch);
  return isOld && buffers > kFewBuffers ? "+ptx81" : "";
}

std::unique_ptr<TargetMachine> makeTarget(StringRef arch, StringRef features) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, arch, features, options, std::nullopt,
                                  std::nullopt, CodeGenOptLevel::Aggressive));
}

} // namespace

bool isGpuArchitecture(StringRef arch) {
  return is_contained(kArchitectures, arch);
}

std::string gpuArchitectures() { return join(ArrayRef(kArchitectures), ", "); }

Expected<std::string> writePtx(Module &module, StringRef arch) {
  size_t buffers = 0;
  for (const Function &function : module)
    if (!function.isDeclaration() && function.arg_size() > buffers) {
      buffers = function.arg_size();
      if (buffers > kMaxBuffers)
        return createStringError("kernel '%s' has %zu buffers; a GPU's takes "
                                 "%zu",
                                 function.getName().str().c_str(), buffers,
                                 kMaxBuffers);
    }
  std::unique_ptr<TargetMachine> machine =
      makeTarget(arch, featuresFor(arch, buffers));
  if (!machine)
    return createStringError(inconvertibleErrorCode(),
                             "this LLVM has no back end for PTX");
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", arch);
      function.addFnAttr("no-builtins");
      function.addFnAttr(Attribute::NoUnwind);
    }
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  tuning.LoopUnrolling = tuning.LoopInterleaving = true;
  optimizeModule(module, *machine, tuning, [](PassBuilder &builder) {
    return builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
  });
  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(module.getTargetTriple()));
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   CodeGenFileType::AssemblyFile))
    return createStringError(inconvertibleErrorCode(), "LLVM cannot write PTX");
  passes.run(module);
  return std::string(text.begin(), text.end());
}

} // namespace graphc
