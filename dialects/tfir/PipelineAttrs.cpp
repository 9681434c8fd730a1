// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/PipelineAttrs.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

using namespace mlir;

namespace graphc::tfir {

static constexpr StringLiteral kPipeline = "tfir.pipeline";
static constexpr StringLiteral kSlot = "tfir.slot";
static constexpr StringLiteral kStages = "stages";
static constexpr StringLiteral kSchedule = "schedule";
static constexpr StringLiteral kGpipe = "gpipe";
static constexpr StringLiteral kOneFOneB = "1f1b";

static bool isNumber(Attribute attr) {
  auto number = dyn_cast_if_present<IntegerAttr>(attr);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= 0;
}

/// The fields of the attribute, if they are right.
static std::optional<PipelineSpec> readSpec(Attribute attr) {
  auto fields = dyn_cast_if_present<DictionaryAttr>(attr);
  if (!fields || fields.size() != 2 || !isNumber(fields.get(kStages)))
    return std::nullopt;
  auto schedule = dyn_cast_if_present<StringAttr>(fields.get(kSchedule));
  int64_t stages = cast<IntegerAttr>(fields.get(kStages)).getInt();
  if (!schedule || (schedule != kGpipe && schedule != kOneFOneB) ||
      stages < 2 || stages > kMaxReplicas)
    return std::nullopt;
  return PipelineSpec{stages, schedule == kOneFOneB};
}

std::optional<PipelineSpec> getPipeline(Operation *graph) {
  return readSpec(graph->getDiscardableAttr(kPipeline));
}

void setPipeline(Operation *graph, std::optional<PipelineSpec> spec) {
  if (!spec) {
    graph->removeDiscardableAttr(kPipeline);
    return;
  }
  Builder b(graph->getContext());
  graph->setDiscardableAttr(
      kPipeline,
      b.getDictionaryAttr(
          {b.getNamedAttr(kStages, b.getI64IntegerAttr(spec->stages)),
           b.getNamedAttr(
               kSchedule,
               b.getStringAttr(spec->isOneFOneB ? kOneFOneB : kGpipe))}));
}

std::optional<int64_t> getSlot(Operation *op) {
  Attribute slot = op->getDiscardableAttr(kSlot);
  if (!isNumber(slot))
    return std::nullopt;
  return cast<IntegerAttr>(slot).getInt();
}

void setSlot(Operation *op, std::optional<int64_t> slot) {
  if (slot)
    op->setDiscardableAttr(kSlot,
                           Builder(op->getContext()).getI64IntegerAttr(*slot));
  else
    op->removeDiscardableAttr(kSlot);
}

bool isPipelineAttr(StringRef name) {
  return name == kPipeline || name == kSlot;
}

LogicalResult verifyPipelineAttr(Operation *op, NamedAttribute attr) {
  if (attr.getName() == kPipeline) {
    if (isa<GraphOp>(op) && readSpec(attr.getValue()))
      return success();
    return op->emitOpError()
           << "has " << attr.getValue() << " as '" << kPipeline
           << "', expected {schedule = \"gpipe\", stages = 2 : i64} or the "
              "schedule \"1f1b\", on a graph, with 2 to "
           << kMaxReplicas << " stages";
  }
  if (isa<NodeOpInterface>(op) && isNumber(attr.getValue()))
    return success();
  return op->emitOpError() << "has " << attr.getValue() << " as '" << kSlot
                           << "', expected a number from 0, such as 3 : i64";
}

} // namespace graphc::tfir
