// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/KernelCost.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/MatmulBatch.h"
#include "lib/target/common/FindContraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace graphc {

/// Steps that a loop is taken to have whose number only the data tell.
static constexpr double kGuessedSteps = 16;

KernelCost estimateCost(func::FuncOp kernel) {
  KernelCost cost;
  if (auto contraction = findContraction(kernel))
    cost.flops = contraction.getSpec().flops() *
                 static_cast<double>(tfir::batchOf(contraction).count());
  kernel.walk([&](linalg::GenericOp generic) {
    double points = 1;
    for (int64_t range : generic.getStaticLoopRanges())
      points *= static_cast<double>(range);
    double ops = static_cast<double>(
        std::max<size_t>(generic.getBody()->getOperations().size(), 2) - 1);
    for (auto loop = generic->getParentOfType<scf::WhileOp>(); loop;
         loop = loop->getParentOfType<scf::WhileOp>())
      ops *= kGuessedSteps;
    cost.flops += points * ops;
  });
  auto add = [&](Type type) {
    cost.bytes +=
        static_cast<double>(exec::tensorBytes(cast<RankedTensorType>(type)));
  };
  llvm::for_each(kernel.getArgumentTypes(), add);
  llvm::for_each(kernel.getResultTypes(), add);
  return cost;
}

} // namespace graphc
