// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of losses and of parts of metrics.
#include "dialects/tfir/ops/aggregate/TfirLossOps.h"
#include "lib/interpreter/aggregate/TensorMath.h"

#include <cmath>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using M = TensorMath;

Element rest(const M &math, const Element &x) { return math.sub(number(1), x); }

/// A constant of an op as a float of f32 has it.
Element constant(const M &math, APFloat value) {
  return math.round(number(value.convertToDouble()), 1, true);
}

/// Losses times weights, reduced: of compute_weighted_loss and all that have
/// its attributes.
template <typename Op>
LogicalResult setLoss(Op op, Frame &frame, Tensor losses) {
  M math(losses.kind);
  Tensor weights;
  weights.kind = losses.kind;
  weights.elements = {number(1)};
  if (op.getWeights())
    weights = frame.get(op.getWeights());
  Tensor all = math.map(losses.shape, {&weights}, [](Row w) { return w[0]; });
  Tensor own = math.map(losses.shape, {&losses, &weights}, [&](Row x) {
    return op.getWeights() ? math.mul(x[0], x[1]) : x[0];
  });
  StringRef reduction = op.getReduction();
  if (reduction == "none") {
    frame.set(op.getLoss(), std::move(own));
    return success();
  }
  Element total = math.sum(own.elements);
  Element divisor = number(static_cast<double>(all.size()));
  if (reduction == "sum")
    divisor = number(1);
  if (op.getWeights() && reduction == "mean")
    divisor = math.round(math.sum(all.elements), 1);
  if (op.getWeights() && reduction == "sum_by_nonzero_weights") {
    double count = 0;
    bool isKnown = true;
    for (const Element &weight : all.elements) {
      Truth isZero = equal(weight, number(0));
      count += !isZero.value;
      isKnown &= isZero.isKnown;
    }
    divisor = isKnown ? number(count) : Element::anything(count);
  }
  Element loss = number(0);
  if (divisor.value != 0) // perhaps by the reciprocal
    loss = reduction == "sum" ? total : math.round(math.div(total, divisor), 2);
  frame.setElements(op.getLoss(), {loss});
  return success();
}

/// `function` gives the loss of a label and a prediction.
template <typename Op, typename Function>
void addLoss(OpTable &table, Function function) {
  table.add<Op>([=](Op op, Frame &frame) {
    const Tensor &labels = frame.get(op.getLabels());
    const Tensor &predictions = frame.get(op.getPredictions());
    M math(labels.kind);
    return setLoss(op, frame,
                   math.map(labels.shape, {&labels, &predictions}, [&](Row x) {
                     return function(op, math, x[0], x[1]);
                   }));
  });
}

/// Half the square of a small difference, linear beyond.
Element huber(const M &math, const Element &z, const Element &p, APFloat from) {
  Element delta = constant(math, from), size = math.abs(math.sub(p, z));
  Element near = math.min(size, delta), far = math.sub(size, near);
  return math.add(math.mul(math.square(near), number(0.5)),
                  math.mul(far, delta));
}

Element logOf(const M &math, const Element &x, APFloat epsilon) {
  return math.log(math.add(x, constant(math, epsilon)));
}

Element hinge(const M &math, const Element &z, const Element &p) {
  Element sign = math.sub(math.mul(z, number(2)), number(1));
  return math.relu(rest(math, math.mul(sign, p)));
}

/// Sums `function` of pairs along an axis, whose size becomes 1.
template <typename Op>
Tensor sumPairs(Op op, Frame &frame, int64_t axis,
                function_ref<Element(const M &, Row)> function) {
  const Tensor &z = frame.get(op.getLabels());
  const Tensor &p = frame.get(op.getPredictions());
  M math(z.kind);
  Tensor terms =
      math.map(z.shape, {&z, &p}, [&](Row x) { return function(math, x); });
  return math.reduce(terms, {axis < 0 ? axis + z.rank() : axis},
                     [&](Row row) { return math.sum(row); });
}

LogicalResult klDivergence(KlDivergenceOp op, Frame &frame) {
  Tensor losses = sumPairs(op, frame, -1, [&](const M &math, Row x) {
    Element least = constant(math, op.getEpsilon());
    auto clipped = [&](const Element &v) {
      return math.max(math.min(v, number(1)), least);
    };
    Element z = clipped(x[0]), p = clipped(x[1]);
    return math.mul(z, math.log(math.div(z, p)));
  });
  losses.shape.pop_back();
  return setLoss(op, frame, std::move(losses));
}

LogicalResult cosineDistance(CosineDistanceOp op, Frame &frame) {
  Tensor losses =
      sumPairs(op, frame, static_cast<int64_t>(op.getAxis()),
               [](const M &math, Row x) { return math.mul(x[0], x[1]); });
  M math(losses.kind);
  for (Element &loss : losses.elements)
    loss = rest(math, loss);
  return setLoss(op, frame, std::move(losses));
}

LogicalResult sigmoidXent(SigmoidXentOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getLogits());
  M math(x.kind);
  frame.set(op.getLoss(),
            math.map(x.shape, {&x, &frame.get(op.getLabels())}, [&](Row v) {
              return math.sub(math.softplus(v[0]), math.mul(v[0], v[1]));
            }));
  return success();
}

