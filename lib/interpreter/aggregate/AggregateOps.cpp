// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of products, variances, norms, sums along an axis.
#include "dialects/tfir/ops/aggregate/TfirReductionOps.h"
#include "lib/interpreter/ElementMap.h"
#include "lib/interpreter/aggregate/TensorMath.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// `function` gets the op, the arithmetic of its operand and a group.
template <typename Op, typename Function>
void addReduce(OpTable &table, Function function) {
  table.add<Op>([=](Op op, Frame &frame) {
    const Tensor &x = frame.get(op.getX());
    TensorMath math(x.kind);
    Tensor y = math.reduce(x, axesFromZero(op.getAxes(), x.rank()),
                           [&](Row row) { return function(op, math, row); });
    setReshaped(frame, op.getY(), std::move(y));
    return success();
  });
}

Element logSumExp(const TensorMath &math, Row row) {
  Element shift = math.shiftOf(row);
  std::vector<Element> terms;
  for (const Element &x : row)
    terms.push_back(math.exp(math.sub(x, shift)));
  return math.add(math.log(math.sum(terms)), shift);
}

/// Counts the elements that are not 0; unknown where rounding decides.
Element countNonzero(ElementKind kind, Row row) {
  Element count = Element::of(0);
  for (const Element &x : row) {
    Truth isZero =
        isFloat(kind) ? equal(x, number(0)) : Truth{x.integer == 0, x.isKnown};
    count = Element::of(count.integer + !isZero.value,
                        count.isKnown && isZero.isKnown);
  }
  return count;
}

Element normOf(double ord, const TensorMath &math, Row row) {
  if (ord == 2)
    return math.root(math.sumOfSquares(row));
  std::vector<Element> sizes, terms;
  Element largest = number(0);
  for (const Element &x : row) {
    Element size = math.abs(x);
    sizes.push_back(size);
    terms.push_back(ord == 1 ? size : math.pow(size, number(ord)));
    largest = math.max(size, largest);
  }
  if (!std::isinf(ord))
    return ord == 1 ? math.sum(terms) : math.root(math.sum(terms), ord);
  largest.slope = slopeOfTies(sizes, largest.value);
  return largest;
}

LogicalResult argMin(ArgMinOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  int64_t axis = static_cast<int64_t>(op.getAxis());
  auto axes = axesFromZero(ArrayRef<int64_t>(axis), x.rank());
  Tensor places = TensorMath(x.kind).reduce(x, axes, [&](Row row) {
    size_t best = 0;
    bool isKnown = true;
    for (size_t i = 0; i < row.size(); ++i)
      if (x.isFloat() ? row[i].value < row[best].value
                      : row[i].integer < row[best].integer)
        best = i;
    for (size_t i = 0; i < row.size(); ++i) {
      isKnown &= x.isFloat() ? !std::isnan(row[i].value) : row[i].isKnown;
      if (x.isFloat() && i != best)
        isKnown &= less(row[best], row[i]).isKnown;
    }
    return Element::of(static_cast<int64_t>(best), isKnown);
  });
  setReshaped(frame, op.getY(), std::move(places));
  return success();
}

Element sumOf(const TensorMath &math, ElementKind kind, Row row) {
  if (isFloat(kind))
    return math.sum(row);
  Element sum = Element::of(0);
  for (const Element &x : row)
    sum = wrap(kind, Element::of(add64(sum.integer, x.integer),
                                 sum.isKnown && x.isKnown));
  return sum;
}

Element productOf(const TensorMath &math, ElementKind kind, Row row) {
  if (isFloat(kind))
    return math.product(row);
  Element product = Element::of(1);
  for (const Element &x : row)
    product = wrap(kind, Element::of(mul64(product.integer, x.integer),
                                     product.isKnown && x.isKnown));
  return product;
}

/// `combine` gets the elements that one of the result is made of.
template <typename Op, typename Function>
void addScan(OpTable &table, Function combine) {
  table.add<Op>([=](Op op, Frame &frame) {
    const Tensor &x = frame.get(op.getX());
    int64_t axis = static_cast<int64_t>(op.getAxis());
    auto axes = axesFromZero(ArrayRef<int64_t>(axis), x.rank());
    TensorMath math(x.kind);
    frame.set(op.getY(), math.replace(x, axes, [&](Row row) {
      std::vector<Element> result;
      size_t count = row.size();
      for (size_t i = 0; i < count; ++i) {
        size_t own = op.getExclusive() ? 0 : 1;
        result.push_back(combine(math, x.kind,
                                 op.getReverse() ? row.drop_front(i + 1 - own)
                                                 : row.take_front(i + own)));
      }
      return result;
    }));
    return success();
  });
}

