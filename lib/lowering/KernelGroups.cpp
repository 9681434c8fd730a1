// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouping of ops into kernels.
#include "lib/lowering/KernelGroups.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/gather/UpdatesRows.h"
#include "dialects/tfir/ops/control/KernelControl.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/lowering/OpSlots.h"
#include "lib/lowering/Views.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// An op of up to this many elements may join a small group.
constexpr int64_t kSmallOp = 16384;
/// One thread computes this many in a few microseconds.
constexpr int64_t kSmallGroup = 65536;
/// A small group that so many small ops in a row did not join is closed, so
/// that the time for a graph is linear in its length.
constexpr unsigned kMaxMisses = 128;
/// A search for a way from group to group gives up after so many.
constexpr size_t kMaxSearch = 2048;

ArrayRef<int64_t> shapeOf(Value value) { return tensorType(value).getShape(); }

/// The largest tensor that the op reads or writes.
int64_t elementsOf(Operation *op) {
  int64_t count = 0;
  for (Value value : op->getOperands())
    count = std::max(count, tensorType(value).getNumElements());
  for (Value value : op->getResults())
    count = std::max(count, tensorType(value).getNumElements());
  return count;
}

bool gathers(Operation *op) {
  auto lowerable = dyn_cast<Lowerable>(op);
  return lowerable && lowerable.gathersOperands();
}

/// The op whose value views show.
Operation *sourceOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isView(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// True when all ops are elementwise over the group's shape.
bool isElementwise(const KernelGroup &group) {
  return llvm::all_of(group.ops, [&](Operation *op) {
    return isa<Elementwise>(op) && tensorType(op->getResult(0)).getShape() ==
                                       ArrayRef<int64_t>(group.shape);
  });
}

/// True unless they are two different collectives.
bool canShare(Attribute a, Attribute b) { return !a || !b || a == b; }

/// True when `op` may join `group`: ops of a decomposed all-reduce, left out
/// where a library does it, are in no kernel with others, nor are those that
/// only summaries need.
bool canShare(Operation *op, const KernelGroup &group) {
  return canShare(getCollective(op), group.collective) &&
         isFallback(op) == group.isFallback &&
         isForSummary(op) == group.isForSummary;
}

/// True for an op that is a kernel by itself.
bool standsAlone(Operation *op) {
  return op->hasTrait<UpdatesRows>() || isa<KernelControlInterface>(op);
}

bool isSmall(Operation *op) {
  return !isa<ContractionInterface>(op) && !standsAlone(op) &&
         elementsOf(op) <= kSmallOp;
}

} // namespace

bool isKernelOp(Operation *op) {
  return (isa<ContractionInterface>(op) || isa<Elementwise>(op) ||
          isa<Lowerable>(op) || isa<KernelControlInterface>(op)) &&
         !isView(op);
}

KernelGroups::KernelGroups(Block &block, size_t maxOps, OpSet kept)
    : maxOps(maxOps), kept(std::move(kept)) {
  findLevels(block);
  slots = findSlots(block);
  for (Operation &op : block)
    if (isKernelOp(&op) && !isDeferred(&op))
      place(&op);
}

void KernelGroups::findLevels(Block &block) {
  for (Operation &op : block) {
    IntegerAttr given = getDependencyLevel(&op);
    int64_t level = given ? given.getInt() : 0;
    for (Value operand : op.getOperands())
      if (Operation *source = operand.getDefiningOp())
        level = std::max(level, levels.lookup(source));
    // Ops after a barrier do not join the kernels that it waits for.
    if (op.hasTrait<KernelBarrier>() || isa<OptimizationBarrierOp>(op))
      ++level;
    if (level)
      levels[&op] = level;
  }
  // Cheap ops that are wanted only after a transfer become part of the kernel
  // there, instead of one that stores it. Small values stay: they would join a
  // kernel that waits for other transfers as well.
  for (Operation &op : llvm::reverse(block)) {
    if (!isa<Elementwise>(op) || op.use_empty() ||
        tensorType(op.getResult(0)).getNumElements() <= kSmallOp)
      continue;
    int64_t wanted = std::numeric_limits<int64_t>::max();
    for (Operation *user : op.getUsers())
      wanted =
          std::min(wanted, isa<Elementwise>(user) ? levels.lookup(user) : 0);
    if (wanted > levels.lookup(&op))
      levels[&op] = wanted;
  }
}

bool KernelGroups::isOfTurn(Operation *op, const KernelGroup &group) const {
  auto found = slots.find(op);
  return found == slots.end() ? !group.slot : found->second == group.slot;
}

std::optional<unsigned> KernelGroups::groupOf(Operation *op) const {
  auto it = owner.find(op);
  if (it == owner.end())
    return std::nullopt;
  return it->second;
}

bool KernelGroups::isDeferred(Operation *op) const {
  if (maxOps == 1 || !isa<Elementwise>(op) || !op->hasOneUse() ||
      !tensorType(op->getResult(0)).getElementType().isInteger(1))
    return false;
  Operation *user = *op->user_begin();
  return isa<Elementwise>(user) && levels.lookup(user) == levels.lookup(op) &&
         shapeOf(user->getResult(0)) == shapeOf(op->getResult(0));
}

