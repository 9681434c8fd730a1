// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of convolutions beside tfir.conv2d, each by the indices of its
// own definition.
#include "dialects/tfir/ops/windows/TfirConvOps.h"
#include "lib/interpreter/ProductTerms.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

void ConvolutionIndices::forEachProduct(
    llvm::function_ref<void(Index, Index, Index)> body) const {
  unsigned dims = attrs.strides.size();
  int64_t in = filter[dims], out = output.back() / groups;
  SmallVector<int64_t> before;
  for (unsigned i = 0; i < dims; ++i)
    before.push_back(attrs.along(i, images[1 + i], filter[i]).padBefore);
  forEachIndex(output, [&](Index y) {
    forEachIndex(filter.drop_back(), [&](Index f) {
      SmallVector<int64_t, 6> pixel{y[0]};
      for (unsigned i = 0; i < dims; ++i) {
        int64_t at =
            y[1 + i] * attrs.strides[i] + f[i] * attrs.dilation(i) - before[i];
        if (at < 0 || at >= images[1 + i])
          return;
        pixel.push_back(at);
      }
      pixel.push_back(y.back() / out * in + f[dims]);
      SmallVector<int64_t, 6> element(f);
      element.push_back(y.back());
      body(pixel, element, y);
    });
  });
}

/// Dimension i of the result is dimension perm[i] of the tensor.
static Tensor transposed(const Tensor &tensor, ArrayRef<int64_t> perm) {
  Tensor result;
  result.kind = tensor.kind;
  for (int64_t dim : perm)
    result.shape.push_back(tensor.shape[dim]);
  forEachIndex(result.shape, [&](Index at) {
    SmallVector<int64_t, 6> from(at.size());
    for (auto [i, dim] : llvm::enumerate(perm))
      from[dim] = at[i];
    result.elements.push_back(tensor.at(from));
  });
  return result;
}

Tensor withChannelsLast(const Tensor &tensor) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  return transposed(tensor, perm);
}

Tensor withChannelsFirst(const Tensor &tensor) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return transposed(tensor, perm);
}

Tensor convolved(const Tensor &images, const Tensor &filter, Index output,
                 const WindowAttrs &attrs, int64_t groups, bool isFirst) {
  if (isFirst) {
    SmallVector<int64_t> shape(output);
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    return withChannelsFirst(
        convolved(withChannelsLast(images), filter, shape, attrs, groups));
  }
  Products products(output, images.kind);
  ConvolutionIndices{images.shape, filter.shape, output, attrs, groups}
      .forEachProduct([&](Index image, Index element, Index out) {
        products.add(out, images.at(image), filter.at(element));
      });
  products.allowPadding(images, filter);
  return products.take();
}

Tensor groupedFilter(const Tensor &filter) {
  Tensor result = filter;
  size_t rank = filter.shape.size();
  result.shape[rank - 1] = filter.shape[rank - 2] * filter.shape[rank - 1];
  result.shape[rank - 2] = 1;
  return result;
}

