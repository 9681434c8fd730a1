// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No library function is known to the optimiser, so loops stay loops instead of
// becoming memset and memcpy.
#include "lib/target/common/OptimizeLlvm.h"

#include "llvm/Analysis/TargetLibraryInfo.h"

using namespace llvm;

namespace graphc {

void optimizeModule(Module &module, TargetMachine &machine,
                    PipelineTuningOptions tuning,
                    function_ref<ModulePassManager(PassBuilder &)> build) {
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
  build(builder).run(module, modules);
}

} // namespace graphc
