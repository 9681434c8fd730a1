// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of reads and sums at computed places.
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "lib/interpreter/ElementMap.h"
#include "lib/interpreter/ops/ScatterOps.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

Element zero(ElementKind kind) {
  return isFloat(kind) ? Element::exact(0) : Element::of(0);
}

/// Any result is right, since rounding decides about a place.
Element undecided(ElementKind kind, const Element &x) {
  return isFloat(kind) ? Element::anything(x.value, x.slope)
                       : Element::of(x.integer, false);
}

/// The slices of `params` along `axis` that `indices` name.
LogicalResult gather(Value result, const Tensor &params, const Tensor &indices,
                     int64_t axis, Frame &frame) {
  Tensor tensor = Tensor::ofType(cast<RankedTensorType>(result.getType()));
  if (axis < 0)
    axis += params.rank();
  int64_t picked = indices.rank(), place = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    const Element &at = indices.at(index.slice(axis, picked));
    SmallVector<int64_t> from(index.take_front(axis));
    from.push_back(at.integer);
    llvm::append_range(from, index.drop_front(axis + picked));
    bool inside = at.integer >= 0 && at.integer < params.shape[axis];
    Element value = inside ? params.at(from) : zero(params.kind);
    tensor.elements[place++] =
        at.isKnown ? value : undecided(params.kind, value);
  });
  frame.set(result, std::move(tensor));
  return success();
}

/// A place of several coordinates, row `row` of `indices`, among `sizes`: the
/// number of the place, -1 outside.
Element placeOf(const Tensor &indices, int64_t row, ArrayRef<int64_t> sizes) {
  int64_t place = 0, count = indices.shape.back();
  bool inside = true, isKnown = true;
  for (int64_t i = 0; i < count; ++i) {
    const Element &at = indices.elements[row * count + i];
    isKnown &= at.isKnown;
    inside &= at.integer >= 0 && at.integer < sizes[i];
    place = inside ? place * sizes[i] + at.integer : 0;
  }
  return Element::of(inside ? place : -1, isKnown);
}

/// The elements of the result of a sum by segment, from the slices in their
/// order. `ids` has the segment of each slice.
template <typename Function>
LogicalResult combineSlices(Value result, const Tensor &data,
                            ArrayRef<Element> ids, int64_t segments,
                            Frame &frame, Function function) {
  Tensor tensor = Tensor::ofType(cast<RankedTensorType>(result.getType()));
  int64_t slices = ids.size();
  int64_t size = segments ? tensor.size() / segments : 0;
  bool isKnown = llvm::all_of(ids, [](const Element &e) { return e.isKnown; });
  std::vector<std::vector<Element>> groups(tensor.size());
  for (int64_t slice = 0; slice < slices; ++slice)
    if (int64_t id = ids[slice].integer; id >= 0 && id < segments)
      for (int64_t i = 0; i < size; ++i)
        groups[id * size + i].push_back(data.elements[slice * size + i]);
  for (auto [element, group] : llvm::zip(tensor.elements, groups)) {
    element = function(ArrayRef<Element>(group));
    if (!isKnown)
      element = undecided(tensor.kind, element);
  }
  frame.set(result, std::move(tensor));
  return success();
}

template <typename Op, typename Function>
LogicalResult combineSegments(Op op, Frame &frame, Function function) {
  return combineSlices(op.getOutput(), frame.get(op.getData()),
                       frame.get(op.getSegmentIds()).elements,
                       static_cast<int64_t>(op.getNumSegments()), frame,
                       function);
}

Element sum(ElementKind kind, ArrayRef<Element> terms) {
  if (isFloat(kind))
    return FloatMath(kind).sum(terms);
  Element sum = Element::of(0);
  for (const Element &term : terms)
    sum = wrap(kind, Element::of(add64(sum.integer, term.integer),
                                 sum.isKnown && term.isKnown));
  return sum;
}

Element mean(ElementKind kind, ArrayRef<Element> terms) {
  if (terms.empty())
    return Element::exact(0);
  return FloatMath(kind).div(sum(kind, terms),
                             Element::exact(static_cast<double>(terms.size())));
}

/// The number at the end of a type that an empty segment has.
Element endOf(ElementKind kind, bool lowest) {
  switch (kind) {
  case ElementKind::F32:
  case ElementKind::F16:
  case ElementKind::BF16:
    return Element::exact(lowest ? -FLT_MAX : FLT_MAX);
  case ElementKind::F64:
    return Element::exact(lowest ? -DBL_MAX : DBL_MAX);
  default:
    return Element::of(lowest ? rangeOf(kind).lowest : rangeOf(kind).highest);
  }
}

