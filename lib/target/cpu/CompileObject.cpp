// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The x86 code generator. Also here no library function is known, so that the
// result calls nothing.
#include "lib/target/cpu/CompileObject.h"

#include "lib/target/cpu/OptimizeKernels.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Scalar.h"

#include <mutex>

using namespace llvm;

namespace graphc {
namespace {

Expected<std::unique_ptr<TargetMachine>> makeTarget(StringRef isa,
                                                    OptLevel optLevel) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(inconvertibleErrorCode(), error);
  TargetOptions options;
  // Kernels mark where they fuse a product and a sum; see ExpandMath.cpp.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, isa, "", options, Reloc::PIC_, std::nullopt,
      optLevel == OptLevel::None ? CodeGenOptLevel::None
                                 : CodeGenOptLevel::Aggressive));
}

void setAttributes(Module &module, StringRef isa) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", isa);
    // Even x86-64-v4 prefers 256 bits by default.
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("no-builtins");
    function.addFnAttr(Attribute::NoUnwind);
    // A kernel stays a function of its own: its noalias arguments are what
    // lets loops be vectorised without overlap checks.
    if (function.hasInternalLinkage())
      function.addFnAttr(Attribute::NoInline);
  }
}

/// Takes the passes that make code of a module, loop strength reduction only
/// where addresses are to go along with counters.
class CodegenPasses : public legacy::PassManager {
public:
  explicit CodegenPasses(const KernelPasses &wanted) : wanted(wanted) {}

  void add(Pass *pass) override {
    if (!wanted.simplifiesIndices && pass->getPassID() == strengthReduction())
      delete pass;
    else
      legacy::PassManager::add(pass);
  }

private:
  static AnalysisID strengthReduction() {
    static const AnalysisID id =
        std::unique_ptr<Pass>(createLoopStrengthReducePass())->getPassID();
    return id;
  }

  KernelPasses wanted;
};

} // namespace

ObjectCompiler::ObjectCompiler() = default;
ObjectCompiler::~ObjectCompiler() = default;

Expected<SmallVector<char, 0>>
ObjectCompiler::compile(Module &module, StringRef isa, OptLevel optLevel) {
  std::unique_ptr<TargetMachine> &machine =
      machines[(isa + choiceName(optLevel)).str()];
  if (!machine) {
    auto made = makeTarget(isa, optLevel);
    if (!made)
      return made.takeError();
    machine = std::move(*made);
  }
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  setAttributes(module, isa);
  KernelPasses wanted = passesFor(module, optLevel);
  optimizeKernels(module, *machine, wanted);
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  CodegenPasses passes(wanted);
  passes.add(new TargetLibraryInfoWrapperPass(module.getTargetTriple()));
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   CodeGenFileType::ObjectFile))
    return createStringError(inconvertibleErrorCode(),
                             "LLVM cannot write x86-64 object files");
  passes.run(module);
  return object;
}

} // namespace graphc
