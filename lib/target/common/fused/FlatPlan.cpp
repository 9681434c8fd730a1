// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First the split of the index space into rows and columns is chosen, from the
// reductions or else from the broadcasts; then every op must fit it.
#include "lib/target/common/fused/FlatPlan.h"

#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Tfir.h"
#include "lib/target/common/BodyReads.h"
#include "lib/target/common/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace graphc {
namespace {

using Dims = SmallVector<unsigned>;

/// There is a loop for each part of a join.
constexpr size_t kMaxParts = 16;

int64_t steps(linalg::GenericOp op, ArrayRef<unsigned> dims) {
  auto sizes = op.getStaticLoopRanges();
  int64_t product = 1;
  for (unsigned dim : dims)
    product *= sizes[dim];
  return product;
}

/// The long loops that walk over an operand, in the order of its dimensions.
std::optional<Dims> walkedLoops(linalg::GenericOp op, AffineMap map) {
  auto sizes = op.getStaticLoopRanges();
  Dims dims;
  for (AffineExpr expr : map.getResults()) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      // One element of a tensor is a scalar, part of a tensor is not supported.
      if (constant.getValue() != 0 && !map.isConstant())
        return {};
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return {};
    if (sizes[dim.getPosition()] != 1)
      dims.push_back(dim.getPosition());
  }
  return dims;
}

/// The number of the element that a constant map picks; 0 for other maps.
int64_t constantElement(Value tensor, AffineMap map) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !map.isConstant())
    return 0;
  int64_t element = 0;
  for (auto [size, at] : llvm::zip(type.getShape(), map.getConstantResults()))
    element = element * size + at;
  return element;
}

bool isPrefix(ArrayRef<unsigned> part, ArrayRef<unsigned> whole) {
  return part.size() <= whole.size() && part == whole.take_front(part.size());
}

bool isSuffix(ArrayRef<unsigned> part, ArrayRef<unsigned> whole) {
  return part.size() <= whole.size() && part == whole.take_back(part.size());
}

Dims reductionLoops(linalg::GenericOp op) {
  Dims dims;
  for (unsigned dim : longLoops(op))
    if (op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction)
      dims.push_back(dim);
  return dims;
}

class Planner {
public:
  Planner(TensorKernel &kernel, FlatRules rules)
      : kernel(kernel), rules(rules) {}

  std::optional<FlatPlan> run() {
    for (linalg::GenericOp op : kernel.ops())
      total = std::max(total, steps(op, longLoops(op)));
    if (total <= 1 || !chooseSplit())
      return {};
    for (linalg::GenericOp op : kernel.ops())
      if (!addOp(op))
        return {};
    if (!checkResults())
      return {};
    llvm::sort(plan.cuts);
    plan.cuts.erase(llvm::unique(plan.cuts), plan.cuts.end());
    return std::move(plan);
  }

private:
  /// Takes the split rows x total/rows; false if another one was taken.
  bool takeSplit(int64_t rows, bool byRow) {
    if (rows == 0 || total % rows != 0)
      return false;
    if (hasSplit)
      return plan.rows == rows && plan.byRow == byRow;
    plan.rows = rows;
    plan.columns = total / rows;
    plan.byRow = byRow;
    return hasSplit = true;
  }

  bool splitByReduction(linalg::GenericOp op) {
    Dims loops = longLoops(op), reductions = reductionLoops(op);
    if (isSuffix(reductions, loops))
      return takeSplit(steps(op, loops) / steps(op, reductions), true);
    if (isPrefix(reductions, loops))
      return takeSplit(steps(op, reductions), false);
    return false;
  }

  bool splitByBroadcast(linalg::GenericOp op) {
    Dims loops = longLoops(op);
    for (AffineMap map : op.getIndexingMapsArray()) {
      auto walked = walkedLoops(op, map);
      if (!walked)
        return false;
      if (walked->empty() || *walked == loops)
        continue;
      int64_t rows = isPrefix(*walked, loops)   ? steps(op, *walked)
                     : isSuffix(*walked, loops) ? total / steps(op, *walked)
                                                : 0;
      // A few long rows are shared out by columns.
      if (!takeSplit(rows, rows >= 64 || total / std::max<int64_t>(rows, 1) <
                                             kSerialElements))
        return false;
    }
    return true;
  }

