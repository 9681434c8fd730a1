// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a report: what is known of each op, feed and variable.
#ifndef GRAPHC_LIB_REPORT_REPORTROWS_H
#define GRAPHC_LIB_REPORT_REPORTROWS_H

#include "dialects/tfir/Tfir.h"
#include "lib/placement/PlacementLog.h"

#include "llvm/ADT/MapVector.h"

namespace graphc {

/// One op, feed or variable. What is not known is -1.
struct ReportRow {
  llvm::StringRef name;
  int64_t kind = -1, device = -1, replica = -1, line = 0, mirrorOf = -1;
  llvm::SmallVector<int64_t, 2> operands, results; ///< values; types
  const PlacementRecord *record = nullptr;
};

struct ReportGraphRows {
  llvm::StringRef name;
  int64_t line, replicas;
  std::vector<ReportRow> rows; ///< feeds, then ops in order
  std::vector<std::pair<llvm::StringRef, int64_t>> fetches; ///< name, value
};

/// Refers to the module and the log that it was made of.
struct ReportRows {
  TextTable devices; ///< those of the log have the same numbers
  TextTable kinds;
  llvm::MapVector<mlir::RankedTensorType, int64_t> types;
  std::vector<ReportRow> variables;
  std::vector<ReportGraphRows> graphs;
};

/// Walks a module of phase `placed`; `log` may be null. Linear.
ReportRows collectRows(mlir::ModuleOp module, const PlacementLog *log);

} // namespace graphc

#endif