LogicalResult weightedXent(WeightedXentOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getLogits());
  M math(x.kind);
  frame.set(
      op.getLoss(),
      math.map(x.shape,
               {&x, &frame.get(op.getLabels()), &frame.get(op.getPosWeight())},
               [&](Row v) {
                 Element miss = math.mul(rest(math, v[1]), v[0]);
                 Element more = math.sub(v[2], number(1));
                 Element factor = math.add(math.mul(more, v[1]), number(1));
                 Element hit = math.softplus(math.neg(v[0]));
                 return math.add(miss, math.mul(factor, hit));
               }));
  return success();
}

LogicalResult logPoissonLoss(LogPoissonLossOp op, Frame &frame) {
  const Tensor &c = frame.get(op.getLogInput());
  M math(c.kind);
  frame.set(
      op.getLoss(),
      math.map(c.shape, {&c, &frame.get(op.getTargets())}, [&](Row x) {
        const Element &z = x[1];
        Element loss = math.sub(math.exp(x[0]), math.mul(z, x[0]));
        Truth isLarge = less(number(1), z);
        if (!op.getComputeFullLoss() || (isLarge.isKnown && !isLarge.value))
          return loss;
        Element log = math.log(z);
        Element halves = math.mul(
            math.add(log, math.round(number(std::log(2 * M_PI)))), number(0.5));
        Element full =
            math.add(loss, math.add(math.sub(math.mul(z, log), z), halves));
        if (!isLarge.isKnown)
          return isLarge.value ? hull(full, loss) : hull(loss, full);
        return full;
      }));
  return success();
}

LogicalResult inTopK(InTopKOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getPredictions());
  const Tensor &targets = frame.get(op.getTargets());
  int64_t classes = x.shape[1];
  std::vector<Element> hits;
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    const Element &target = targets.elements[row];
    auto logits = Row(x.elements).slice(row * classes, classes);
    if (target.integer < 0 || target.integer >= classes ||
        !std::isfinite(logits[target.integer].value)) {
      hits.push_back(Element::of(0, target.isKnown));
      continue;
    }
    int64_t larger = 0;
    bool isKnown = target.isKnown;
    const Element &own = logits[target.integer];
    for (int64_t i = 0; i < classes; ++i) {
      Truth isLarger = less(own, logits[i]);
      larger += isLarger.value;
      isKnown &= isLarger.isKnown || i == target.integer;
    }
    hits.push_back(
        Element::of(larger < static_cast<int64_t>(op.getK()), isKnown));
  }
  frame.setElements(op.getHit(), std::move(hits));
  return success();
}

LogicalResult bincount(BincountOp op, Frame &frame) {
  std::vector<Element> counts(op.getSize(), Element::of(0));
  bool isKnown = true;
  for (const Element &x : frame.get(op.getX()).elements) {
    isKnown &= x.isKnown;
    if (x.integer >= 0 && x.integer < static_cast<int64_t>(counts.size()))
      ++counts[x.integer].integer;
  }
  for (Element &count : counts)
    count.isKnown = isKnown;
  frame.setElements(op.getCounts(), std::move(counts));
  return success();
}

} // namespace

void addLossOps(OpTable &table) {
  table.add<SigmoidXentOp>(sigmoidXent);
  table.add<WeightedXentOp>(weightedXent);
  table.add<LogPoissonLossOp>(logPoissonLoss);
  table.add<WeightedLossOp>([](WeightedLossOp op, Frame &frame) {
    return setLoss(op, frame, frame.get(op.getLosses()));
  });
  using E = const Element &;
  addLoss<AbsoluteDifferenceOp>(table, [](AbsoluteDifferenceOp, const M &m, E z,
                                          E p) { return m.abs(m.sub(p, z)); });
  addLoss<MeanSquaredErrorOp>(table, [](MeanSquaredErrorOp, const M &m, E z,
                                        E p) { return m.square(m.sub(p, z)); });
  addLoss<HuberLossOp>(table, [](HuberLossOp op, const M &m, E z, E p) {
    return huber(m, z, p, op.getDelta());
  });
  addLoss<SmoothL1LossOp>(table, [](SmoothL1LossOp op, const M &m, E z, E p) {
    Element factor = m.round(number(1 / op.getBeta().convertToDouble()));
    return m.mul(huber(m, z, p, op.getBeta()), factor);
  });
  addLoss<LogLossOp>(table, [](LogLossOp op, const M &m, E z, E p) {
    Element hit = m.mul(z, logOf(m, p, op.getEpsilon()));
    Element miss = m.mul(rest(m, z), logOf(m, rest(m, p), op.getEpsilon()));
    return m.neg(m.add(hit, miss));
  });
  addLoss<HingeLossOp>(
      table, [](HingeLossOp, const M &m, E z, E p) { return hinge(m, z, p); });
  addLoss<SquaredHingeLossOp>(table,
                              [](SquaredHingeLossOp, const M &m, E z, E p) {
                                return m.square(hinge(m, z, p));
                              });
  addLoss<PoissonLossOp>(table, [](PoissonLossOp op, const M &m, E z, E p) {
    return m.sub(p, m.mul(z, logOf(m, p, op.getEpsilon())));
  });
  table.add<KlDivergenceOp>(klDivergence);
  table.add<CosineDistanceOp>(cosineDistance);
  table.add<InTopKOp>(inTopK);
  table.add<BincountOp>(bincount);
}

} // namespace graphc::interpreter
