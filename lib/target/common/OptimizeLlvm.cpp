// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's -O3, set up so that the result calls nothing: no library function is
// known to the optimiser, so loops stay loops instead of becoming memset and
// memcpy.
#include "lib/target/common/OptimizeLlvm.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace graphc {

void optimizeModule(Module &module, TargetMachine &machine, bool vectorize) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = vectorize;
  tuning.LoopUnrolling = tuning.LoopInterleaving = true;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

} // namespace graphc
