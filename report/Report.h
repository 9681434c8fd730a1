// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Report in a model.bin on the ops that it was made of: docs/report.md.
#ifndef GRAPHC_REPORT_REPORT_H
#define GRAPHC_REPORT_REPORT_H

#include "runtime/format/Model.h"

#include <string>
#include <vector>

namespace graphc::report {

/// Ops, feeds or variables: a row each, of which the columns are kept apart.
struct ReportTable {
  std::vector<std::string> name;
  std::vector<int32_t> kind;    ///< in Report::kinds; variables have none
  std::vector<int32_t> device;  ///< in Report::devices; -1: not known
  std::vector<int32_t> replica; ///< of the tower; -1: none
  std::vector<uint32_t> line;   ///< from 1; 0: not known
  std::vector<std::vector<uint32_t>> operands; ///< values of the graph
  std::vector<std::vector<uint32_t>> results;  ///< in Report::types

  size_t size() const { return name.size(); }
};

/// One graph as it was when it was placed: feeds first, then ops in order.
/// Values are numbered through, in the order of the rows that make them.
struct ReportGraph {
  std::string name;
  uint32_t replicas = 1;
  ReportTable ops;
  std::vector<uint32_t> maker;     ///< of each value, a row
  std::vector<uint64_t> valueSize; ///< in bytes
};

struct ReportType {
  std::string text; ///< "float32[2,3]"
  uint64_t size;    ///< in bytes
};

/// Thread-safety: as a value type.
struct Report {
  std::string text; ///< all of it, as it is in the file
  std::vector<std::string> devices;
  std::vector<std::string> kinds;
  std::vector<ReportType> types;
  ReportTable variables;
  std::vector<ReportGraph> graphs;

  /// Reads the report of a model; every number is in its range. NotFound when
  /// the model has none, DataLoss when it is not what docs/report.md has.
  static runtime::StatusOr<Report> of(const runtime::Model &model);
  static runtime::StatusOr<Report> parse(std::string json);

  const ReportGraph *findGraph(std::string_view name) const;
  /// The device of a row, shortened; "no device" when it is not known.
  std::string deviceText(int32_t device) const;
};

/// "CPU:0" for a device of the local task, otherwise with its task:
/// "worker/1/CPU:0".
std::string shortDevice(std::string_view name);

/// True when a full name is that of a CPU.
bool isCpuDevice(std::string_view name);

/// The graph that is shown when none is named: the first but `init`, or that.
/// Null when there is none.
const ReportGraph *defaultGraph(const Report &report);

} // namespace graphc::report

#endif
