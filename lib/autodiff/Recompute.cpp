// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/Recompute.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/ops/control/RecomputeAttr.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// The values that an op and its bodies take from outside of it.
SmallVector<Value> usedBy(Operation *op) {
  llvm::SetVector<Value> used;
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (Operation *maker = value.getDefiningOp();
          maker ? !op->isProperAncestor(maker)
                : !op->isAncestor(value.getParentBlock()->getParentOp()))
        used.insert(value);
  });
  return used.takeVector();
}

/// True for what is there in the backward pass at no cost: variables,
/// constants, the state of the step.
bool isSource(Operation *op) {
  return op->getNumOperands() == 0 && !isa<NextOp>(op);
}

} // namespace

/// Finds the bodies, once there is one.
void Recompute::collect() {
  isCollected = true;
  for (Operation &op : *at->getBlock()) {
    if (&op == at)
      break;
    if (std::optional<int64_t> body = getRecomputed(&op))
      bodies[*body].push_back(&op);
  }
}

Operation *Recompute::copyOf(Operation *op, Value gradient) {
  std::optional<int64_t> body = getRecomputed(op);
  if (!body)
    return op;
  if (!isCollected)
    collect();
  if (bodies.contains(*body))
    copyBody(*body, gradient);
  Operation *copy = copies.lookup(op);
  return copy ? copy : op;
}

void Recompute::copyBody(int64_t body, Value gradient) {
  SmallVector<Operation *> ops = std::move(bodies[body]);
  bodies.erase(body);
  // Made of sources alone: equal to its copy, which nothing could keep apart.
  llvm::DenseSet<Operation *> fromSources;
  IRMapping mapping;
  for (Operation *op : ops) {
    SmallVector<Value> activations;
    for (Value value : usedBy(op)) {
      Operation *maker = value.getDefiningOp();
      if (!maker || (!isSource(maker) && !fromSources.contains(maker)))
        activations.push_back(value);
    }
    bool isKept =
        isa<RandomSource>(op) || (!isSource(op) && activations.empty());
    if (isKept)
      fromSources.insert(op);
    if (isKept || isSource(op) || !isMemoryEffectFree(op))
      continue;
    for (Value value : activations) {
      if (mapping.contains(value))
        continue;
      derived.enterScope("gradients/recompute", op);
      mapping.map(value, OptimizationBarrierOp::create(builder, value.getLoc(),
                                                       value.getType(), value,
                                                       gradient)
                             .getY());
    }
    Operation *copy = op->clone(mapping);
    copy->walk([](Operation *inner) { setNodeName(inner, {}); });
    setRecomputed(copy, std::nullopt);
    setSlot(copy, std::nullopt);
    derived.enterScope("gradients/recompute", op);
    derived.nameNext("gradients/recompute/" + nameOf(op));
    builder.insert(copy);
    copies[op] = copy;
  }
}

} // namespace graphc
