// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several plans for one source, one per number of workers.
#ifndef GRAPHC_LIB_PIPELINE_COMPILEVARIANTS_H
#define GRAPHC_LIB_PIPELINE_COMPILEVARIANTS_H

#include "graphc/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace graphc {

/// Brings a module to phase 'scheduled', with all verifiers on the way. What is
/// shown of the variants, such as a report, is that of one plan, the largest.
using ScheduleModule = llvm::function_ref<llvm::LogicalResult(
    mlir::ModuleOp, const CompileOptions &, bool isShown)>;

/// The report of the plan for so many workers as that of all variants: graphs
/// have the names that they have in the module `joined`.
std::string reportOfVariants(llvm::StringRef report, mlir::ModuleOp joined,
                             int64_t workers);

/// Lets `schedule` make a plan of its own of a copy of `source` for each number
/// of workers that the options ask for, the largest first, and joins them to
/// one module at phase 'scheduled' (exec-join-members), which it verifies once
/// more. A warning of several plans is printed once; errors name the plan.
/// REQUIRES: checkWorkerRange().
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
compileVariants(mlir::ModuleOp source, const CompileOptions &options,
                ScheduleModule schedule);

} // namespace graphc

#endif
