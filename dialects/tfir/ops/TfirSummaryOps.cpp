// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summaries: checks, and how what they show is described.
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

using namespace mlir;
using namespace graphc::tfir;

/// Fails for a tag without a character that TensorBoard could show.
static LogicalResult verifyTag(SummaryOpInterface op) {
  if (op.getSummaryTag().trim("/ ").empty())
    return op->emitOpError()
           << "has the tag '" << op.getSummaryTag()
           << "', expected a name such as \"loss\"; TensorBoard shows it";
  return success();
}

static LogicalResult verifyScalar(Operation *op, Value value) {
  RankedTensorType type = tensorType(value);
  if (type.getRank() == 0)
    return success();
  return op->emitOpError() << "shows " << type
                           << ", expected a value without dimensions";
}

static LogicalResult verifyAtLeast(Operation *op, StringRef what,
                                   int64_t number, int64_t least) {
  if (number >= least)
    return success();
  return op->emitOpError() << what << " is " << number << ", expected at least "
                           << least;
}

static SummaryAttr summaryOf(SummaryKind kind, StringAttr tag, int64_t fetch,
                             int64_t maxOutputs = 0, int64_t thresholds = 0,
                             FloatAttr sampleRate = {}) {
  return SummaryAttr::get(tag.getContext(), kind, tag, fetch, maxOutputs,
                          thresholds, sampleRate);
}

LogicalResult SummaryScalarOp::verify() {
  if (failed(verifyScalar(*this, getValue()))) // (C1)
    return failure();
  return verifyTag(*this); // (C2)
}

Attribute SummaryScalarOp::getSummaryAttr(StringAttr tag, int64_t fetch) {
  return summaryOf(SummaryKind::Scalar, tag, fetch);
}

LogicalResult SummaryHistogramOp::verify() { return verifyTag(*this); } // (C1)

Attribute SummaryHistogramOp::getSummaryAttr(StringAttr tag, int64_t fetch) {
  return summaryOf(SummaryKind::Histogram, tag, fetch);
}

LogicalResult SummaryImageOp::verify() {
  RankedTensorType type = tensorType(getImages());
  int64_t channels = type.getRank() == 4 ? type.getDimSize(3) : 0;
  if (type.getRank() != 4 || (!ShapedType::isDynamic(channels) &&
                              !llvm::is_contained({1, 3, 4}, channels))) // (C1)
    return emitOpError() << "shows " << type
                         << ", expected [images, height, width, channels] "
                            "with 1, 3 or 4 channels";
  if (failed(verifyAtLeast(*this, "max_outputs",
                           static_cast<int64_t>(getMaxOutputs()), 1))) // (C2)
    return failure();
  return verifyTag(*this); // (C3)
}

Attribute SummaryImageOp::getSummaryAttr(StringAttr tag, int64_t fetch) {
  return summaryOf(SummaryKind::Image, tag, fetch,
                   static_cast<int64_t>(getMaxOutputs()));
}

LogicalResult SummaryTextOp::verify() {
  if (failed(verifyScalar(*this, getText()))) // (C1)
    return failure();
  return verifyTag(*this); // (C2)
}

Attribute SummaryTextOp::getSummaryAttr(StringAttr tag, int64_t fetch) {
  return summaryOf(SummaryKind::Text, tag, fetch);
}

LogicalResult SummaryAudioOp::verify() {
  RankedTensorType type = tensorType(getAudio());
  if (type.getRank() != 2 && type.getRank() != 3) // (C1)
    return emitOpError() << "plays " << type
                         << ", expected [sounds, frames, channels] or "
                            "[sounds, frames]";
  double rate = getSampleRate().convertToDouble();
  if (!(rate > 0)) // (C2)
    return emitOpError() << "sample_rate is " << rate
                         << ", expected samples per second above 0";
  if (failed(verifyAtLeast(*this, "max_outputs",
                           static_cast<int64_t>(getMaxOutputs()), 1))) // (C3)
    return failure();
  return verifyTag(*this); // (C4)
}

Attribute SummaryAudioOp::getSummaryAttr(StringAttr tag, int64_t fetch) {
  return summaryOf(SummaryKind::Audio, tag, fetch,
                   static_cast<int64_t>(getMaxOutputs()), 0,
                   getSampleRateAttr());
}

LogicalResult SummaryPrCurveOp::verify() {
  RankedTensorType labels = tensorType(getLabels());
  RankedTensorType predictions = tensorType(getPredictions());
  if (failed(verifyCompatibleShape(labels.getShape(),
                                   predictions.getShape()))) // (C1)
    return emitOpError() << "has labels of " << labels << " and predictions of "
                         << predictions << ", expected one shape";
  if (failed(verifyAtLeast(*this, "num_thresholds",
                           static_cast<int64_t>(getNumThresholds()),
                           2))) // (C2)
    return failure();
  return verifyTag(*this); // (C3)
}

Attribute SummaryPrCurveOp::getSummaryAttr(StringAttr tag, int64_t fetch) {
  return summaryOf(SummaryKind::PrCurve, tag, fetch, 0,
                   static_cast<int64_t>(getNumThresholds()));
}