namespace {

LogicalResult depthwise(DepthwiseConv2DOp op, Frame &frame) {
  const Tensor &filter = frame.get(op.getFilter());
  frame.set(op.getOutput(),
            convolved(frame.get(op.getInput()), groupedFilter(filter),
                      shapeOf(op.getOutput()), WindowAttrs::dilatedOf(op),
                      filter.shape[2], op.getDataFormat() == "NCHW"));
  return success();
}

LogicalResult depthwiseByInput(DepthwiseConv2DBackpropInputOp op,
                               Frame &frame) {
  int64_t groups = shapeOf(op.getFilter())[2];
  Tensor f = groupedFilter(frame.get(op.getFilter()));
  const Tensor &g = frame.get(op.getOutBackprop());
  Products products(shapeOf(op.getOutput()));
  ConvolutionIndices{shapeOf(op.getOutput()), f.shape, g.shape,
                     WindowAttrs::dilatedOf(op), groups}
      .forEachProduct([&](Index image, Index filter, Index out) {
        products.add(image, f.at(filter), g.at(out));
      });
  products.allowPadding(f, g);
  frame.set(op.getOutput(), products.take());
  return success();
}

/// The gradient by a filter of the type of `result`, whose last dimensions are
/// those of a filter; by image if there is one more.
template <typename Op> LogicalResult depthwiseByFilter(Op op, Frame &frame) {
  const Tensor &x = frame.get(op.getInput());
  const Tensor &g = frame.get(op.getOutBackprop());
  Index shape = shapeOf(op.getOutput());
  bool isByImage = shape.size() == 5;
  Index filter = shape.take_back(4);
  int64_t grouped[] = {filter[0], filter[1], 1, filter[2] * filter[3]};
  Products products(shape);
  ConvolutionIndices{x.shape, grouped, g.shape, WindowAttrs::dilatedOf(op),
                     filter[2]}
      .forEachProduct([&](Index image, Index element, Index out) {
        SmallVector<int64_t> to{element[0], element[1], element[3] / filter[3],
                                element[3] % filter[3]};
        if (isByImage)
          to.insert(to.begin(), image[0]);
        products.add(to, x.at(image), g.at(out));
      });
  products.allowPadding(x, g);
  frame.set(op.getOutput(), products.take());
  return success();
}

LogicalResult separable(SeparableConv2DOp op, Frame &frame) {
  bool isFirst = op.getDataFormat() == "NCHW";
  const Tensor &filter = frame.get(op.getDepthwiseFilter());
  const Tensor &pointwise = frame.get(op.getPointwiseFilter());
  SmallVector<int64_t> shape(shapeOf(op.getOutput()));
  shape[isFirst ? 1 : 3] = pointwise.shape[2];
  Tensor deep =
      convolved(frame.get(op.getInput()), groupedFilter(filter), shape,
                WindowAttrs::dilatedOf(op), filter.shape[2], isFirst);
  frame.set(op.getOutput(), convolved(deep, pointwise, shapeOf(op.getOutput()),
                                      {{1, 1}, "VALID", {}}, 1, isFirst));
  return success();
}

LogicalResult atrous(AtrousConv2DOp op, Frame &frame) {
  int64_t rate = op.getRate();
  frame.set(
      op.getOutput(),
      convolved(
          frame.get(op.getInput()), frame.get(op.getFilter()),
          shapeOf(op.getOutput()),
          {{1, 1}, op.getPadding(), op.getExplicitPaddings(), {rate, rate}}));
  return success();
}

template <typename Op>
LogicalResult transposeConv(Op op, Frame &frame, const WindowAttrs &attrs) {
  bool isFirst = op.getDataFormat().starts_with("NC");
  const Tensor &f = frame.get(op.getFilter());
  Tensor g = frame.get(op.getInput());
  SmallVector<int64_t> shape(shapeOf(op.getOutput()));
  if (isFirst) {
    g = withChannelsLast(g);
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  }
  Products products(shape, g.kind);
  ConvolutionIndices{shape, f.shape, g.shape, attrs,
                     static_cast<int64_t>(op.getGroups())}
      .forEachProduct([&](Index image, Index filter, Index out) {
        products.add(image, f.at(filter), g.at(out));
      });
  products.allowPadding(f, g);
  Tensor result = products.take();
  frame.set(op.getOutput(),
            isFirst ? withChannelsFirst(result) : std::move(result));
  return success();
}

LogicalResult conv1dTranspose(Conv1DTransposeOp op, Frame &frame) {
  int64_t stride = op.getStride(), dilation = op.getDilation();
  return transposeConv(
      op, frame, {stride, op.getPadding(), op.getExplicitPaddings(), dilation});
}

LogicalResult conv2dTranspose(Conv2DTransposeOp op, Frame &frame) {
  return transposeConv(op, frame, WindowAttrs::dilatedOf(op));
}

LogicalResult conv3dTranspose(Conv3DTransposeOp op, Frame &frame) {
  return transposeConv(op, frame, WindowAttrs::dilatedOf(op));
}

LogicalResult conv1d(Conv1DOp op, Frame &frame) {
  int64_t stride = op.getStride(), dilation = op.getDilation();
  frame.set(
      op.getOutput(),
      convolved(frame.get(op.getInput()), frame.get(op.getFilter()),
                shapeOf(op.getOutput()),
                {stride, op.getPadding(), op.getExplicitPaddings(), dilation},
                op.getGroups(), op.getDataFormat() == "NCW"));
  return success();
}

LogicalResult conv3d(Conv3DOp op, Frame &frame) {
  frame.set(op.getOutput(),
            convolved(frame.get(op.getInput()), frame.get(op.getFilter()),
                      shapeOf(op.getOutput()), WindowAttrs::dilatedOf(op),
                      op.getGroups(), op.getDataFormat() == "NCDHW"));
  return success();
}

} // namespace

void addConvOps(OpTable &table) {
  table.add<DepthwiseConv2DOp>(depthwise);
  table.add<DepthwiseConv2DBackpropInputOp>(depthwiseByInput);
  table.add<DepthwiseConv2DBackpropFilterOp>(
      depthwiseByFilter<DepthwiseConv2DBackpropFilterOp>);
  table.add<DepthwiseFilterPartialsOp>(
      depthwiseByFilter<DepthwiseFilterPartialsOp>);
  table.add<SeparableConv2DOp>(separable);
  table.add<AtrousConv2DOp>(atrous);
  table.add<Conv1DTransposeOp>(conv1dTranspose);
  table.add<Conv2DTransposeOp>(conv2dTranspose);
  table.add<Conv3DTransposeOp>(conv3dTranspose);
  table.add<Conv1DOp>(conv1d);
  table.add<Conv3DOp>(conv3d);
}

} // namespace graphc::interpreter