void KernelGroups::collectProducers(Operation *op,
                                    llvm::DenseSet<unsigned> &producers) const {
  for (Value operand : op->getOperands()) {
    Operation *source = sourceOf(operand);
    if (!source)
      continue;
    if (std::optional<unsigned> group = groupOf(source))
      producers.insert(*group);
    else if (isKernelOp(source))
      collectProducers(source, producers); // deferred
  }
}

/// False only if no way leads from a group, over what it reads from, to `on`.
bool KernelGroups::dependsOn(unsigned group, unsigned on) const {
  SmallVector<unsigned> work{group};
  llvm::DenseSet<unsigned> seen;
  while (!work.empty()) {
    unsigned next = work.pop_back_val();
    if (next == on || seen.size() > kMaxSearch)
      return true;
    // Ways lead down only: what is no higher than `on` does not come to it.
    if (heights[next] <= heights[on] || !seen.insert(next).second)
      continue;
    for (unsigned input : all[next].inputs)
      work.push_back(input);
  }
  return false;
}

/// Notes that a group reads from another.
void KernelGroups::read(unsigned group, unsigned from) {
  all[group].inputs.insert(from);
  readers[from].insert(group);
  if (heights[group] <= heights[from]) {
    heights[group] = heights[from] + 1;
    raise(group);
  }
}

/// Lifts what reads from a group, over other groups, above it.
void KernelGroups::raise(unsigned group) {
  SmallVector<unsigned> work{group};
  while (!work.empty()) {
    unsigned next = work.pop_back_val();
    for (unsigned reader : readers[next])
      if (heights[reader] <= heights[next]) {
        heights[reader] = heights[next] + 1;
        work.push_back(reader);
      }
  }
}

/// Adds the small groups that an op may join beside its producers', the last
/// first.
void KernelGroups::addOpenGroups(const llvm::DenseSet<unsigned> &producers,
                                 SmallVectorImpl<unsigned> &candidates) {
  llvm::erase_if(open, [&](OpenGroup &each) {
    const KernelGroup &group = all[each.group];
    return group.elements >= kSmallGroup || group.ops.size() >= maxOps ||
           ++each.misses > kMaxMisses;
  });
  for (const OpenGroup &each : llvm::reverse(open))
    if (!producers.contains(each.group))
      candidates.push_back(each.group);
}

bool KernelGroups::canJoin(Operation *op, unsigned group,
                           const llvm::DenseSet<unsigned> &producers) const {
  if (levels.lookup(op) != all[group].level || !isOfTurn(op, all[group]) ||
      !canShare(op, all[group]) || !fits(op, all[group]))
    return false;
  // Deferred ops would come along.
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (source && isKernelOp(source) && !owner.count(source) &&
        !canJoin(source, group, producers))
      return false;
  }
  // What the op reads from other groups must not need this group.
  for (unsigned producer : producers)
    if (producer != group && dependsOn(producer, group))
      return false;
  return true;
}

/// True when some operand is made inside the group.
static bool readsFrom(Operation *op, const KernelGroup &group) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return llvm::is_contained(group.ops, operand.getDefiningOp());
  });
}

/// True when some operand is made inside the group but read through a view.
static bool readsView(Operation *op, const KernelGroup &group) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    return maker && isView(maker) &&
           llvm::is_contained(group.ops, sourceOf(operand));
  });
}

bool KernelGroups::isAlone(const KernelGroup &group) const {
  if (!group.ops.empty() && standsAlone(group.ops.front()))
    return true;
  return group.kind == KernelGroup::Kind::Contraction && !group.ops.empty() &&
         kept.contains(group.ops.front());
}

bool KernelGroups::fits(Operation *op, const KernelGroup &group) const {
  if (group.ops.size() >= maxOps || isAlone(group) || standsAlone(op))
    return false;
  if (readsView(op, group) || (gathers(op) && readsFrom(op, group)))
    return false;
  if (group.kind == KernelGroup::Kind::Small)
    return isSmall(op) && group.elements + elementsOf(op) <= kSmallGroup;
  if (isa<ContractionInterface>(op))
    return false;
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  if (isa<Elementwise>(op) && shape == ArrayRef<int64_t>(group.shape)) {
    // An operand of another shape would have to be complete first.
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return shapeOf(operand) == shape ||
             !llvm::is_contained(group.ops, operand.getDefiningOp());
    });
  }
  if (group.kind == KernelGroup::Kind::Contraction || shape.empty() ||
      group.shape.empty() || shape[0] != group.shape[0] || shape[0] == 1)
    return false;
  auto lowerable = dyn_cast<Lowerable>(op);
  if (lowerable && !lowerable.keepsRows())
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    bool inside = llvm::is_contained(group.ops, operand.getDefiningOp());
    bool rowWise = !shapeOf(operand).empty() && shapeOf(operand)[0] == shape[0];
    bool sameRank = lowerable || shapeOf(operand).size() == shape.size();
    return !inside || (rowWise && sameRank);
  });
}

