// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/package/SummaryTable.h"

using namespace mlir;

namespace graphc {

namespace {

format::SummaryKind kindOf(tfir::SummaryAttr summary) {
  switch (summary.getKind()) {
  case tfir::SummaryKind::Scalar:
    return format::SummaryKind::Scalar;
  case tfir::SummaryKind::Histogram:
    return format::SummaryKind::Histogram;
  case tfir::SummaryKind::Image:
    return format::SummaryKind::Image;
  case tfir::SummaryKind::Text:
    return format::SummaryKind::Text;
  case tfir::SummaryKind::Audio:
    return format::SummaryKind::Audio;
  case tfir::SummaryKind::PrCurve:
    return format::SummaryKind::PrCurve;
  }
  llvm_unreachable("unknown kind of summary");
}

} // namespace

flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<format::Summary>>>
writeSummaries(exec::ProgramOp first, SharedTables &tables) {
  std::optional<ArrayAttr> list = first.getSummaries();
  if (!list || list->empty())
    return {};
  std::vector<flatbuffers::Offset<format::Summary>> written;
  for (auto summary : list->getAsRange<tfir::SummaryAttr>()) {
    FloatAttr rate = summary.getSampleRate();
    written.push_back(
        tables.table(format::CreateSummary, kindOf(summary),
                     tables.text(summary.getTag().getValue()),
                     static_cast<uint32_t>(summary.getFetch()),
                     static_cast<uint32_t>(summary.getMaxOutputs()),
                     static_cast<uint32_t>(summary.getThresholds()),
                     rate ? rate.getValueAsDouble() : 0.0));
  }
  return tables.list(written);
}

} // namespace graphc
