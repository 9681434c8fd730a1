// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of einsum and attention, as they are defined.
#include "dialects/tfir/products/TfirProductOps.h"
#include "lib/interpreter/Frame.h"

#include <cfloat>
#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

LogicalResult einsum(EinsumOp op, Frame &frame) {
  FloatMath math(frame.get(op.getInputs()[0]).kind);
  auto [left, output] = op.getEquation().split("->");
  SmallVector<StringRef> operands;
  left.split(operands, ',');
  // All letters: those of the result first, then those of sums.
  std::string letters = output.str();
  SmallVector<const Tensor *> tensors;
  SmallVector<int64_t> sizes(op.getOutput().getType().getShape());
  for (auto [names, input] : llvm::zip(operands, op.getInputs())) {
    tensors.push_back(&frame.get(input));
    for (auto [letter, size] : llvm::zip(names, tensors.back()->shape))
      if (!StringRef(letters).contains(letter)) {
        letters += letter;
        sizes.push_back(size);
      }
  }
  Tensor tensor = Tensor::ofType(op.getOutput().getType());
  std::vector<std::vector<Element>> terms(tensor.size());
  forEachIndex(sizes, [&](ArrayRef<int64_t> at) {
    Element product = Element::exact(1);
    for (auto [number, names] : llvm::enumerate(operands)) {
      SmallVector<int64_t> place;
      for (char letter : names)
        place.push_back(at[letters.find(letter)]);
      const Element &factor = tensors[number]->at(place);
      product = number ? math.mul(product, factor) : factor;
    }
    terms[tensor.offset(at.take_front(output.size()))].push_back(product);
  });
  for (auto [element, list] : llvm::zip(tensor.elements, terms))
    element = math.sum(list);
  frame.set(op.getOutput(), std::move(tensor));
  return success();
}

/// Matrices along the leading dimensions of a tensor, which broadcast.
struct Matrices {
  const Tensor &tensor;

  const Element &at(ArrayRef<int64_t> batch, int64_t row,
                    int64_t column) const {
    SmallVector<int64_t> index(batch);
    index.append({row, column});
    return tensor.broadcastAt(index);
  }
};

/// The weights of the keys for one query, from its scores.
std::vector<Element> softmax(const FloatMath &math, ArrayRef<Element> scores) {
  Element largest = Element::exact(-std::numeric_limits<double>::infinity());
  for (const Element &score : scores)
    largest = math.max(largest, score);
  // A constant for differentiation: its share cancels.
  if (std::isfinite(largest.value) && !largest.isAnything())
    largest = Element::exact(largest.value);
  largest.slope = 0;
  std::vector<Element> weights;
  for (const Element &score : scores)
    weights.push_back(math.exp(math.sub(score, largest)));
  Element sum = math.sum(weights);
  for (Element &weight : weights)
    weight = math.div(weight, sum);
  return weights;
}

LogicalResult attention(AttentionOp op, Frame &frame) {
  if (!op.getDropout().isZero())
    return op.emitOpError() << "has no reference with dropout; write tfir."
                               "dropout between its parts";
  FloatMath math(frame.get(op.getQ()).kind);
  Matrices q{frame.get(op.getQ())}, k{frame.get(op.getK())},
      v{frame.get(op.getV())};
  int64_t depth = q.tensor.shape.back();
  int64_t queries = q.tensor.shape[q.tensor.rank() - 2];
  int64_t keys = k.tensor.shape[k.tensor.rank() - 2];
  double scale = op.getScale() ? op.getScale()->convertToDouble()
                               : 1 / std::sqrt(static_cast<double>(depth));
  Element factor = math.round(Element::exact(scale), 1, /*mayBeExact=*/true);
  auto score = [&](ArrayRef<int64_t> batch, int64_t query,
                   int64_t key) -> Element {
    std::vector<Element> terms;
    for (int64_t i = 0; i < depth; ++i)
      terms.push_back(math.mul(q.at(batch, query, i), k.at(batch, key, i)));
    Element sum = math.mul(math.sum(terms), factor);
    Element lowest = Element::exact(-FLT_MAX);
    if (op.getMask()) {
      Matrices mask{frame.get(op.getMask())};
      const Element &own = mask.at(batch, query, key);
      if (mask.tensor.isFloat())
        sum = math.add(sum, own);
      else if (!own.isKnown)
        sum = Element::anything(own.integer ? sum.value : lowest.value);
      else if (!own.integer)
        sum = lowest;
    }
    return op.getCausal() && key > query + keys - queries ? lowest : sum;
  };
  Tensor tensor = Tensor::ofType(op.getOutput().getType());
  int64_t place = 0;
  std::vector<Element> weights;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> at) {
    ArrayRef<int64_t> batch = at.drop_back(2);
    int64_t query = at[at.size() - 2];
    if (at.back() == 0) {
      std::vector<Element> scores;
      for (int64_t key = 0; key < keys; ++key)
        scores.push_back(score(batch, query, key));
      weights = softmax(math, scores);
    }
    std::vector<Element> terms;
    for (int64_t key = 0; key < keys; ++key)
      terms.push_back(math.mul(weights[key], v.at(batch, key, at.back())));
    tensor.elements[place++] = math.sum(terms);
  });
  frame.set(op.getOutput(), std::move(tensor));
  return success();
}

} // namespace

void addEinsumOps(OpTable &table) {
  table.add<EinsumOp>(einsum);
  table.add<AttentionOp>(attention);
}

} // namespace graphc::interpreter