void KernelGroups::add(Operation *op, unsigned group) {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (source && isKernelOp(source) && !owner.count(source))
      add(source, group); // deferred until now
  }
  llvm::DenseSet<unsigned> producers;
  collectProducers(op, producers);
  producers.erase(group);
  for (unsigned producer : producers)
    read(group, producer);
  all[group].ops.push_back(op);
  all[group].elements += elementsOf(op);
  if (IntegerAttr collective = getCollective(op))
    all[group].collective = collective;
  owner[op] = group;
}

/// True when a group can become part of another of the same shape, or of
/// another small one, without running in a circle over a third.
bool KernelGroups::canMerge(unsigned from, unsigned into) const {
  const KernelGroup &a = all[from], &b = all[into];
  if (from == into || isAlone(a) || isAlone(b) || a.level != b.level ||
      a.slot != b.slot || !canShare(a.collective, b.collective) ||
      a.isFallback != b.isFallback || a.isForSummary != b.isForSummary ||
      a.ops.size() + b.ops.size() > maxOps)
    return false;
  bool small = a.kind == KernelGroup::Kind::Small &&
               b.kind == KernelGroup::Kind::Small &&
               a.elements + b.elements <= kSmallGroup;
  bool sameShape = a.kind == KernelGroup::Kind::Rows &&
                   b.kind != KernelGroup::Kind::Small && a.shape == b.shape &&
                   isElementwise(a);
  // A micro-kernel would make the same random block once for each of its words.
  if (b.kind == KernelGroup::Kind::Contraction)
    sameShape = sameShape && llvm::none_of(a.ops, [](Operation *op) {
                  return cast<Elementwise>(op).isCheapToRecompute();
                });
  if (!small && !sameShape)
    return false;
  // A value that passes through a view, that is gathered or multiplied must
  // be complete.
  for (Operation *op : b.ops)
    if (readsView(op, a) ||
        ((gathers(op) || isa<ContractionInterface>(op)) && readsFrom(op, a)))
      return false;
  for (Operation *op : a.ops)
    if (readsView(op, b) || (gathers(op) && readsFrom(op, b)))
      return false;
  for (unsigned input : b.inputs)
    if (input != from && dependsOn(input, from))
      return false;
  for (unsigned input : a.inputs)
    if (input != into && dependsOn(input, into))
      return false;
  return true;
}

void KernelGroups::merge(unsigned from, unsigned into) {
  KernelGroup &a = all[from], &b = all[into];
  for (Operation *op : a.ops)
    owner[op] = into;
  b.ops.append(a.ops);
  llvm::sort(b.ops,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  b.elements += a.elements;
  if (a.collective)
    b.collective = a.collective;
  b.inputs.erase(from);
  readers[from].erase(into);
  for (unsigned input : a.inputs) {
    readers[input].erase(from);
    if (input != into)
      read(into, input);
  }
  for (unsigned reader : readers[from]) {
    all[reader].inputs.erase(from);
    read(reader, into);
  }
  readers[from].clear();
  a = KernelGroup{a.kind, {}, {}, 0, a.level, {}, {}, false, false, a.slot};
}

void KernelGroups::place(Operation *op) {
  llvm::DenseSet<unsigned> producers;
  collectProducers(op, producers);
  SmallVector<unsigned> candidates(producers.begin(), producers.end());
  llvm::sort(candidates, std::greater<unsigned>());
  // Contractions first: an epilogue saves a pass over their result. Then groups
  // that can take others in.
  auto rank = [&](unsigned group) {
    if (all[group].kind == KernelGroup::Kind::Contraction)
      return 0;
    return isElementwise(all[group]) ? 2 : 1;
  };
  llvm::stable_sort(candidates,
                    [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  if (isSmall(op))
    addOpenGroups(producers, candidates);
  for (unsigned candidate : candidates)
    if (canJoin(op, candidate, producers)) {
      for (unsigned producer : producers)
        if (canShare(op, all[producer]) && canMerge(producer, candidate))
          merge(producer, candidate);
      for (OpenGroup &each : open)
        if (each.group == candidate)
          each.misses = 0;
      return add(op, candidate);
    }
  KernelGroup group;
  group.kind = isa<ContractionInterface>(op) ? KernelGroup::Kind::Contraction
               : isSmall(op)                 ? KernelGroup::Kind::Small
                                             : KernelGroup::Kind::Rows;
  group.shape = SmallVector<int64_t>(shapeOf(op->getResult(0)));
  group.level = levels.lookup(op);
  group.isFallback = isFallback(op);
  group.isForSummary = isForSummary(op);
  if (auto slot = slots.find(op); slot != slots.end())
    group.slot = slot->second;
  all.push_back(group);
  heights.push_back(0);
  readers.emplace_back();
  if (group.kind == KernelGroup::Kind::Small)
    open.push_back({static_cast<unsigned>(all.size() - 1)});
  add(op, all.size() - 1);
}

} // namespace graphc