  /// The index of a row is cheap if it does not come from a division.
  bool splitByIndex(linalg::GenericOp op) {
    Dims loops = longLoops(op);
    if (loops.size() < 2 || op.getBody()->getOps<linalg::IndexOp>().empty())
      return true;
    int64_t columns = steps(op, {loops.back()});
    return columns < 64 || takeSplit(total / columns, true);
  }

  bool chooseSplit() {
    SmallVector<linalg::GenericOp> full;
    for (linalg::GenericOp op : kernel.ops()) {
      if (steps(op, longLoops(op)) == total)
        full.push_back(op);
      if (!reductionLoops(op).empty() &&
          (steps(op, longLoops(op)) != total || !splitByReduction(op)))
        return false;
    }
    if (!hasSplit)
      for (linalg::GenericOp op : full)
        if (!splitByBroadcast(op))
          return false;
    if (!hasSplit)
      for (linalg::GenericOp op : full)
        if (!splitByIndex(op))
          return false;
    return hasSplit || takeSplit(1, false);
  }

  Space scalarSpace() const {
    return plan.byRow && plan.rows == 1 ? Space::Row : Space::Scalar;
  }

  /// The space of the loops of `op`.
  std::optional<Space> loopSpace(linalg::GenericOp op) {
    int64_t count = steps(op, longLoops(op));
    if (count == total)
      return Space::Full;
    if (count == 1)
      return scalarSpace();
    if (plan.rows == plan.columns) // only the operands can tell
      for (Value operand : op->getOperands())
        if (auto found = spaces.find(TensorKernel::root(operand));
            found != spaces.end() && count == plan.rows)
          return found->second;
    if (plan.rows == plan.columns)
      return {};
    if (count == plan.rows)
      return Space::Row;
    if (count == plan.columns)
      return Space::Column;
    return {};
  }

  std::optional<Space> operandSpace(linalg::GenericOp op, AffineMap map,
                                    Space loops) {
    auto walked = walkedLoops(op, map);
    if (!walked)
      return {};
    Dims all = longLoops(op);
    if (*walked == all)
      return loops;
    if (walked->empty())
      return scalarSpace();
    if (loops != Space::Full)
      return {};
    if (isPrefix(*walked, all) && steps(op, *walked) == plan.rows)
      return Space::Row;
    if (isSuffix(*walked, all) && steps(op, *walked) == plan.columns)
      return Space::Column;
    return {};
  }

  bool addOperands(FlatOp &flat) {
    for (OpOperand &operand : flat.op->getOpOperands()) {
      Value root = TensorKernel::root(operand.get());
      auto space = operandSpace(
          flat.op, flat.op.getMatchingIndexingMap(&operand), flat.space);
      if (!space)
        return false;
      flat.operands.push_back(*space);
      flat.elements.push_back(constantElement(
          operand.get(), flat.op.getMatchingIndexingMap(&operand)));
      if (!isa<RankedTensorType>(root.getType()) || kernel.uniform(root))
        continue;
      if (auto found = spaces.find(root);
          found != spaces.end() && found->second != *space)
        return false;
      flat.late |= lateValues.contains(root);
      if (auto argument = kernel.argument(root))
        uses[*argument].push_back(*space);
    }
    return true;
  }

