// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several plans for one source, one per number of workers.
#ifndef GRAPHC_LIB_PIPELINE_COMPILEFAMILY_H
#define GRAPHC_LIB_PIPELINE_COMPILEFAMILY_H

#include "graphc/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace graphc {

/// Brings a module to phase 'scheduled', with all verifiers on the way. What is
/// shown of a family, such as its report, is that of one plan, the largest.
using ScheduleModule = llvm::function_ref<llvm::LogicalResult(
    mlir::ModuleOp, const CompileOptions &, bool isShown)>;

/// The report of the plan for so many workers as that of the family that it is
/// in: graphs have the names that they have there.
std::string reportOfFamily(llvm::StringRef report, mlir::ModuleOp family,
                           int64_t workers);

/// Lets `schedule` make a plan of its own of a copy of `source` for each number
/// of workers that the options ask for, the largest first, and joins them to
/// one module at phase 'scheduled' (exec-join-members), which it verifies once
/// more. What several plans warn of is said once; errors name the plan.
/// REQUIRES: checkWorkerRange().
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
compileFamily(mlir::ModuleOp source, const CompileOptions &options,
              ScheduleModule schedule);

} // namespace graphc

#endif
