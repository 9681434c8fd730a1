// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TransformAttrInterface: numbers and types of the transforms of examples.
#include "dialects/tfir/Tfir.h"

using namespace mlir;
using namespace graphc::tfir;

FailureOr<RankedTensorType>
graphc::tfir::imageType(RankedTensorType made,
                        function_ref<InFlightDiagnostic()> emitError) {
  Type element = made.getElementType();
  bool isImage = made.getRank() == 2 || made.getRank() == 3;
  if (isImage && (element.isF32() || element.isUnsignedInteger(8)))
    return made;
  return emitError() << "needs a field of u8 or f32 of height, width and "
                        "channels, but this one is "
                     << made;
}

/// An image of floats.
static FailureOr<RankedTensorType>
floatImage(RankedTensorType made,
           function_ref<InFlightDiagnostic()> emitError) {
  if (failed(imageType(made, emitError)))
    return failure();
  if (!made.getElementType().isF32())
    return emitError() << "makes floats, but the field is " << made
                       << "; declare it as f32";
  return made;
}

//===-- Crop --------------------------------------------------------------===//

LogicalResult
RandomCropAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                       int64_t pad, int64_t fromHeight, int64_t fromWidth) {
  constexpr int64_t kMost = 1 << 20;
  for (int64_t number : {pad, fromHeight, fromWidth}) // (C1)
    if (number < 0 || number > kMost)
      return emitError() << "pad, from_height and from_width of a crop are "
                            "from 0 to "
                         << kMost;
  return success();
}

SmallVector<double> RandomCropAttr::getNumbers() const {
  return {static_cast<double>(getPad()), static_cast<double>(getFromHeight()),
          static_cast<double>(getFromWidth())};
}

FailureOr<RankedTensorType> RandomCropAttr::getSourceType(
    RankedTensorType made, function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(imageType(made, emitError)))
    return failure();
  SmallVector<int64_t> shape(made.getShape());
  int64_t sizes[] = {getFromHeight(), getFromWidth()};
  for (int i = 0; i < 2; ++i) {
    if (sizes[i] > 0)
      shape[i] = sizes[i];
    if (shape[i] + 2 * getPad() < made.getDimSize(i))
      return emitError() << "cannot cut " << made << " out of an image with "
                         << (i == 0 ? "height " : "width ") << shape[i]
                         << " and " << getPad() << " of padding";
  }
  return made.clone(shape);
}

//===-- Brightness and contrast -------------------------------------------===//

LogicalResult
RandomBrightnessAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             StringAttr, Number maxDelta) {
  if (!(maxDelta >= 0)) // (C1)
    return emitError() << "max_delta of a brightness is negative";
  return success();
}

SmallVector<double> RandomBrightnessAttr::getNumbers() const {
  return {getMaxDelta()};
}

LogicalResult
RandomContrastAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           StringAttr, Number lower, Number upper) {
  if (!(lower >= 0) || !(lower < upper)) // (C1)
    return emitError() << "a contrast is drawn from lower to upper, of which "
                          "lower is at least 0 and upper is more";
  return success();
}

SmallVector<double> RandomContrastAttr::getNumbers() const {
  return {getLower(), getUpper()};
}

//===-- Standardization and conversion ------------------------------------===//

FailureOr<RankedTensorType> PerImageStandardizationAttr::getSourceType(
    RankedTensorType made, function_ref<InFlightDiagnostic()> emitError) const {
  return floatImage(made, emitError);
}

FailureOr<RankedTensorType> ConvertImageDtypeAttr::getSourceType(
    RankedTensorType made, function_ref<InFlightDiagnostic()> emitError) const {
  if (failed(floatImage(made, emitError)))
    return failure();
  return made.clone(IntegerType::get(getContext(), 8, IntegerType::Unsigned));
}
