// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes loops and choices out, one copy of the body per step:
//
//   %h = tfir.scan steps 2 carry(%h0) : ... {    %a = tfir.tanh %h0
//   ^bb0(%i: ..., %s: ...):                      %h = tfir.tanh %a
//     %t = tfir.tanh %s              ->
//     tfir.yield %t
//   }
//
// Those in the bodies of a KernelControlInterface, which stays, are written out
// there.
//
// Ops of the body of a tfir.recompute are marked with the number of the body,
// `tfir.recompute`, which differentiation reads.
//
// Guarantees: no ControlOpInterface is left in a graph but
// tfir.custom_gradient, whose body has none.
#include "graphc/Passes.h"

#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/control/KernelControl.h"
#include "dialects/tfir/ops/control/RecomputeAttr.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/frontend/UniqueNames.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_EXPANDCONTROLPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// Copies the bodies of one graph. A copy of the op `h` for step 2 is `h/2`.
class BodyCopier {
public:
  BodyCopier(GraphOp graph, OpBuilder &builder)
      : builder(builder), names(graph) {}

  /// As CopyBody.
  SmallVector<Value> copy(Region &body, ValueRange arguments, int64_t step);

private:
  void name(Operation *op, int64_t step);
  void rename(Operation *op);
  static void reseed(Operation *op, int64_t step);

  OpBuilder &builder;
  UniqueNames names;
  llvm::StringMap<StringAttr> renamed; ///< in the copy that is being made
};

SmallVector<Value> BodyCopier::copy(Region &body, ValueRange arguments,
                                    int64_t step) {
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (value)
      mapping.map(argument, value);
  SmallVector<Operation *> copies;
  for (Operation &op : body.front().without_terminator())
    copies.push_back(builder.clone(op, mapping));
  SmallVector<Value> yielded;
  for (Value value : body.front().getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  if (step < 0)
    return yielded;
  renamed.clear();
  for (Operation *op : copies)
    op->walk([&](Operation *inner) {
      name(inner, step);
      reseed(inner, step);
    });
  for (Operation *op : copies)
    op->walk([&](Operation *inner) { rename(inner); });
  return yielded;
}

void BodyCopier::name(Operation *op, int64_t step) {
  StringAttr old = getNodeName(op);
  if (!old || old.empty())
    return;
  std::string wanted = old.str() + "/" + std::to_string(step);
  auto made = StringAttr::get(op->getContext(), names.take(wanted));
  setNodeName(op, made);
  renamed[old.getValue()] = made;
}

/// Keeps an op that is to be where another op of its body is with the copy.
void BodyCopier::rename(Operation *op) {
  Attribute attr = getColocationAttr(op);
  auto newName = [&](Attribute entry) -> Attribute {
    auto text = dyn_cast<StringAttr>(entry);
    auto found = text ? renamed.find(text.getValue()) : renamed.end();
    return found == renamed.end() ? entry : found->second;
  };
  if (auto list = dyn_cast_if_present<ArrayAttr>(attr))
    setColocation(op, ArrayAttr::get(op->getContext(),
                                     llvm::map_to_vector(list, newName)));
  else if (attr)
    setColocation(op, newName(attr));
}

/// Gives a draw with a seed another stream in each step; one without is drawn
/// by its name, which differs already.
void BodyCopier::reseed(Operation *op, int64_t step) {
  auto seed = op->getAttrOfType<IntegerAttr>("seed");
  if (step == 0 || !seed || !isa<RandomSource>(op))
    return;
  // The increment of splitmix64: streams of near seeds stay apart.
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
  uint64_t mixed =
      seed.getValue().getZExtValue() + kGolden * static_cast<uint64_t>(step);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed ^= mixed >> 31;
  op->setAttr("seed", IntegerAttr::get(seed.getType(),
                                       static_cast<int64_t>(mixed >> 1)));
}

/// Expands the ops of one graph.
class ControlExpansion {
public:
  explicit ControlExpansion(GraphOp graph)
      : graph(graph), builder(graph.getContext()) {}

  LogicalResult run(Block &block);

private:
  LogicalResult expand(ControlOpInterface control);

  GraphOp graph;
  OpBuilder builder;
  std::optional<BodyCopier> copier;
  int64_t bodies = 0; ///< that are computed again
};

LogicalResult ControlExpansion::run(Block &block) {
  for (Operation *op = &block.front(), *next; op; op = next) {
    next = op->getNextNode();
    if (isa<KernelControlInterface>(op))
      for (Region &body : op->getRegions())
        if (failed(run(body.front())))
          return failure();
    auto control = dyn_cast<ControlOpInterface>(op);
    if (!control)
      continue;
    if (auto gradient = dyn_cast<CustomGradientOp>(op)) {
      if (failed(run(gradient.getBody().front())))
        return failure();
      continue;
    }
    Operation *before = op->getPrevNode();
    if (failed(expand(control)))
      return failure();
    // Its bodies may have had others.
    next = before ? before->getNextNode() : &block.front();
  }
  return success();
}

/// Writes the op out. What stands in a body that is computed again is so, too.
LogicalResult ControlExpansion::expand(ControlOpInterface control) {
  if (!copier)
    copier.emplace(graph, builder);
  Operation *op = control, *before = op->getPrevNode();
  builder.setInsertionPoint(op);
  FailureOr<SmallVector<Value>> results = control.expand(
      builder, [&](Region &body, ValueRange arguments, int64_t step) {
        return copier->copy(body, arguments, step);
      });
  if (failed(results))
    return failure();
  std::optional<int64_t> body = getRecomputed(op);
  if (!body && isa<RecomputeOp>(op))
    body = bodies++;
  if (body)
    for (Operation *made = op->getPrevNode(); made != before;
         made = made->getPrevNode())
      setRecomputed(made, body);
  op->replaceAllUsesWith(*results);
  op->erase();
  return success();
}

struct ExpandControlPass : impl::ExpandControlPassBase<ExpandControlPass> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>())
      if (failed(ControlExpansion(graph).run(graph.getBlock())))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
