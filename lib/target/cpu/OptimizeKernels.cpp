// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels become as fast as by -O3, in half the time: nothing is inlined and no
// global is written, so that passes over call graphs have nothing to do, and
// the code comes clean from MLIR, so that each cleaning runs once where -O3 has
// it up to six times. Loops of explicit vectors stay loops. Counters of loops
// are not simplified: those of micro-kernels come simple (MicroKernel.cpp), and
// nothing else gains from it.
// bench/results/networks.md has the measurements.
#include "lib/target/cpu/OptimizeKernels.h"

#include "lib/target/common/OptimizeLlvm.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

using namespace llvm;

namespace graphc {
namespace {

/// As that of -O2: what -O3 unrolls beyond it costs time only.
constexpr int kUnrollLevel = 2;

bool isVector(const Instruction &instruction) {
  auto *store = dyn_cast<StoreInst>(&instruction);
  const Value *value = store ? store->getValueOperand() : &instruction;
  return isa<FixedVectorType>(value->getType());
}

/// Forbids to unroll loops of vectors: what a copy saves is nothing beside it,
/// and LLVM takes time for every copy. Innermost loops that keep sums in
/// vectors, those of micro-kernels, may be unrolled: convolutions of LeNet-5
/// take a tenth longer otherwise.
class KeepVectorLoops : public PassInfoMixin<KeepVectorLoops> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    for (Loop *loop :
         analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (hasVectors(*loop) && !isMicroKernel(*loop))
        loop->setLoopAlreadyUnrolled();
    return PreservedAnalyses::all();
  }

private:
  static bool isMicroKernel(const Loop &loop) {
    return loop.isInnermost() && any_of(loop.getHeader()->phis(), isVector);
  }

  static bool hasVectors(const Loop &loop) {
    return any_of(loop.blocks(), [](const BasicBlock *block) {
      return any_of(*block, isVector);
    });
  }
};

/// Makes vectors of scalars side by side, in kernels that have no vectors yet.
class VectorizeScalars : public PassInfoMixin<VectorizeScalars> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (any_of(instructions(function), isVector))
      return PreservedAnalyses::all();
    return SLPVectorizerPass().run(function, analyses);
  }
};

FunctionPassManager kernelPasses(OptLevel optLevel) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  if (optLevel == OptLevel::None)
    return passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager shape;
  shape.addPass(LICMPass(LICMOptions()));
  shape.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  shape.addPass(LICMPass(LICMOptions()));
  shape.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/true));
  passes.addPass(
      createFunctionToLoopPassAdaptor(std::move(shape), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(KeepVectorLoops());
  LoopPassManager counts;
  counts.addPass(LoopDeletionPass());
  counts.addPass(LoopFullUnrollPass(kUnrollLevel));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(counts)));
  // Unrolled loops leave indices that are constants now.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(LoopVectorizePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(VectorizeScalars());
  passes.addPass(VectorCombinePass());
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(kUnrollLevel)));
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(InstSimplifyPass());
  passes.addPass(DivRemPairsPass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

} // namespace

void optimizeKernels(Module &module, TargetMachine &machine,
                     OptLevel optLevel) {
  optimizeModule(module, machine, PipelineTuningOptions(), [&](PassBuilder &) {
    ModulePassManager passes;
    passes.addPass(createModuleToFunctionPassAdaptor(kernelPasses(optLevel)));
    return passes;
  });
}

} // namespace graphc
