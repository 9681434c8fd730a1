// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows over images, and the rearrangements of images and filters with which
// forms that have no kernel are written as those that have one.
#include "dialects/tfir/ops/windows/Windows.h"

#include "dialects/tfir/Tfir.h"

using namespace mlir;

namespace graphc::tfir {

Window WindowAttrs::along(unsigned i, int64_t in, int64_t kernel) const {
  int64_t reach = extent(i, kernel);
  if (!isExplicit())
    return windowOf(in, reach, strides[i], padding == "SAME");
  int64_t before = explicitPaddings[2 * i], after = explicitPaddings[2 * i + 1];
  return {windowOf(before + in + after, reach, strides[i], /*same=*/false).out,
          before};
}

bool WindowAttrs::isWide(ArrayRef<int64_t> kernel) const {
  for (auto [place, pad] : llvm::enumerate(explicitPaddings))
    if (pad >= extent(place / 2, kernel[place / 2]))
      return true;
  return false;
}

LogicalResult verifyNarrowPadding(Operation *op, const WindowAttrs &attrs,
                                  RankedTensorType filter) {
  if (!attrs.isWide(filter.getShape()))
    return success();
  return op->emitOpError() << "has explicit_paddings of "
                           << attrs.explicitPaddings
                           << " pixels, but a filter of type " << filter
                           << "; each must be less than the filter's size";
}

std::pair<int64_t, int64_t> WindowAttrs::pads(unsigned i, int64_t in,
                                              int64_t kernel) const {
  Window window = along(i, in, kernel);
  int64_t end = (window.out - 1) * strides[i] + extent(i, kernel);
  return {window.padBefore, std::max<int64_t>(end - window.padBefore - in, 0)};
}

FailureOr<int64_t> WindowAttrs::countPlaces(Operation *op, unsigned i,
                                            int64_t in, int64_t kernel,
                                            StringRef what) const {
  if (ShapedType::isDynamic(in) || ShapedType::isDynamic(kernel))
    return ShapedType::kDynamic;
  int64_t reach = 0;
  if (llvm::MulOverflow(kernel - 1, dilation(i), reach) ||
      reach >= std::numeric_limits<int64_t>::max() / 4)
    return op->emitOpError()
           << what << " of size " << kernel << " with dilation " << dilation(i)
           << " is too large; make one of them smaller";
  int64_t places = along(i, in, kernel).out;
  if (places >= 1)
    return places;
  InFlightDiagnostic error = op->emitOpError();
  error << what << " of size " << extent(i, kernel)
        << " does not fit into an image of size " << in;
  if (isExplicit())
    error << " with " << explicitPaddings[2 * i] << " and "
          << explicitPaddings[2 * i + 1] << " pixels of padding";
  return error;
}

LogicalResult verifyWindowAttrs(Operation *op, const WindowAttrs &attrs,
                                unsigned dims) {
  static constexpr StringRef counts[] = {"no", "one", "two", "three"};
  if (attrs.padding != "SAME" && attrs.padding != "VALID" &&
      attrs.padding != "EXPLICIT")
    return op->emitOpError()
           << "padding is '" << attrs.padding
           << "', expected \"SAME\" or \"VALID\", or \"EXPLICIT\" with "
              "explicit_paddings";
  auto isPositive = [](int64_t length) { return length >= 1; };
  if (attrs.strides.size() != dims || !llvm::all_of(attrs.strides, isPositive))
    return op->emitOpError() << "expects " << counts[dims]
                             << (dims == 1 ? " stride" : " strides") << " >= 1";
  if (!attrs.dilations.empty() && (attrs.dilations.size() != dims ||
                                   !llvm::all_of(attrs.dilations, isPositive)))
    return op->emitOpError()
           << "expects " << counts[dims]
           << (dims == 1 ? " dilation" : " dilations") << " >= 1";
  ArrayRef<int64_t> paddings = attrs.explicitPaddings;
  if (!attrs.isExplicit() && !paddings.empty())
    return op->emitOpError()
           << "has explicit_paddings, which padding '" << attrs.padding
           << "' does not use; make it \"EXPLICIT\"";
  if (attrs.isExplicit() &&
      (paddings.size() != 2 * dims ||
       llvm::any_of(paddings, [](int64_t pad) { return pad < 0; })))
    return op->emitOpError()
           << "has " << paddings.size() << " explicit_paddings, expected "
           << 2 * dims
           << " numbers >= 0: pixels before and after, for each dimension";
  return success(succeeded(verifyWindow(op, attrs.strides)) &&
                 succeeded(verifyWindow(op, attrs.dilations)) &&
                 succeeded(verifyWindow(op, paddings)));
}

LogicalResult verifyDataFormat(Operation *op, StringRef format, StringRef last,
                               StringRef first) {
  if (format == last || format == first)
    return success();
  return op->emitOpError() << "data_format is '" << format << "', expected \""
                           << last << "\" or \"" << first << "\"";
}

FailureOr<SmallVector<int64_t>>
convolutionShape(Operation *op, RankedTensorType input, RankedTensorType filter,
                 const WindowAttrs &attrs, unsigned dims, int64_t groups) {
  static constexpr StringRef kinds[] = {
      "", "sequences NWC and a filter WIO of rank 3",
      "images NHWC and a filter HWIO of rank 4",
      "volumes NDHWC and a filter DHWIO of rank 5"};
  if (input.getRank() != dims + 2 || filter.getRank() != dims + 2)
    return op->emitOpError()
           << "expects " << kinds[dims] << ", but the types are " << input
           << " and " << filter;
  int64_t channels = input.getDimSize(dims + 1);
  int64_t taken = filter.getDimSize(dims),
          results = filter.getDimSize(dims + 1);
  if (groups < 1 || (!ShapedType::isDynamic(channels) && channels % groups) ||
      (!ShapedType::isDynamic(results) && results % groups))
    return op->emitOpError()
           << "has " << groups << " groups, which do not divide the "
           << channels << " channels of the images and the " << results
           << " of the result; make groups a divisor of both";
  if (channels / groups != taken)
    return op->emitOpError()
           << "images have " << channels << " channels, but the filter takes "
           << taken
           << (groups == 1 ? "" : ", which is not the number of each group");
  if (failed(verifyWindowAttrs(op, attrs, dims)))
    return failure();
  SmallVector<int64_t> shape{input.getDimSize(0)};
  for (unsigned i = 0; i < dims; ++i) {
    FailureOr<int64_t> places = attrs.countPlaces(
        op, i, input.getDimSize(1 + i), filter.getDimSize(i), "a filter");
    if (failed(places))
      return failure();
    shape.push_back(*places);
  }
  shape.push_back(results);
  return shape;
}

FailureOr<SmallVector<int64_t>> depthwiseShape(Operation *op,
                                               RankedTensorType input,
                                               RankedTensorType filter,
                                               const WindowAttrs &attrs) {
  if (input.getRank() != 4 || filter.getRank() != 4)
    return op->emitOpError() << "expects images NHWC and a filter HWCM of rank "
                                "4, but the types are "
                             << input << " and " << filter;
  if (input.getDimSize(3) != filter.getDimSize(2))
    return op->emitOpError()
           << "images have " << input.getDimSize(3)
           << " channels, but the filter takes " << filter.getDimSize(2);
  if (failed(verifyWindowAttrs(op, attrs, 2)))
    return failure();
  int64_t channels = filter.getDimSize(2), each = filter.getDimSize(3);
  bool isKnown =
      !ShapedType::isDynamic(channels) && !ShapedType::isDynamic(each);
  SmallVector<int64_t> shape{input.getDimSize(0), 0, 0,
                             isKnown ? channels * each : ShapedType::kDynamic};
  for (int i = 0; i < 2; ++i) {
    FailureOr<int64_t> places = attrs.countPlaces(
        op, i, input.getDimSize(1 + i), filter.getDimSize(i), "a filter");
    if (failed(places))
      return failure();
    shape[1 + i] = *places;
  }
  return shape;
}

FailureOr<RankedTensorType> pooledType(Operation *op, RankedTensorType images,
                                       ArrayRef<int64_t> ksize,
                                       const WindowAttrs &attrs, unsigned dims,
                                       bool mayBeEmpty) {
  static constexpr StringRef kinds[] = {"", "sequences NWC of rank 3",
                                        "images NHWC of rank 4",
                                        "volumes NDHWC of rank 5"};
  static constexpr StringRef counts[] = {"", "one size and one stride",
                                         "two sizes and two strides",
                                         "three sizes and three strides"};
  if (images.getRank() != dims + 2)
    return op->emitOpError() << "expects " << kinds[dims] << ", not " << images;
  auto isPositive = [](int64_t length) { return length >= 1; };
  if (ksize.size() != dims || attrs.strides.size() != dims ||
      !llvm::all_of(ksize, isPositive) ||
      !llvm::all_of(attrs.strides, isPositive))
    return op->emitOpError() << "expects " << counts[dims] << " >= 1";
  if (failed(verifyWindowAttrs(op, attrs, dims)) ||
      failed(verifyWindow(op, ksize)))
    return failure();
  SmallVector<int64_t> shape(images.getShape());
  for (unsigned i = 0; i < dims; ++i) {
    if (attrs.isExplicit() && !mayBeEmpty &&
        std::max(attrs.explicitPaddings[2 * i],
                 attrs.explicitPaddings[2 * i + 1]) >= ksize[i])
      return op->emitOpError()
             << "has explicit_paddings of " << attrs.explicitPaddings[2 * i]
             << " and " << attrs.explicitPaddings[2 * i + 1]
             << " pixels, so that a window of size " << ksize[i]
             << " may have no pixel; make them less than ksize";
    FailureOr<int64_t> places =
        attrs.countPlaces(op, i, shape[1 + i], ksize[i], "a window");
    if (failed(places))
      return failure();
    shape[1 + i] = *places;
  }
  return images.clone(shape);
}

RankedTensorType channelsLast(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (shape.size() > 2)
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return type.clone(shape);
}

RankedTensorType channelsFirst(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (shape.size() > 2)
    std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  return type.clone(shape);
}

Value buildTranspose(OpBuilder &b, Location loc, Value x,
                     ArrayRef<int64_t> perm) {
  SmallVector<int64_t> shape;
  for (int64_t dim : perm)
    shape.push_back(tensorType(x).getDimSize(dim));
  return TransposeOp::create(b, loc, tensorType(x).clone(shape), x, perm);
}

Value buildChannelsLast(OpBuilder &b, Location loc, Value images) {
  auto perm =
      llvm::to_vector(llvm::seq<int64_t>(0, tensorType(images).getRank()));
  std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  return buildTranspose(b, loc, images, perm);
}

Value buildChannelsFirst(OpBuilder &b, Location loc, Value images) {
  auto perm =
      llvm::to_vector(llvm::seq<int64_t>(0, tensorType(images).getRank()));
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return buildTranspose(b, loc, images, perm);
}

Value buildReshape(OpBuilder &b, Location loc, Value x,
                   ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(x).clone(shape);
  if (type == x.getType())
    return x;
  return ReshapeOp::create(b, loc, type, x);
}

Value buildConcat(OpBuilder &b, Location loc, ArrayRef<Value> parts,
                  int64_t axis) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<int64_t> shape(tensorType(parts.front()).getShape());
  shape[axis] = 0;
  for (Value part : parts)
    shape[axis] += tensorType(part).getDimSize(axis);
  return ConcatOp::create(b, loc, tensorType(parts.front()).clone(shape),
                          ValueRange(parts), b.getI64IntegerAttr(axis));
}

