// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of matrix products and convolutions, as sums of products over
// the indices of their definition.
#include "lib/interpreter/ProductTerms.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

LogicalResult matmul(MatMulOp op, Frame &frame) {
  const Tensor &a = frame.get(op.getA()), &b = frame.get(op.getB());
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  int64_t terms = a.shape[a.rank() - (ta ? 2 : 1)];
  Products products(op.getC().getType().getShape(), a.kind);
  // The element of an operand's matrix, for a place in the result.
  auto element = [](const Tensor &x, ArrayRef<int64_t> batch, int64_t row,
                    int64_t column) -> const Element & {
    SmallVector<int64_t> at;
    for (int64_t i = 0; i + 2 < x.rank(); ++i) {
      int64_t dim = i + static_cast<int64_t>(batch.size()) - (x.rank() - 2);
      at.push_back(x.shape[i] == 1 ? 0 : batch[dim]);
    }
    at.append({row, column});
    return x.at(at);
  };
  forEachIndex(op.getC().getType().getShape(), [&](ArrayRef<int64_t> at) {
    ArrayRef<int64_t> batch = at.drop_back(2);
    int64_t row = at[at.size() - 2], column = at.back();
    for (int64_t k = 0; k < terms; ++k)
      products.add(at, element(a, batch, ta ? k : row, ta ? row : k),
                   element(b, batch, tb ? column : k, tb ? k : column));
  });
  frame.set(op.getC(), products.take());
  return success();
}

LogicalResult convolve(Conv2DOp op, Frame &frame) {
  bool isFirst = op.getDataFormat() == "NCHW";
  frame.set(op.getOutput(),
            convolved(frame.get(op.getInput()), frame.get(op.getFilter()),
                      shapeOf(op.getOutput()), WindowAttrs::dilatedOf(op),
                      op.getGroups(), isFirst));
  return success();
}

LogicalResult backpropInput(Conv2DBackpropInputOp op, Frame &frame) {
  const Tensor &f = frame.get(op.getFilter());
  const Tensor &g = frame.get(op.getOutBackprop());
  Products products(shapeOf(op.getOutput()));
  ConvolutionIndices{shapeOf(op.getOutput()), shapeOf(op.getFilter()),
                     shapeOf(op.getOutBackprop()), WindowAttrs::of(op)}
      .forEachProduct([&](Index image, Index filter, Index out) {
        products.add(image, f.at(filter), g.at(out));
      });
  products.allowPadding(f, g);
  frame.set(op.getOutput(), products.take());
  return success();
}

LogicalResult backpropFilter(Conv2DBackpropFilterOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getInput());
  const Tensor &g = frame.get(op.getOutBackprop());
  Products products(shapeOf(op.getOutput()));
  ConvolutionIndices{shapeOf(op.getInput()), shapeOf(op.getOutput()),
                     shapeOf(op.getOutBackprop()), WindowAttrs::of(op)}
      .forEachProduct([&](Index image, Index filter, Index out) {
        products.add(filter, x.at(image), g.at(out));
      });
  products.allowPadding(x, g);
  frame.set(op.getOutput(), products.take());
  return success();
}

/// Flipped in both directions, channels exchanged.
LogicalResult prepareFilter(PrepareFilterOp op, Frame &frame) {
  const Tensor &f = frame.get(op.getFilter());
  Tensor tensor = Tensor::ofType(op.getPrepared().getType());
  forEachIndex(f.shape, [&](Index at) {
    tensor.at({f.shape[0] - 1 - at[0], f.shape[1] - 1 - at[1], at[3], at[2]}) =
        f.at(at);
  });
  frame.set(op.getPrepared(), std::move(tensor));
  return success();
}

LogicalResult preparedBackpropInput(Conv2DPreparedBackpropInputOp op,
                                    Frame &frame) {
  const Tensor &p = frame.get(op.getPrepared());
  const Tensor &g = frame.get(op.getOutBackprop());
  int64_t filter[] = {p.shape[0], p.shape[1], p.shape[3], p.shape[2]};
  Products products(shapeOf(op.getOutput()));
  ConvolutionIndices{shapeOf(op.getOutput()), filter,
                     shapeOf(op.getOutBackprop()), WindowAttrs::of(op)}
      .forEachProduct([&](Index image, Index at, Index out) {
        products.add(image,
                     p.at({p.shape[0] - 1 - at[0], p.shape[1] - 1 - at[1],
                           at[3], at[2]}),
                     g.at(out));
      });
  products.allowPadding(p, g);
  frame.set(op.getOutput(), products.take());
  return success();
}

/// Only the sum of the parts is specified.
LogicalResult filterPartials(Conv2DFilterPartialsOp op, Frame &) {
  return op.emitOpError()
         << "is made when lowering, and which part belongs to which images is "
            "not specified; interpret the module at phase 'partitioned' or "
            "before";
}

} // namespace

void addProductOps(OpTable &table) {
  table.add<MatMulOp>(matmul);
  table.add<Conv2DOp>(convolve);
  table.add<Conv2DBackpropInputOp>(backpropInput);
  table.add<Conv2DBackpropFilterOp>(backpropFilter);
  table.add<PrepareFilterOp>(prepareFilter);
  table.add<Conv2DPreparedBackpropInputOp>(preparedBackpropInput);
  table.add<Conv2DFilterPartialsOp>(filterPartials);
}

} // namespace graphc::interpreter
