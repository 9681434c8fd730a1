// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/TowerSums.h"

#include "dialects/tfir/training/Arithmetic.h"
#include "lib/replication/sums/RingChunks.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

//===-- Small ops ---------------------------------------------------------===//

Value TowerSums::scale(Location loc, Value value) {
  Arithmetic a{builder, loc};
  return a.mul(value, 1.0 / static_cast<double>(towers));
}

Value TowerSums::flatten(Location loc, Value value) {
  RankedTensorType type = tensorType(value);
  if (type.getRank() == 1)
    return value;
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  return ReshapeOp::create(builder, loc, flat, value);
}

Value TowerSums::slice(Location loc, Value value, int64_t begin, int64_t size) {
  RankedTensorType type = tensorType(value);
  if (size == type.getDimSize(0))
    return value;
  SmallVector<int64_t> begins(type.getRank(), 0), sizes(type.getShape());
  begins[0] = begin;
  sizes[0] = size;
  return SliceOp::create(builder, loc, type.clone(sizes), value, begins, sizes);
}

Value TowerSums::join(Location loc, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<int64_t> sizes(tensorType(parts.front()).getShape());
  for (Value part : parts.drop_front())
    sizes[0] += tensorType(part).getDimSize(0);
  return ConcatOp::create(builder, loc, tensorType(parts.front()).clone(sizes),
                          parts, /*axis=*/0);
}

//===-- At one place ------------------------------------------------------===//

/// Adds neighbours, then neighbours of these sums, and so on. `placeOf` gives
/// the device for a sum of two that are on different ones.
TowerSums::Term
TowerSums::sum(Location loc, SmallVector<Term> terms,
               function_ref<unsigned(unsigned, unsigned)> placeOf,
               PlacementTarget elsewhere) {
  Arithmetic a{builder, loc};
  while (terms.size() > 1) {
    SmallVector<Term> sums;
    for (size_t i = 0; i + 1 < terms.size(); i += 2) {
      Term x = terms[i], y = terms[i + 1];
      unsigned device =
          x.device == y.device ? x.device : placeOf(x.device, y.device);
      if (device == kNowhere)
        ops.moveTo(elsewhere);
      else
        moveTo(device);
      sums.push_back({a.add(x.value, y.value), device});
    }
    if (terms.size() % 2)
      sums.push_back(terms.back());
    terms = std::move(sums);
  }
  return terms.front();
}

TowerSums::Term
TowerSums::sumOnDevices(Location loc, SmallVector<Term> terms,
                        function_ref<unsigned(unsigned, unsigned)> placeOf) {
  return sum(loc, std::move(terms), placeOf, PlacementTarget());
}

SmallVector<TowerSums::Term> TowerSums::termsOf(ArrayRef<Value> values) const {
  SmallVector<Term> terms;
  for (auto [tower, value] : llvm::enumerate(values))
    terms.push_back(
        {value, layout.isPipeline
                    ? kNowhere
                    : layout.deviceOf(static_cast<int64_t>(tower), towers)});
  return terms;
}

Value TowerSums::reduceTo(PlacementTarget target, Location loc,
                          ArrayRef<Value> values, bool isMean) {
  Term total = sum(
      loc, termsOf(values), [](unsigned, unsigned) { return kNowhere; },
      target);
  ops.moveTo(target);
  return isMean ? scale(loc, total.value) : total.value;
}

//===-- On every device ---------------------------------------------------===//

/// One sum per device that has terms, in their order.
SmallVector<TowerSums::Term> TowerSums::addNeighbours(Location loc,
                                                      ArrayRef<Term> terms) {
  SmallVector<Term> sums;
  while (!terms.empty()) {
    unsigned device = terms.front().device;
    ArrayRef<Term> own =
        terms.take_while([&](Term term) { return term.device == device; });
    sums.push_back(sumOnDevices(loc, llvm::to_vector(own),
                                [=](unsigned, unsigned) { return device; }));
    terms = terms.drop_front(own.size());
  }
  return sums;
}

/// Copies the value at `begin` to all up to `end`, as a tree.
void TowerSums::spread(Location loc, Values &values, size_t begin, size_t end) {
  if (end - begin < 2)
    return;
  size_t middle = begin + (end - begin + 1) / 2;
  moveTo(static_cast<unsigned>(middle));
  Value value = values[begin];
  values[middle] = IdentityOp::create(builder, loc, value.getType(), value);
  spread(loc, values, begin, middle);
  spread(loc, values, middle, end);
}

/// Adds a term that leaves a device to the collective from its start, so that
/// every device is seen to begin it and to end it. Of a decomposed all-reduce,
/// partition sees that by who receives it, and a kernel of its own would copy
/// the term.
TowerSums::Term TowerSums::enter(Location loc, Term term) {
  Operation *maker = term.value.getDefiningOp();
  if (isFallback || (maker && getCollective(maker)))
    return term;
  moveTo(term.device);
  return {IdentityOp::create(builder, loc, term.value.getType(), term.value),
          term.device};
}

/// Up to the first device and down again.
TowerSums::Values TowerSums::tree(Location loc, ArrayRef<Term> terms,
                                  bool isMean) {
  SmallVector<Term> leaves(terms);
  for (Term &leaf : leaves)
    if (leaf.device != 0)
      leaf = enter(loc, leaf);
  Term total = sumOnDevices(
      loc, leaves, [](unsigned x, unsigned y) { return std::min(x, y); });
  moveTo(0);
  Values values(layout.devices.size());
  values[0] = isMean ? scale(loc, total.value) : total.value;
  spread(loc, values, 0, values.size());
  return values;
}

