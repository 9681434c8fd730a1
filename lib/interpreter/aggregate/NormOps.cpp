// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of normalisations.
#include "dialects/tfir/ops/aggregate/TfirNormOps.h"
#include "lib/interpreter/aggregate/TensorMath.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

SmallVector<int64_t> axesBetween(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

/// Moments over axes, and arithmetic with what broadcasts to x.
struct Normalizer {
  const Tensor &x;
  SmallVector<int64_t> axes;
  TensorMath math{x.kind};
  Tensor mean = math.reduce(x, axes, [&](Row row) { return math.mean(row); });
  Tensor variance =
      math.reduce(x, axes, [&](Row row) { return math.variance(row); });

  /// (x - mean) / sqrt(variance + epsilon) * scale + offset
  Tensor apply(const Tensor &scale, const Tensor &offset, APFloat epsilon) {
    return applyGiven(math, x, mean, variance, scale, offset, epsilon);
  }
  static Tensor applyGiven(const TensorMath &math, const Tensor &x,
                           const Tensor &mean, const Tensor &variance,
                           const Tensor &scale, const Tensor &offset,
                           APFloat epsilon) {
    Element least = math.round(number(epsilon.convertToDouble()), 1);
    return math.map(
        x.shape, {&x, &mean, &variance, &scale, &offset}, [&](Row row) {
          Element inverse = math.rsqrt(math.add(row[2], least));
          Element y = math.mul(math.sub(row[0], row[1]), inverse);
          // One more rounding where the factors are multiplied first.
          return math.add(math.round(math.mul(y, row[3]), 1, true), row[4]);
        });
  }
};

template <typename Op> SmallVector<int64_t> axesFrom(Op op, const Tensor &x) {
  int64_t begin = op.getBeginAxis();
  return axesBetween(begin < 0 ? begin + x.rank() : begin, x.rank());
}

template <typename Op>
LogicalResult normalize(Op op, Frame &frame, SmallVector<int64_t> axes) {
  Normalizer n{frame.get(op.getX()), std::move(axes)};
  frame.set(op.getY(), n.apply(frame.get(op.getScale()),
                               frame.get(op.getOffset()), op.getEpsilon()));
  return success();
}

LogicalResult momentsOf(MomentsOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  Normalizer n{x, axesFromZero(op.getAxes(), x.rank())};
  setReshaped(frame, op.getMean(), n.mean);
  setReshaped(frame, op.getVariance(), n.variance);
  return success();
}

LogicalResult rmsNorm(RmsNormOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  TensorMath math(x.kind);
  Element least = math.round(number(op.getEpsilon().convertToDouble()), 1);
  Tensor inverse = math.reduce(x, axesFrom(op, x), [&](Row row) {
    std::vector<Element> squares;
    for (const Element &element : row)
      squares.push_back(math.square(element));
    return math.rsqrt(math.add(math.mean(squares), least));
  });
  frame.set(op.getY(),
            math.map(x.shape, {&x, &inverse, &frame.get(op.getScale())},
                     [&](Row row) {
                       return math.mul(math.mul(row[0], row[1]), row[2]);
                     }));
  return success();
}

/// [groups, channels / groups], as the channels of a group are neighbours.
Tensor grouped(Tensor tensor, std::vector<int64_t> shape) {
  tensor.shape = std::move(shape);
  return tensor;
}

LogicalResult groupNorm(GroupNormOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  int64_t groups = static_cast<int64_t>(op.getGroups());
  int64_t own = x.shape.back() / groups;
  int64_t places = std::accumulate(x.shape.begin() + 1, x.shape.end() - 1,
                                   int64_t(1), std::multiplies<int64_t>());
  Tensor split = grouped(x, {x.shape.front(), places, groups, own});
  Normalizer n{split, {1, 3}};
  setReshaped(frame, op.getY(),
              n.apply(grouped(frame.get(op.getScale()), {groups, own}),
                      grouped(frame.get(op.getOffset()), {groups, own}),
                      op.getEpsilon()));
  return success();
}

LogicalResult fusedBatchNorm(FusedBatchNormOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  Normalizer n{x, axesBetween(0, x.rank() - 1)};
  frame.set(op.getY(), n.apply(frame.get(op.getScale()),
                               frame.get(op.getOffset()), op.getEpsilon()));
  setReshaped(frame, op.getBatchMean(), n.mean);
  double count = n.mean.size() ? static_cast<double>(x.size()) /
                                     static_cast<double>(n.mean.size())
                               : 0;
  Element bessel = n.math.round(number(count > 1 ? count / (count - 1) : 1));
  for (Element &element : n.variance.elements)
    element = n.math.mul(element, bessel);
  setReshaped(frame, op.getBatchVariance(), n.variance);
  return success();
}

LogicalResult batchNormalization(BatchNormalizationOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  frame.set(op.getY(),
            Normalizer::applyGiven(
                TensorMath(x.kind), x, frame.get(op.getMean()),
                frame.get(op.getVariance()), frame.get(op.getScale()),
                frame.get(op.getOffset()), op.getVarianceEpsilon()));
  return success();
}

LogicalResult lrn(LrnOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  TensorMath math(x.kind);
  auto radius = static_cast<int64_t>(op.getDepthRadius());
  auto constant = [&](APFloat value) {
    return math.round(number(value.convertToDouble()));
  };
  Element bias = constant(op.getBias()), alpha = constant(op.getAlpha());
  Element power = math.neg(constant(op.getBeta()));
  frame.set(op.getY(), math.replace(x, {x.rank() - 1}, [&](Row row) {
    std::vector<Element> result;
    auto count = static_cast<int64_t>(row.size());
    for (int64_t i = 0; i < count; ++i) {
      int64_t begin = std::max<int64_t>(i - radius, 0);
      int64_t end = std::min(i + radius + 1, count);
      // Perhaps by the mean, times the number.
      Element sum =
          math.round(math.sumOfSquares(row.slice(begin, end - begin)), 3);
      Element base = math.add(math.mul(sum, alpha), bias);
      result.push_back(math.mul(row[i], math.pow(base, power)));
    }
    return result;
  }));
  return success();
}

} // namespace

void addNormOps(OpTable &table) {
  table.add<MomentsOp>(momentsOf);
  table.add<LayerNormOp>([](LayerNormOp op, Frame &frame) {
    return normalize(op, frame, axesFrom(op, frame.get(op.getX())));
  });
  table.add<RmsNormOp>(rmsNorm);
  table.add<GroupNormOp>(groupNorm);
  table.add<InstanceNormOp>([](InstanceNormOp op, Frame &frame) {
    return normalize(op, frame,
                     axesBetween(1, frame.get(op.getX()).rank() - 1));
  });
  table.add<FusedBatchNormOp>(fusedBatchNorm);
  table.add<BatchNormalizationOp>(batchNormalization);
  table.add<LrnOp>(lrn);
}

} // namespace graphc::interpreter