template <typename Op> void addSoftmax(OpTable &table, bool isLog) {
  table.add<Op>([=](Op op, Frame &frame) {
    const Tensor &x = frame.get(op.getLogits());
    int64_t axis = op.getAxis();
    auto axes = axesFromZero(ArrayRef<int64_t>(axis), x.rank());
    TensorMath math(x.kind);
    frame.set(op.getOutput(), math.replace(x, axes, [&](Row row) {
      // Without the largest, or with an infinite one, all is NaN.
      Element largest = number(-std::numeric_limits<double>::infinity());
      for (const Element &logit : row)
        largest = math.max(largest, logit);
      largest.slope = 0;
      std::vector<Element> shifted, exponentials, result;
      for (const Element &logit : row) {
        shifted.push_back(math.sub(logit, largest));
        exponentials.push_back(math.exp(shifted.back()));
      }
      Element sum = math.sum(exponentials);
      for (size_t i = 0; i < row.size(); ++i)
        result.push_back(isLog ? math.sub(shifted[i], math.log(sum))
                               : math.div(exponentials[i], sum));
      return result;
    }));
    return success();
  });
}

/// `function` gets the op, the arithmetic of x and one group of it.
template <typename Op, typename Function>
void addReplace(OpTable &table, Function function) {
  table.add<Op>([=](Op op, Frame &frame) {
    const Tensor &x = frame.get(op.getX());
    TensorMath math(x.kind);
    frame.set(
        op.getY(),
        math.replace(x, axesFromZero(op.getAxes(), x.rank()), [&](Row row) {
          std::vector<Element> result;
          Element factor = function(op, frame, math, row);
          for (const Element &element : row)
            result.push_back(math.mul(element, factor));
          return result;
        }));
    return success();
  });
}

Element clipFactor(ClipByNormOp op, Frame &frame, const TensorMath &math,
                   Row row) {
  const Element &most = frame.get(op.getClipNorm()).elements[0];
  Element norm = math.root(math.sumOfSquares(row));
  // The product with the bound comes first, and is rounded.
  return math.round(math.div(most, math.max(norm, most)), 1, true);
}

Element normalizeFactor(L2NormalizeOp op, Frame &, const TensorMath &math,
                        Row row) {
  Element least = math.round(number(op.getEpsilon().convertToDouble()), 1);
  return math.rsqrt(math.max(math.sumOfSquares(row), least));
}

Element globalNorm(ValueRange list, Frame &frame, const TensorMath &math) {
  std::vector<Element> elements;
  for (Value value : list)
    llvm::append_range(elements, frame.get(value).elements);
  return math.root(math.sumOfSquares(elements));
}

LogicalResult globalNormOf(GlobalNormOp op, Frame &frame) {
  TensorMath math(operandKind(op));
  frame.setElements(op.getNorm(), {globalNorm(op.getTList(), frame, math)});
  return success();
}

LogicalResult clipByGlobalNorm(ClipByGlobalNormOp op, Frame &frame) {
  TensorMath math(operandKind(op));
  Element norm = globalNorm(op.getTList(), frame, math);
  const Element &most = frame.get(op.getClipNorm()).elements[0];
  Element factor = math.div(most, math.max(norm, most));
  if (!std::isfinite(norm.value))
    factor = number(std::numeric_limits<double>::quiet_NaN());
  for (auto [value, result] :
       llvm::zip_first(op.getTList(), op.getListClipped())) {
    Tensor clipped = frame.get(value);
    for (Element &element : clipped.elements)
      element = math.mul(element, factor);
    frame.set(result, std::move(clipped));
  }
  return success();
}

using M = TensorMath;

} // namespace

void addAggregateOps(OpTable &table) {
  addReduce<ProdOp>(table, [](ProdOp op, const M &math, Row row) {
    return productOf(math, operandKind(op), row);
  });
  addReduce<VarianceOp>(table, [](VarianceOp, const M &math, Row row) {
    return math.variance(row);
  });
  addReduce<StdOp>(table, [](StdOp, const M &math, Row row) {
    return math.root(math.variance(row));
  });
  addReduce<LogsumexpOp>(table, [](LogsumexpOp, const M &math, Row row) {
    return logSumExp(math, row);
  });
  addReduce<AnyOp>(table, [](AnyOp, const M &, Row row) {
    Element count = countNonzero(ElementKind::Bool, row);
    return Element::of(count.integer != 0, count.isKnown);
  });
  addReduce<AllOp>(table, [](AllOp, const M &, Row row) {
    Element count = countNonzero(ElementKind::Bool, row);
    bool areAll = count.integer == static_cast<int64_t>(row.size());
    return Element::of(areAll, count.isKnown);
  });
  addReduce<CountNonzeroOp>(table, [](CountNonzeroOp op, const M &, Row row) {
    return countNonzero(operandKind(op), row);
  });
  addReduce<NormOp>(table, [](NormOp op, const M &math, Row row) {
    return normOf(op.getOrd().convertToDouble(), math, row);
  });
  table.add<ArgMinOp>(argMin);
  addScan<CumsumOp>(table, sumOf);
  addScan<CumprodOp>(table, productOf);
  addSoftmax<SoftmaxAxisOp>(table, /*isLog=*/false);
  addSoftmax<LogSoftmaxAxisOp>(table, /*isLog=*/true);
  addReplace<ClipByNormOp>(table, clipFactor);
  addReplace<L2NormalizeOp>(table, normalizeFactor);
  table.add<GlobalNormOp>(globalNormOf);
  table.add<ClipByGlobalNormOp>(clipByGlobalNorm);
}

} // namespace graphc::interpreter