/// Zeros of the type of `x`, but with `size` elements along `axis`.
static Value zerosLike(OpBuilder &b, Location loc, Value x, int64_t axis,
                       int64_t size) {
  SmallVector<int64_t> shape(tensorType(x).getShape());
  shape[axis] = size;
  return splat(b, loc, tensorType(x).clone(shape), 0);
}

Value buildZeroPadding(OpBuilder &b, Location loc, Value x, int64_t axis,
                       int64_t before, int64_t after) {
  SmallVector<Value> parts;
  if (before)
    parts.push_back(zerosLike(b, loc, x, axis, before));
  parts.push_back(x);
  if (after)
    parts.push_back(zerosLike(b, loc, x, axis, after));
  return buildConcat(b, loc, parts, axis);
}

Value buildSlice(OpBuilder &b, Location loc, Value x, int64_t axis,
                 int64_t begin, int64_t size) {
  SmallVector<int64_t> shape(tensorType(x).getShape());
  if (begin == 0 && size == shape[axis])
    return x;
  SmallVector<int64_t> begins(shape.size(), 0);
  begins[axis] = begin;
  shape[axis] = size;
  return SliceOp::create(b, loc, tensorType(x).clone(shape), x, begins, shape);
}

Value buildSpread(OpBuilder &b, Location loc, Value x, int64_t axis,
                  int64_t step) {
  if (step == 1)
    return x;
  SmallVector<int64_t> plain(tensorType(x).getShape());
  SmallVector<int64_t> split(plain);
  split.insert(split.begin() + axis + 1, 1);
  Value between = buildZeroPadding(b, loc, buildReshape(b, loc, x, split),
                                   axis + 1, 0, step - 1);
  int64_t size = plain[axis];
  plain[axis] = size * step;
  return buildSlice(b, loc, buildReshape(b, loc, between, plain), axis, 0,
                    (size - 1) * step + 1);
}

