// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of matrix products and convolutions, as sums of products over
// the indices of their definition.
#include "dialects/tfir/Support.h"
#include "lib/interpreter/Frame.h"

#include <cmath>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// Terms of the sum that makes each element of a result.
class Products {
public:
  Products(ArrayRef<int64_t> shape) {
    result.kind = ElementKind::F32;
    result.shape.assign(shape.begin(), shape.end());
    terms.resize(result.size());
  }

  void add(ArrayRef<int64_t> to, const Element &x, const Element &y) {
    terms[result.offset(to)].push_back(math.mul(x, y));
  }

  /// Code that pads with zeros multiplies them: with a NaN or an infinity that
  /// makes a NaN where the definition has no product at all.
  void allowPadding(const Tensor &x, const Tensor &y) {
    auto isOdd = [](const Element &element) {
      return !std::isfinite(element.low) || !std::isfinite(element.high);
    };
    mayPad |=
        llvm::any_of(x.elements, isOdd) || llvm::any_of(y.elements, isOdd);
  }

  Tensor take() {
    result.elements.clear();
    for (const std::vector<Element> &list : terms) {
      Element sum = math.sum(list);
      result.elements.push_back(mayPad ? Element::anything(sum.value, sum.slope)
                                       : sum);
    }
    return std::move(result);
  }

private:
  FloatMath math{ElementKind::F32};
  Tensor result;
  std::vector<std::vector<Element>> terms;
  bool mayPad = false;
};

LogicalResult matmul(MatMulOp op, Frame &frame) {
  const Tensor &a = frame.get(op.getA()), &b = frame.get(op.getB());
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  int64_t terms = a.shape[a.rank() - (ta ? 2 : 1)];
  Products products(op.getC().getType().getShape());
  // Where each operand has the element of a matrix, for a place in the result.
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

/// The indices of a convolution: images NHWC, filters HWIO.
struct Convolution {
  ArrayRef<int64_t> images, filter, output, strides;
  bool isSame;

  /// Calls `body` with the index of an image's pixel, of a filter's element and
  /// of an output's for each product of the definition.
  void forEachProduct(function_ref<void(ArrayRef<int64_t>, ArrayRef<int64_t>,
                                        ArrayRef<int64_t>)>
                          body) const {
    int64_t top = windowOf(images[1], filter[0], strides[0], isSame).padBefore;
    int64_t left = windowOf(images[2], filter[1], strides[1], isSame).padBefore;
    forEachIndex(output, [&](ArrayRef<int64_t> out) {
      forEachIndex(filter.drop_back(), [&](ArrayRef<int64_t> f) {
        int64_t h = out[1] * strides[0] + f[0] - top;
        int64_t w = out[2] * strides[1] + f[1] - left;
        if (h >= 0 && h < images[1] && w >= 0 && w < images[2])
          body({out[0], h, w, f[2]}, {f[0], f[1], f[2], out[3]}, out);
      });
    });
  }
};

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

using Index = ArrayRef<int64_t>;

LogicalResult convolve(Conv2DOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getInput()), &f = frame.get(op.getFilter());
  Products products(shapeOf(op.getOutput()));
  Convolution{shapeOf(op.getInput()), shapeOf(op.getFilter()),
              shapeOf(op.getOutput()), op.getStrides(),
              op.getPadding() == "SAME"}
      .forEachProduct([&](Index image, Index filter, Index out) {
        products.add(out, x.at(image), f.at(filter));
      });
  products.allowPadding(x, f);
  frame.set(op.getOutput(), products.take());
  return success();
}

LogicalResult backpropInput(Conv2DBackpropInputOp op, Frame &frame) {
  const Tensor &f = frame.get(op.getFilter());
  const Tensor &g = frame.get(op.getOutBackprop());
  Products products(shapeOf(op.getOutput()));
  Convolution{shapeOf(op.getOutput()), shapeOf(op.getFilter()),
              shapeOf(op.getOutBackprop()), op.getStrides(),
              op.getPadding() == "SAME"}
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
  Convolution{shapeOf(op.getInput()), shapeOf(op.getOutput()),
              shapeOf(op.getOutBackprop()), op.getStrides(),
              op.getPadding() == "SAME"}
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
  Convolution{shapeOf(op.getOutput()), filter, shapeOf(op.getOutBackprop()),
              op.getStrides(), op.getPadding() == "SAME"}
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