/// The largest or the smallest; its slope is the mean of those of the ties.
Element extreme(ElementKind kind, ArrayRef<Element> terms, bool largest) {
  if (terms.empty())
    return endOf(kind, largest);
  FloatMath math(kind);
  Element best = terms[0];
  for (const Element &term : terms.drop_front())
    if (isFloat(kind)) {
      best = largest ? math.max(best, term) : math.min(best, term);
    } else {
      bool isKnown = best.isKnown && term.isKnown;
      best = Element::of(largest ? std::max(best.integer, term.integer)
                                 : std::min(best.integer, term.integer),
                         isKnown);
    }
  if (!isFloat(kind))
    return best;
  best.slope = slopeOfTies(terms, best.value);
  return best;
}

/// `function` gets the kind of the elements and the elements of a segment.
template <typename Op, typename Function>
void addSegments(OpTable &table, Function function) {
  table.add<Op>([=](Op op, Frame &frame) {
    return combineSegments(op, frame, [&](ArrayRef<Element> terms) {
      return function(operandKind(op), terms);
    });
  });
}

LogicalResult gatherNd(GatherNdOp op, Frame &frame) {
  const Tensor &params = frame.get(op.getParams());
  const Tensor &indices = frame.get(op.getIndices());
  Tensor tensor = Tensor::ofType(op.getOutput().getType());
  int64_t places = 1;
  for (int64_t size : ArrayRef(indices.shape).drop_back())
    places *= size;
  int64_t size = places ? tensor.size() / places : 0;
  for (int64_t row = 0; row < places; ++row) {
    Element place = placeOf(indices, row, params.shape);
    for (int64_t i = 0; i < size; ++i) {
      Element value = place.integer < 0
                          ? zero(params.kind)
                          : params.elements[place.integer * size + i];
      tensor.elements[row * size + i] =
          place.isKnown ? value : undecided(params.kind, value);
    }
  }
  frame.set(op.getOutput(), std::move(tensor));
  return success();
}

LogicalResult scatterNd(ScatterNdOp op, Frame &frame) {
  const Tensor &indices = frame.get(op.getIndices());
  int64_t count = indices.shape.back(), segments = 1;
  for (int64_t size : op.getShape().take_front(count))
    segments *= size;
  std::vector<Element> ids;
  for (int64_t row = 0; row * count < indices.size(); ++row)
    ids.push_back(placeOf(indices, row, op.getShape()));
  const Tensor &updates = frame.get(op.getUpdates());
  return combineSlices(
      op.getOutput(), updates, ids, segments, frame,
      [&](ArrayRef<Element> terms) { return sum(updates.kind, terms); });
}

/// The places of a row's elements in order; equal ones keep theirs.
std::vector<int64_t> orderOf(ElementKind kind, ArrayRef<Element> row,
                             bool descending) {
  std::vector<int64_t> places(row.size());
  for (size_t i = 0; i < row.size(); ++i)
    places[i] = static_cast<int64_t>(i);
  std::stable_sort(places.begin(), places.end(), [&](int64_t i, int64_t j) {
    const Element &x = row[i], &y = row[j];
    if (!isFloat(kind))
      return descending ? x.integer > y.integer : x.integer < y.integer;
    if (std::isnan(x.value) || std::isnan(y.value))
      return !std::isnan(x.value) && std::isnan(y.value);
    return descending ? x.value > y.value : x.value < y.value;
  });
  return places;
}

/// True when rounding can change the order of the row.
bool isUndecided(ElementKind kind, ArrayRef<Element> row) {
  for (size_t i = 0; i < row.size(); ++i) {
    if (isFloat(kind) ? !row[i].isPoint() : !row[i].isKnown)
      for (size_t j = 0; j < row.size(); ++j)
        if (i != j &&
            (!isFloat(kind) || row[i].isAnything() || row[j].isAnything() ||
             (row[i].low <= row[j].high && row[j].low <= row[i].high)))
          return true;
  }
  return false;
}

/// Calls `body` with each row of the operand and the order of its elements.
template <typename Op, typename Function>
void forEachOrder(Op op, Frame &frame, bool descending, Function body) {
  const Tensor &x = frame.get(op.getX());
  int64_t columns = x.shape.back();
  for (int64_t begin = 0; columns && begin < x.size(); begin += columns) {
    ArrayRef<Element> row = ArrayRef(x.elements).slice(begin, columns);
    std::vector<int64_t> places = orderOf(x.kind, row, descending);
    body(row, places, isUndecided(x.kind, row));
  }
}

/// The part that has a row of a table of `rows`, and which of its rows it is;
/// a part that is not there for none.
std::pair<int64_t, int64_t> placeOfRow(int64_t row, int64_t rows, int64_t parts,
                                       bool isMod) {
  if (row < 0 || row >= rows)
    return {-1, -1};
  if (isMod)
    return {row % parts, row / parts};
  for (int64_t part = 0; part < parts; ++part) {
    int64_t own = rows / parts + (part < rows % parts);
    if (row < own)
      return {part, row};
    row -= own;
  }
  return {-1, -1};
}