/// In a ring of two, each can as well send all it has: as many bytes, but one
/// after the other only once, and the sum need not be stored where it is used.
bool TowerSums::canExchange(ArrayRef<Term> terms) const {
  return layout.devices.size() == 2 && terms.size() == 2;
}

TowerSums::Values TowerSums::exchange(Location loc, ArrayRef<Term> terms,
                                      bool isMean) {
  Arithmetic a{builder, loc};
  Term first = enter(loc, terms[0]), second = enter(loc, terms[1]);
  Values sums;
  for (unsigned device = 0; device < 2; ++device) {
    moveTo(device);
    Value sum = a.add(first.value, second.value);
    sums.push_back(isMean ? scale(loc, sum) : sum);
  }
  return sums;
}

/// Without a kind of ring as a tree.
TowerSums::Values TowerSums::onDevices(Location loc, ArrayRef<Term> terms,
                                       std::optional<Reduce> ringKind,
                                       bool isMean) {
  if (!ringKind)
    return tree(loc, terms, isMean);
  return canExchange(terms) ? exchange(loc, terms, isMean)
                            : ring(loc, terms, isMean, isTwoLevel(*ringKind));
}

/// A library adds up one term per device.
bool TowerSums::canUseLibrary(ArrayRef<Values> parts) const {
  size_t count = layout.devices.size();
  return count > 1 && count == layout.devicesFor(towers) &&
         tensorType(parts.front().front()).getElementType().isF32();
}

/// The sums as a library would make them: what makes them otherwise is marked,
/// and every term is kept whole.
TowerSums::Values TowerSums::offer(Location loc, ArrayRef<Term> terms,
                                   std::optional<Reduce> ringKind) {
  isFallback = true;
  ops.setFallback(true);
  Values sums = onDevices(loc, terms, ringKind, /*isMean=*/false);
  ops.setFallback(false);
  isFallback = false;
  for (auto [term, sum] : llvm::zip_equal(terms, sums)) {
    moveTo(term.device);
    sum = AllReduceOp::create(builder, loc, sum.getType(), term.value, sum);
  }
  return sums;
}

/// Joins each tower's values into one term.
SmallVector<TowerSums::Term>
TowerSums::pack(Location loc, ArrayRef<Values> parts, bool isFlat) {
  SmallVector<Term> terms;
  for (int64_t tower = 0; tower < towers; ++tower) {
    unsigned device = layout.deviceOf(tower, towers);
    moveTo(device);
    Values own;
    for (const Values &part : parts)
      own.push_back(isFlat ? flatten(loc, part[tower]) : part[tower]);
    terms.push_back({join(loc, own), device});
  }
  return terms;
}

/// The parts of each device's piece, in the types of `parts`.
SmallVector<TowerSums::Values>
TowerSums::unpack(Location loc, ArrayRef<Values> parts, ArrayRef<Value> whole) {
  SmallVector<Values> results;
  int64_t begin = 0;
  for (const Values &part : parts) {
    RankedTensorType type = tensorType(part.front());
    Values &values = results.emplace_back();
    for (auto [device, piece] : llvm::enumerate(whole)) {
      moveTo(static_cast<unsigned>(device));
      Value value = piece;
      if (value.getType() != type)
        value = slice(loc, value, begin, type.getNumElements());
      if (value.getType() != type)
        value = ReshapeOp::create(builder, loc, type, value);
      values.push_back(value);
    }
    begin += type.getNumElements();
  }
  return results;
}

/// Of sums that a library has made; each becomes a part of its update.
void TowerSums::scaleAll(Location loc, MutableArrayRef<Values> parts) {
  for (Values &part : parts)
    for (auto [device, value] : llvm::enumerate(part)) {
      moveTo(static_cast<unsigned>(device));
      value = scale(loc, value);
    }
}

SmallVector<TowerSums::Values> TowerSums::allReduce(Reduce how, Location loc,
                                                    ArrayRef<Values> parts,
                                                    bool isMean) {
  size_t count = layout.devices.size();
  if (how == Reduce::Ps) { // the first device sends the result to the others
    PlacementTarget first{layout.devices.front().name, {}};
    SmallVector<Values> results;
    for (const Values &part : parts)
      results.push_back(Values(count, reduceTo(first, loc, part, isMean)));
    return results;
  }
  ops.enterCollective(builder.getI64IntegerAttr(collectives++));
  int64_t elements = 0;
  for (const Values &part : parts)
    elements += tensorType(part.front()).getNumElements();
  // In a ring every device has a chunk.
  bool isRing = how != Reduce::Tree && count > 1 &&
                count == layout.devicesFor(towers) &&
                elements >= static_cast<int64_t>(count);
  std::optional<Reduce> ringKind = isRing ? std::optional(how) : std::nullopt;
  bool byLibrary = how == Reduce::Nccl && canUseLibrary(parts);
  bool isFlat = parts.size() > 1 ||
                (isRing && count > 2 &&
                 !canCutRows(tensorType(parts.front().front()), count));
  SmallVector<Term> terms = pack(loc, parts, isFlat);
  if ((isRing && !layout.canonical) || byLibrary)
    terms = addNeighbours(loc, terms);
  Values whole = byLibrary ? offer(loc, terms, ringKind)
                           : onDevices(loc, terms, ringKind, isMean);
  SmallVector<Values> results = unpack(loc, parts, whole);
  if (byLibrary && isMean)
    scaleAll(loc, results);
  ops.enterCollective({});
  return results;
}

} // namespace graphc
