// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of writes at computed places.
#include "lib/interpreter/ops/ScatterOps.h"

#include "dialects/tfir/gather/TfirScatterOps.h"
#include "lib/interpreter/ElementMap.h"

#include <algorithm>
#include <functional>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using Combine =
    std::function<Element(ElementKind, const Element &, const Element &)>;

Combine binary(FloatBinary ofFloat, IntBinary ofInt) {
  return [=](ElementKind kind, const Element &x, const Element &y) {
    if (isFloat(kind))
      return (FloatMath(kind).*ofFloat)(x, y);
    return wrap(
        kind, Element::of(ofInt(x.integer, y.integer), x.isKnown && y.isKnown));
  };
}

/// The function of an element by the second part of `scatter_add`.
Combine combineOf(StringRef name) {
  using M = FloatMath;
  if (name == "add")
    return binary(&M::add, add64);
  if (name == "sub")
    return binary(&M::sub,
                  [](Integer x, Integer y) { return add64(x, neg64(y)); });
  if (name == "mul")
    return binary(&M::mul, mul64);
  if (name == "div")
    return binary(&M::div, div64);
  if (name == "min")
    return binary(&M::min, [](Integer x, Integer y) { return std::min(x, y); });
  if (name == "max")
    return binary(&M::max, [](Integer x, Integer y) { return std::max(x, y); });
  return [](ElementKind, const Element &, const Element &update) {
    return update;
  };
}

/// Any result is right, since rounding decides about a place.
Element undecided(ElementKind kind, const Element &x) {
  return isFloat(kind) ? Element::anything(x.value, x.slope)
                       : Element::of(x.integer, false);
}

/// The row that `count` indices from `at` on point at, of dimensions `sizes`;
/// -1 outside.
int64_t rowAt(ArrayRef<Element> at, ArrayRef<int64_t> sizes) {
  int64_t row = 0;
  for (auto [index, size] : llvm::zip(at, sizes)) {
    if (index.integer < 0 || index.integer >= size)
      return -1;
    row = row * size + index.integer;
  }
  return row;
}

/// Updates the slices of `tensor` one after the other, those at `count`
/// coordinates each.
void scatter(Tensor &tensor, const Tensor &ids, const Tensor &updates,
             int64_t count, const Combine &combine) {
  ArrayRef<int64_t> sizes = ArrayRef(tensor.shape).take_front(count);
  int64_t size = 1;
  for (int64_t dim : ArrayRef(tensor.shape).drop_front(count))
    size *= dim;
  for (int64_t i = 0; i * count < ids.size(); ++i) {
    int64_t row = rowAt(ArrayRef(ids.elements).slice(i * count, count), sizes);
    for (int64_t k = 0; row >= 0 && k < size; ++k) {
      Element &element = tensor.elements[row * size + k];
      element = combine(tensor.kind, element, updates.elements[i * size + k]);
    }
  }
  if (!llvm::all_of(ids.elements, [](const Element &e) { return e.isKnown; }))
    for (Element &element : tensor.elements)
      element = undecided(tensor.kind, element);
}

template <typename Op> void addScatter(OpTable &table, StringRef combine) {
  table.add<Op>([combine = combineOf(combine)](Op op, Frame &frame) {
    Tensor tensor = frame.get(op.getRef());
    scatter(tensor, frame.get(op.getIndices()), frame.get(op.getUpdates()),
            /*count=*/1, combine);
    frame.set(op.getOutput(), std::move(tensor));
    return success();
  });
}

LogicalResult assignRows(AssignRowsOp op, Frame &frame) {
  const Tensor &ids = frame.get(op.getIndices());
  scatter(frame.variable(op.getVariable()), ids, frame.get(op.getUpdates()),
          op.getNd() ? ids.shape.back() : 1, combineOf(op.getCombine()));
  return success();
}

} // namespace

void addScatterOps(OpTable &table) {
  addScatter<ScatterUpdateOp>(table, "update");
  addScatter<ScatterAddOp>(table, "add");
  addScatter<ScatterSubOp>(table, "sub");
  addScatter<ScatterMulOp>(table, "mul");
  addScatter<ScatterDivOp>(table, "div");
  addScatter<ScatterMinOp>(table, "min");
  addScatter<ScatterMaxOp>(table, "max");
  table.add<AssignRowsOp>(assignRows);
}

} // namespace graphc::interpreter