  /// The parts of an op that joins arguments of the kernel, each from the start
  /// of a block on; nothing for other ops. Only what walks by columns stops
  /// where a part begins.
  SmallVector<FlatPart> findParts(const FlatOp &flat) {
    linalg::GenericOp op = flat.op;
    auto axis = tfir::TfirDialect::JoinAttrHelper(op.getContext()).getAttr(op);
    if (rules.scalarBodies || plan.byRow || !axis ||
        flat.space != Space::Full || plan.rows != 1 ||
        llvm::any_of(longLoops(op),
                     [&](unsigned dim) { return dim < axis.getInt(); }))
      return {};
    SmallVector<FlatPart> parts;
    int64_t begin = 0;
    for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
      Value root = TensorKernel::root(extract.getTensor());
      auto type = cast<RankedTensorType>(root.getType());
      if (!kernel.argument(root) || begin % kBlock != 0 ||
          type.getElementType() !=
              getElementTypeOrSelf(op->getResult(0).getType()))
        return {};
      parts.push_back({root, begin});
      begin += type.getNumElements();
    }
    return begin == total && parts.size() <= kMaxParts
               ? parts
               : SmallVector<FlatPart>();
  }

  void addParts(FlatOp &flat) {
    flat.parts = findParts(flat);
    for (const FlatPart &part : flat.parts) {
      // Another element than the one that is written.
      uses[*kernel.argument(part.root)].push_back(Space::Scalar);
      if (part.begin != 0)
        plan.cuts.push_back(part.begin);
    }
  }

  bool canGatherFrom(tensor::ExtractOp extract) {
    Value root = TensorKernel::root(extract.getTensor());
    bool isGiven = kernel.argument(root) ||
                   isa_and_nonnull<arith::ConstantOp>(root.getDefiningOp());
    return isGiven && !kernel.isOverwritten(root);
  }

  bool hasEmittableBody(const FlatOp &flat) {
    if (!flat.parts.empty())
      return true;
    linalg::GenericOp generic = flat.op;
    SmallVector<tensor::ExtractOp> gathers = bodyReads(generic);
    if (rules.scalarBodies)
      return llvm::all_of(gathers,
                          [&](tensor::ExtractOp gather) {
                            return canGatherFrom(gather);
                          });
    if (flat.space == Space::Full || flat.space == Space::Column)
      return canUseLanes(flat.op);
    return gathers.empty();
  }

  bool addOp(linalg::GenericOp op) {
    FlatOp flat;
    flat.op = op;
    flat.reduces = !reductionLoops(op).empty();
    auto space = loopSpace(op);
    if (!space)
      return false;
    flat.space = *space;
    addParts(flat);
    if (!addOperands(flat) || !hasEmittableBody(flat) ||
        (flat.reduces && !hasCombiners(op)))
      return false;
    Space unitSpace = plan.byRow ? Space::Row : Space::Column;
    if (!rules.manyPasses && flat.late &&
        (flat.reduces || flat.space != unitSpace))
      return false;
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      Space own = flat.operands[op.getNumDpsInputs() + i];
      if (own != (flat.reduces ? unitSpace : flat.space))
        return false;
      spaces[result] = own;
      if (flat.reduces || flat.late)
        lateValues.insert(result);
    }
    plan.ops.push_back(std::move(flat));
    return true;
  }

  /// Results are written by one unit each, and an argument that is overwritten
  /// is read nowhere but at the element that is written.
  bool checkResults() {
    for (const TensorKernel::Result &result : kernel.results()) {
      Space space = spaces.lookup(result.root);
      if (space != Space::Full &&
          space != (plan.byRow ? Space::Row : Space::Column))
        return false;
      if (result.inPlace && llvm::any_of(uses[*result.inPlace], [&](Space use) {
            return use != space;
          }))
        return false;
    }
    return true;
  }

  TensorKernel &kernel;
  FlatRules rules;
  FlatPlan plan;
  int64_t total = 0;
  bool hasSplit = false;
  llvm::DenseMap<Value, Space> spaces;
  llvm::DenseSet<Value> lateValues;
  llvm::DenseMap<unsigned, SmallVector<Space>> uses;
};

} // namespace

Dims longLoops(linalg::GenericOp op) {
  Dims dims;
  for (auto [dim, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (size != 1)
      dims.push_back(dim);
  return dims;
}

std::optional<FlatPlan> planFlat(TensorKernel &kernel, FlatRules rules) {
  return Planner(kernel, rules).run();
}

} // namespace graphc