Value buildEvery(OpBuilder &b, Location loc, Value x, int64_t axis,
                 int64_t begin, int64_t count, int64_t step) {
  if (step == 1)
    return buildSlice(b, loc, x, axis, begin, count);
  // Rows of `step` elements, of which each first one is taken. The last row
  // may pass the end.
  int64_t size = tensorType(x).getDimSize(axis);
  int64_t end = begin + count * step;
  x = buildZeroPadding(b, loc, x, axis, 0, std::max<int64_t>(end - size, 0));
  x = buildSlice(b, loc, x, axis, begin, count * step);
  SmallVector<int64_t> shape(tensorType(x).getShape());
  shape[axis] = count;
  SmallVector<int64_t> split(shape);
  split.insert(split.begin() + axis + 1, step);
  x = buildSlice(b, loc, buildReshape(b, loc, x, split), axis + 1, 0, 1);
  return buildReshape(b, loc, x, shape);
}

SmallVector<int64_t> withHeight(ArrayRef<int64_t> shape, size_t axis) {
  SmallVector<int64_t> result(shape);
  result.insert(result.begin() + axis, 1);
  return result;
}

SmallVector<int64_t> paddingsWithHeight(ArrayRef<int64_t> explicitPaddings) {
  if (explicitPaddings.empty())
    return {};
  return {0, 0, explicitPaddings[0], explicitPaddings[1]};
}

Value buildGroups(
    OpBuilder &b, Location loc, Value images, Value filter,
    RankedTensorType type, int64_t groups,
    llvm::function_ref<Value(Value, Value, RankedTensorType)> convolve) {
  if (groups == 1)
    return convolve(images, filter, type);
  int64_t last = type.getRank() - 1;
  auto part = [&](Value x, int64_t group) {
    int64_t size = tensorType(x).getDimSize(last) / groups;
    return buildSlice(b, loc, x, last, group * size, size);
  };
  SmallVector<int64_t> shape(type.getShape());
  shape[last] /= groups;
  SmallVector<Value> parts;
  for (int64_t group = 0; group < groups; ++group)
    parts.push_back(
        convolve(part(images, group), part(filter, group), type.clone(shape)));
  return buildConcat(b, loc, parts, last);
}

} // namespace graphc::tfir
