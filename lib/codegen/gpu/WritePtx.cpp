// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and sums are contracted only where ExpandMath.cpp did it, as on a
// CPU; division and square root are rounded correctly, and numbers below the
// normal ones are kept: these are LLVM's defaults for PTX.
#include "lib/codegen/gpu/WritePtx.h"

#include "lib/codegen/OptimizeLlvm.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace llvm;

namespace graphc {
namespace {

constexpr unsigned kOldest = 80;

std::unique_ptr<TargetMachine> makeTarget(StringRef arch) {
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
      target->createTargetMachine(triple, arch, "", options, std::nullopt,
                                  std::nullopt, CodeGenOptLevel::Aggressive));
}

} // namespace

bool isGpuArchitecture(StringRef arch) {
  StringRef number = arch;
  unsigned version = 0;
  if (!number.consume_front("sm_") || number.consumeInteger(10, version) ||
      version < kOldest)
    return false;
  std::unique_ptr<TargetMachine> machine = makeTarget("sm_80");
  return machine && machine->getMCSubtargetInfo()->isCPUStringValid(arch);
}

Expected<std::string> writePtx(Module &module, StringRef arch) {
  std::unique_ptr<TargetMachine> machine = makeTarget(arch);
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
  optimizeModule(module, *machine, /*vectorize=*/false);
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
