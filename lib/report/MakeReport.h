// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Report on a placed module for people, once it has become programs.
#ifndef GRAPHC_LIB_REPORT_MAKEREPORT_H
#define GRAPHC_LIB_REPORT_MAKEREPORT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace graphc {

class PlacementLog;

/// The ops of a module of phase `placed`, where they are, and, with a log, why:
/// the JSON that docs/report.md describes. Deterministic; linear in the module.
std::string makeReport(mlir::ModuleOp module, const PlacementLog *log);

} // namespace graphc

#endif
