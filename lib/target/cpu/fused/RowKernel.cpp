// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ops that are the same for all rows, computed by every thread for itself
//   for row of the units
//     one loop nest per op, temporaries hold one row
//     copies of staged results
//
// Without rows the loop is over the single unit. An update in place is written
// directly if its op is the last reader and reads only the element that it
// writes; otherwise it is staged in a temporary.
#include "lib/target/cpu/fused/RowKernel.h"

#include "lib/target/common/Lanes.h"
#include "lib/target/common/fused/LoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace graphc {
namespace {

class Emitter {
public:
  Emitter(TensorKernel &kernel, const RowPlan &plan)
      : kernel(kernel), plan(plan), b(kernel.builder()) {}

  void run() {
    allocateTemporaries();
    stageResults();
    for (linalg::GenericOp op : kernel.ops())
      if (plan.hasRows && !plan.rowLoop.contains(op))
        emitOp(op, {});
    int64_t perUnit = rowsPerUnit();
    Value lower = b.mul(kernel.beginUnit(), perUnit);
    Value upper =
        b.min(b.mul(kernel.endUnit(), perUnit), b.constant(plan.rows));
    b.loop(lower, upper, 1, [&](Value row) {
      for (linalg::GenericOp op : kernel.ops())
        if (!plan.hasRows || plan.rowLoop.contains(op))
          emitOp(op, row);
      for (const Staged &staged : stagedResults)
        copyStaged(staged, row);
    });
    kernel.finish(llvm::divideCeil(plan.rows, perUnit));
  }

private:
  struct Staged {
    Value from, to;
    int64_t count; ///< elements of a row
  };

  int64_t rowsPerUnit() {
    int64_t elements = 1;
    for (linalg::GenericOp op : kernel.ops()) {
      auto loop = plan.rowLoop.find(op);
      if (loop == plan.rowLoop.end())
        continue;
      int64_t product = 1;
      for (auto [dim, size] : llvm::enumerate(op.getStaticLoopRanges()))
        product *= dim == loop->second ? 1 : size;
      elements = std::max(elements, product);
    }
    if (plan.rows * elements <= kSerialElements)
      return plan.rows;
    return std::max<int64_t>(1, kUnitElements / elements);
  }

  /// The elements of a tensor that are kept at a time.
  int64_t keptElements(Value root) {
    int64_t count = cast<RankedTensorType>(root.getType()).getNumElements();
    return plan.rowDim.contains(root) ? count / plan.rows : count;
  }

  Value allocateFor(Value root) {
    return kernel.allocate(getElementTypeOrSelf(root),
                           llvm::alignTo(keptElements(root), kLanes));
  }

  void allocateTemporaries() {
    for (linalg::GenericOp op : kernel.ops())
      for (Value result : op->getResults())
        if (!kernel.buffer(result)) {
          kernel.setBuffer(result, allocateFor(result));
          temporaries.insert(result);
        }
  }

  void stageResults() {
    for (const TensorKernel::Result &result : kernel.results()) {
      if (!result.inPlace || kernel.writesDirectly(result))
        continue;
      Value written = kernel.buffer(result.root);
      Value stage = allocateFor(result.root);
      stagedResults.push_back({stage, written, keptElements(result.root)});
      kernel.setBuffer(result.root, stage);
      temporaries.insert(result.root);
    }
  }

  void copyStaged(const Staged &staged, Value row) {
    Value first = plan.hasRows ? b.mul(row, staged.count) : b.constant(0);
    b.loop(b.constant(0), b.constant(staged.count), 1, [&](Value i) {
      Value value = memref::LoadOp::create(b, staged.from, i);
      memref::StoreOp::create(b, value, staged.to, b.add(first, i));
    });
  }

  TensorView view(Value tensor) {
    if (!isa<RankedTensorType>(tensor.getType()))
      return {{}, tensor, {}};
    Value root = TensorKernel::root(tensor);
    auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
    if (Value uniform = isStored(root) ? Value() : kernel.uniform(root))
      return {{}, uniform, SmallVector<int64_t>(shape.size(), 0)};
    SmallVector<int64_t> kept(shape);
    auto dim = plan.rowDim.find(root);
    bool oneRow = temporaries.contains(root) && dim != plan.rowDim.end();
    if (oneRow)
      kept[dim->second] = 1;
    TensorView view = rowMajorView(kernel.buffer(root), kept);
    if (oneRow)
      view.strides[dim->second] = 0;
    if (temporaries.contains(root))
      view.paddedCount = keptElements(root);
    return view;
  }

  /// A fill that is a result is stored, but nobody has to load it.
  bool isStored(Value root) {
    return storing == root.getDefiningOp() && storing;
  }

  void emitOp(linalg::GenericOp op, Value row) {
    LoopNest nest;
    nest.op = op;
    for (Value operand : op->getOperands())
      nest.operands.push_back(view(operand));
    storing = op;
    for (Value result : op->getResults())
      nest.results.push_back(view(result));
    storing = nullptr;
    if (auto loop = plan.rowLoop.find(op); loop != plan.rowLoop.end())
      nest.fixed = {loop->second, row};
    emitLoopNest(b, nest, [&](Value tensor) { return view(tensor); });
  }

  TensorKernel &kernel;
  const RowPlan &plan;
  KernelBuilder &b;
  llvm::DenseSet<Value> temporaries; ///< they hold one row, if they have any
  SmallVector<Staged> stagedResults;
  Operation *storing = nullptr;
};

} // namespace

void emitRowKernel(TensorKernel &kernel, const RowPlan &plan) {
  kernel.begin();
  Emitter(kernel, plan).run();
}

} // namespace graphc
