// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixed precision: products of floats of 16 bits with sums of f32.
//
// The operands of matrix products and convolutions are rounded to the type.
// Ops that are elementwise or move elements, and have nothing to compute with
// but products, parameters and constants, follow: their values have 16 bits.
// These stay f32:
//
// - what leads to an update of a variable, from the last product or reduction
//   on, and variables themselves;
// - ops that make NaN or infinity of ordinary numbers (MakesNonFinite), and all
//   that is neither elementwise nor moves elements: reductions, norms, softmax,
//   losses, pools, comparisons;
// - bodies of tfir.while and tfir.cond.
#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/precision/HalfCasts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_MIXPRECISIONPASS
#include "graphc/Passes.h.inc"

namespace {

bool isArithmetic(Operation *op) {
  return isa<Elementwise>(op) || op->hasTrait<MovesElements>();
}

/// One graph.
class Mixer {
public:
  Mixer(GraphOp graph, Type half) : graph(graph), half(half), names(graph) {}

  void run();

private:
  void findUpdates();
  bool follows(Operation *op) const;
  bool isParameter(Value value) const;
  Value narrowed(Value value, Operation *user);
  Value narrowedConstant(ConstOp constant);
  void mixProduct(Operation *op);
  void mixArithmetic(Operation *op);

  GraphOp graph;
  Type half;
  UniqueNames names;
  /// Lead to an update with no product or reduction on the way.
  llvm::DenseSet<Operation *> towardsUpdate;
  /// f32 values that are products, or were kept in 16 bits.
  llvm::DenseSet<Value> ofProducts;
  /// The same numbers in 16 bits, by turn of a pipeline.
  llvm::DenseMap<std::pair<Value, int64_t>, Value> halves;
};

void Mixer::findUpdates() {
  for (Operation &op : llvm::reverse(graph.getBlock())) {
    auto access = dyn_cast<VariableAccess>(op);
    bool isUpdate = access && access.isUpdate();
    if (!isUpdate && !towardsUpdate.contains(&op))
      continue;
    if (isa<ContractionInterface>(op) ||
        (isa<Lowerable>(op) && !op.hasTrait<MovesElements>()))
      continue;
    for (Value operand : op.getOperands())
      if (Operation *maker = operand.getDefiningOp())
        towardsUpdate.insert(maker);
  }
}

/// A variable or a constant, perhaps in another shape: f32 numbers that are
/// rounded for whoever computes with them.
bool Mixer::isParameter(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<ReadOp, ConstOp>(op))
    return true;
  return op->hasTrait<MovesElements>() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isParameter(operand); });
}

bool Mixer::follows(Operation *op) const {
  if (!isArithmetic(op) || isa<CastOp>(op) || op->hasTrait<MakesNonFinite>() ||
      towardsUpdate.contains(op) || op->getNumResults() != 1 ||
      !isSingleTensor(op->getResult(0).getType()))
    return false;
  bool hasProduct = false;
  for (Value operand : op->getOperands()) {
    if (!isSingleTensor(operand.getType()))
      continue;
    bool isProduct = ofProducts.contains(operand);
    if (!isProduct && !isParameter(operand))
      return false;
    hasProduct |= isProduct;
  }
  return hasProduct;
}

Value Mixer::narrowedConstant(ConstOp constant) {
  auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  if (!elements)
    return {};
  const llvm::fltSemantics &semantics =
      cast<FloatType>(half).getFloatSemantics();
  DenseElementsAttr value = elements.mapValues(half, [&](APFloat number) {
    bool lost = false;
    number.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
    return number.bitcastToAPInt();
  });
  OpBuilder b(constant);
  auto made = ConstOp::create(b, constant.getLoc(), value.getType(), value);
  copyNodeAttrs(constant, made);
  setNodeName(made, b.getStringAttr(names.take(
                        getNodeName(constant)
                            ? (getNodeName(constant).getValue() + "/Half").str()
                            : std::string("Half"))));
  return made.getOutput();
}

/// The value in 16 bits, made where it is computed, so that half as many bytes
/// travel from there.
Value Mixer::narrowed(Value value, Operation *user) {
  Operation *maker = value.getDefiningOp();
  std::optional<int64_t> turn = maker ? getSlot(maker) : std::nullopt;
  if (!turn)
    turn = getSlot(user);
  Value &known = halves[{value, turn.value_or(-1)}];
  if (known)
    return known;
  if (auto constant = dyn_cast_if_present<ConstOp>(maker))
    if (Value made = narrowedConstant(constant))
      return known = made;
  OpBuilder b(user);
  known = castLike(b, value, half, maker ? maker : user, names);
  Operation *cast = known.getDefiningOp();
  setSlot(cast, turn);
  if (auto read = dyn_cast_if_present<ReadOp>(maker))
    if (!getColocationAttr(cast))
      setColocation(cast, read.getVariableAttr().getAttr());
  return known;
}

/// The product adds up f32 of operands that are rounded.
void Mixer::mixProduct(Operation *op) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isSingleTensor(operand.get().getType()))
      continue;
    Value narrow = narrowed(operand.get(), op);
    operand.set(castLike(b, narrow, b.getF32Type(), op, names));
  }
  ofProducts.insert(op->getResult(0));
}

void Mixer::mixArithmetic(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isSingleTensor(operand.get().getType()))
      operand.set(narrowed(operand.get(), op));
  Value result = op->getResult(0);
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  result.setType(cast<RankedTensorType>(result.getType()).clone(half));
  Value wide = castLike(b, result, b.getF32Type(), op, names);
  result.replaceAllUsesExcept(wide, wide.getDefiningOp());
  ofProducts.insert(wide);
  std::optional<int64_t> turn = getSlot(op);
  halves[{wide, turn.value_or(-1)}] = result;
}

void Mixer::run() {
  findUpdates();
  SmallVector<Operation *> ops;
  for (Operation &op : graph.getBlock().without_terminator())
    ops.push_back(&op);
  SmallVector<Operation *> casts;
  for (Operation *op : ops) {
    if (isa<ContractionInterface>(op) &&
        isSingleTensor(op->getResult(0).getType())) {
      mixProduct(op);
    } else if (follows(op)) {
      mixArithmetic(op);
      casts.push_back(op->getNextNode());
    }
  }
  for (Operation *cast : casts)
    if (cast->use_empty())
      cast->erase();
}

struct MixPrecisionPass : impl::MixPrecisionPassBase<MixPrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    Builder b(&getContext());
    if (type == Precision::F32)
      return;
    Type half =
        type == Precision::F16 ? Type(b.getF16Type()) : Type(b.getBF16Type());
    for (auto graph : getOperation().getOps<GraphOp>())
      Mixer(graph, half).run();
  }
};

} // namespace
} // namespace graphc
