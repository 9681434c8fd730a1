// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intermediate tensors lie whole in the scratch memory. An update in place
// whose op, or a later one, reads other elements of the argument is staged
// there too and copied in a phase of its own at the end. A long reduction to
// few results is two phases.
#include "lib/target/cuda/emit/PhaseKernel.h"

#include "lib/target/cuda/emit/PointLoop.h"
#include "lib/target/cuda/emit/StagedReduction.h"
#include "lib/target/cuda/emit/Threads.h"
#include "lib/target/cuda/emit/TileLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;

namespace graphc {
namespace {

int64_t elementsOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements();
}

class Emitter {
public:
  explicit Emitter(TensorKernel &kernel) : kernel(kernel), b(kernel.builder()) {
    for (linalg::GenericOp op : kernel.ops())
      for (Value result : op->getResults())
        if (!kernel.buffer(result))
          kernel.setBuffer(result, scratchFor(result));
    for (const TensorKernel::Result &result : kernel.results()) {
      if (!result.inPlace || kernel.writesDirectly(result))
        continue;
      Value written = kernel.buffer(result.root);
      Value stage = scratchFor(result.root);
      stages.push_back({stage, written, elementsOf(result.root)});
      kernel.setBuffer(result.root, stage);
    }
    inOneBlock = kernel.ops().size() + stages.size() > 1;
    for (linalg::GenericOp op : kernel.ops()) {
      int64_t steps = 1;
      for (int64_t size : op.getStaticLoopRanges())
        steps *= size;
      inOneBlock &= steps <= kSerialElements;
    }
  }

  SmallVector<PhaseLaunch> run() {
    for (linalg::GenericOp op : kernel.ops())
      emitOp(op);
    for (const Stage &stage : stages)
      emitPhase([&](int64_t mostBlocks) { return copy(stage, mostBlocks); });
    if (inOneBlock)
      return {{{}, {1, kThreads}}};
    return std::move(launches);
  }

private:
  struct Stage {
    Value from, to;
    int64_t count;
  };

  Value scratchFor(Value tensor) {
    return kernel.allocateScratch(getElementTypeOrSelf(tensor),
                                  elementsOf(tensor));
  }

  void emitPhase(llvm::function_ref<LaunchShape(int64_t)> emit) {
    if (inOneBlock) {
      if (!first)
        barrier(b);
      first = false;
      emit(/*mostBlocks=*/1);
      return;
    }
    auto code = scf::ExecuteRegionOp::create(b, TypeRange());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&code.getRegion());
    LaunchShape shape = emit(std::numeric_limits<int32_t>::max());
    scf::YieldOp::create(b);
    launches.push_back({code, shape});
  }

  TensorView view(Value tensor) {
    if (!isa<RankedTensorType>(tensor.getType()))
      return {{}, tensor, {}};
    Value root = TensorKernel::root(tensor);
    auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
    if (Value uniform = kernel.uniform(root))
      return {{}, uniform, SmallVector<int64_t>(shape.size(), 0)};
    return rowMajorView(kernel.buffer(root), shape);
  }

  LoopNest nestOf(linalg::GenericOp op) {
    LoopNest nest;
    nest.op = op;
    for (Value operand : op->getOperands())
      nest.operands.push_back(view(operand));
    for (Value result : op->getResults())
      nest.results.push_back(
          rowMajorView(kernel.buffer(result),
                       cast<RankedTensorType>(result.getType()).getShape()));
    return nest;
  }

  void emitOp(linalg::GenericOp op) {
    LoopNest nest = nestOf(op);
    auto captured = [&](Value tensor) { return view(tensor); };
    if (int64_t parts = reductionParts(op); parts > 1) {
      SmallVector<Value> partials;
      for (Value result : op->getResults())
        partials.push_back(kernel.allocateScratch(getElementTypeOrSelf(result),
                                                  elementsOf(result) * parts));
      emitPhase([&](int64_t) {
        return emitPartials(b, nest, captured, parts, partials);
      });
      emitPhase([&](int64_t) {
        return emitRest(b, nest, captured, parts, partials);
      });
      return;
    }
    emitPhase([&](int64_t mostBlocks) {
      if (auto turned = findTurnedOperand(nest))
        return emitTileLoop(b, nest, captured, *turned, mostBlocks);
      return emitPointLoop(b, nest, captured, mostBlocks);
    });
  }

  LaunchShape copy(const Stage &stage, int64_t mostBlocks) {
    LaunchShape shape = shapeForThreads(stage.count);
    shape = {std::min(shape.grid, mostBlocks), kThreads};
    b.loop(gridThreadNumber(b, kThreads), b.constant(stage.count),
           shape.grid * kThreads, [&](Value i) {
             Value value = memref::LoadOp::create(b, stage.from, i);
             memref::StoreOp::create(b, value, stage.to, i);
           });
    return shape;
  }

  TensorKernel &kernel;
  KernelBuilder &b;
  SmallVector<Stage> stages;
  SmallVector<PhaseLaunch> launches;
  bool inOneBlock = false;
  bool first = true;
};

} // namespace

SmallVector<PhaseLaunch> emitPhaseKernel(TensorKernel &kernel) {
  return Emitter(kernel).run();
}

} // namespace graphc
