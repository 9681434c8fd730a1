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

/// Takes the passes that make code of a module, without loop strength
/// reduction: addresses of micro-kernels go along with counters already.
class CodegenPasses : public legacy::PassManager {
public:
  void add(Pass *pass) override {
    if (pass->getPassID() == strengthReduction())
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
};

} // namespace

/// Makes code for one level. The passes are made once: for a small kernel that
/// takes a tenth of the time of running them.
class ObjectCompiler::Level {
public:
  static Expected<std::unique_ptr<Level>> make(StringRef isa,
                                               OptLevel optLevel) {
    auto machine = makeTarget(isa, optLevel);
    if (!machine)
      return machine.takeError();
    auto level =
        std::unique_ptr<Level>(new Level(isa, optLevel, std::move(*machine)));
    if (level->machine->addPassesToEmitFile(
            level->passes, level->stream, nullptr, CodeGenFileType::ObjectFile))
      return createStringError(inconvertibleErrorCode(),
                               "LLVM cannot write x86-64 object files");
    return level;
  }

  SmallVector<char, 0> compile(Module &module) {
    module.setTargetTriple(machine->getTargetTriple());
    module.setDataLayout(machine->createDataLayout());
    setAttributes(module, isa);
    optimizeKernels(module, *machine, optLevel);
    object.clear();
    passes.run(module);
    return object;
  }

private:
  Level(StringRef isa, OptLevel optLevel,
        std::unique_ptr<TargetMachine> machine)
      : isa(isa), optLevel(optLevel), machine(std::move(machine)),
        stream(object) {
    passes.add(
        new TargetLibraryInfoWrapperPass(this->machine->getTargetTriple()));
  }

  std::string isa;
  OptLevel optLevel;
  std::unique_ptr<TargetMachine> machine;
  SmallVector<char, 0> object; ///< the last one
  raw_svector_ostream stream;
  CodegenPasses passes;
};

ObjectCompiler::ObjectCompiler() = default;
ObjectCompiler::~ObjectCompiler() = default;

Expected<SmallVector<char, 0>>
ObjectCompiler::compile(Module &module, StringRef isa, OptLevel optLevel) {
  std::unique_ptr<Level> &level = levels[(isa + choiceName(optLevel)).str()];
  if (!level) {
    auto made = Level::make(isa, optLevel);
    if (!made)
      return made.takeError();
    level = std::move(*made);
  }
  return level->compile(module);
}

} // namespace graphc
