// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products over the indices of a definition, and the indices of
// convolutions.
#ifndef GRAPHC_LIB_INTERPRETER_PRODUCTTERMS_H
#define GRAPHC_LIB_INTERPRETER_PRODUCTTERMS_H

#include "dialects/tfir/ops/windows/Windows.h"
#include "lib/interpreter/ElementMap.h"

#include <cmath>

namespace graphc::interpreter {

/// Terms of the sum that makes each element of a result.
class Products {
public:
  /// `kind` is that of the operands; a sum is rounded to 16 bits by who takes
  /// it.
  Products(llvm::ArrayRef<int64_t> shape, ElementKind kind = ElementKind::F32)
      : math(isHalf(kind) ? ElementKind::F32 : kind) {
    result.kind = isHalf(kind) ? ElementKind::F32 : kind;
    result.shape.assign(shape.begin(), shape.end());
    terms.resize(result.size());
  }

  void add(llvm::ArrayRef<int64_t> to, const Element &x, const Element &y) {
    terms[result.offset(to)].push_back(
        result.isFloat()
            ? math.mul(x, y)
            : Element::of(mul64(x.integer, y.integer), x.isKnown && y.isKnown));
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
      Element sum = result.isFloat() ? math.sum(list) : sumOfIntegers(list);
      result.elements.push_back(mayPad ? Element::anything(sum.value, sum.slope)
                                       : sum);
    }
    return std::move(result);
  }

private:
  Element sumOfIntegers(llvm::ArrayRef<Element> list) const {
    Element sum;
    for (const Element &term : list)
      sum = Element::of(add64(sum.integer, term.integer),
                        sum.isKnown && term.isKnown);
    return wrap(result.kind, sum);
  }

  FloatMath math;
  Tensor result;
  std::vector<std::vector<Element>> terms;
  bool mayPad = false;
};

using Index = llvm::ArrayRef<int64_t>;

inline Index shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// The indices of a convolution over any number of spatial dimensions: images
/// with channels last, filters [..., in, out] with the channels of one group as
/// `in`.
struct ConvolutionIndices {
  Index images, filter, output;
  tfir::WindowAttrs attrs;
  int64_t groups = 1;

  /// Calls `body` with the index of an image's pixel, of a filter's element and
  /// of an output's for each product of the definition.
  void forEachProduct(llvm::function_ref<void(Index, Index, Index)> body) const;
};

/// The convolution of images with a filter; `isFirst`: images and result have
/// their channels before the spatial dimensions.
Tensor convolved(const Tensor &images, const Tensor &filter, Index output,
                 const tfir::WindowAttrs &attrs, int64_t groups = 1,
                 bool isFirst = false);

/// A filter [..., channels, multiplier] as one of as many groups as channels.
Tensor groupedFilter(const Tensor &filter);

/// A tensor with its channels moved to the end, or from there to dimension 1.
Tensor withChannelsLast(const Tensor &tensor);
Tensor withChannelsFirst(const Tensor &tensor);

} // namespace graphc::interpreter

#endif