LogicalResult embeddingLookup(EmbeddingLookupOp op, Frame &frame) {
  const Tensor &ids = frame.get(op.getIds());
  Tensor tensor = Tensor::ofType(op.getOutput().getType());
  int64_t parts = op.getParams().size(), rows = 0;
  for (Value part : op.getParams())
    rows += frame.get(part).shape[0];
  int64_t size = ids.size() ? tensor.size() / ids.size() : 0;
  for (int64_t i = 0; i < ids.size(); ++i) {
    const Element &id = ids.elements[i];
    auto [part, row] =
        placeOfRow(id.integer, rows, parts, op.getPartitionStrategy() == "mod");
    for (int64_t k = 0; k < size; ++k) {
      Element value =
          part < 0 ? zero(tensor.kind)
                   : frame.get(op.getParams()[part]).elements[row * size + k];
      tensor.elements[i * size + k] =
          id.isKnown ? value : undecided(tensor.kind, value);
    }
  }
  frame.set(op.getOutput(), std::move(tensor));
  return success();
}

LogicalResult unique(UniqueOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  bool isKnown =
      llvm::all_of(x.elements, [](const Element &e) { return e.isKnown; });
  std::vector<Element> distinct, places;
  for (const Element &element : x.elements) {
    auto found = llvm::find_if(distinct, [&](const Element &other) {
      return other.integer == element.integer;
    });
    places.push_back(Element::of(found - distinct.begin(), isKnown));
    if (found == distinct.end())
      distinct.push_back(Element::of(element.integer, isKnown));
  }
  distinct.resize(x.elements.size(), Element::of(-1, isKnown));
  frame.setElements(op.getY(), std::move(distinct));
  frame.setElements(op.getIdx(), std::move(places));
  return success();
}

LogicalResult argsort(ArgsortOp op, Frame &frame) {
  std::vector<Element> places;
  forEachOrder(op, frame, op.getDescending(),
               [&](ArrayRef<Element>, ArrayRef<int64_t> order, bool isOpen) {
                 for (int64_t place : order)
                   places.push_back(Element::of(place, !isOpen));
               });
  frame.setElements(op.getPlaces(), std::move(places));
  return success();
}

LogicalResult sort(SortOp op, Frame &frame) {
  ElementKind kind = operandKind(op);
  std::vector<Element> values;
  forEachOrder(
      op, frame, op.getDescending(),
      [&](ArrayRef<Element> row, ArrayRef<int64_t> order, bool isOpen) {
        for (int64_t place : order)
          values.push_back(isOpen ? undecided(kind, row[place]) : row[place]);
      });
  frame.setElements(op.getY(), std::move(values));
  return success();
}

LogicalResult topK(TopKOp op, Frame &frame) {
  ElementKind kind = operandKind(op);
  std::vector<Element> values, places;
  forEachOrder(
      op, frame, /*descending=*/true,
      [&](ArrayRef<Element> row, ArrayRef<int64_t> order, bool isOpen) {
        for (int64_t place : order.take_front(op.getK())) {
          values.push_back(isOpen ? undecided(kind, row[place]) : row[place]);
          places.push_back(Element::of(place, !isOpen));
        }
      });
  frame.setElements(op.getValues(), std::move(values));
  frame.setElements(op.getIndices(), std::move(places));
  return success();
}

} // namespace

void addGatherOps(OpTable &table) {
  addScatterOps(table);
  table.add<GatherOp>([](GatherOp op, Frame &frame) {
    return gather(op.getOutput(), frame.get(op.getParams()),
                  frame.get(op.getIndices()),
                  static_cast<int64_t>(op.getAxis()), frame);
  });
  table.add<EmbeddingLookupOp>(embeddingLookup);
  table.add<UniqueOp>(unique);
  table.add<ArgsortOp>(argsort);
  table.add<SortOp>(sort);
  table.add<TopKOp>(topK);
  table.add<GatherNdOp>(gatherNd);
  table.add<ScatterNdOp>(scatterNd);
  auto max = [](ElementKind kind, ArrayRef<Element> terms) {
    return extreme(kind, terms, /*largest=*/true);
  };
  auto min = [](ElementKind kind, ArrayRef<Element> terms) {
    return extreme(kind, terms, /*largest=*/false);
  };
  addSegments<UnsortedSegmentSumOp>(table, sum);
  addSegments<UnsortedSegmentMeanOp>(table, mean);
  addSegments<UnsortedSegmentMaxOp>(table, max);
  addSegments<UnsortedSegmentMinOp>(table, min);
  addSegments<SegmentSumOp>(table, sum);
  addSegments<SegmentMeanOp>(table, mean);
  addSegments<SegmentMaxOp>(table, max);
}

} // namespace graphc::interpreter
