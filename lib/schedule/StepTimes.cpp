// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/schedule/StepTimes.h"

#include "dialects/tfir/Support.h"
#include "lib/target/Target.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

// What the simulated devices do in a microsecond. Only ratios matter, and they
// are much the same for cores and for GPUs, whose programs may run on cores.
constexpr double kFlops = 5e4;
constexpr double kBytes = 1e4;
constexpr double kLaunch = 1;
constexpr double kSend = 0.5;
constexpr double kTransfer = 2;

} // namespace

double StepTimes::between(unsigned from, unsigned to) const {
  auto send = dyn_cast<SendOp>(graph.nodes()[from].op);
  auto recv = dyn_cast<RecvOp>(graph.nodes()[to].op);
  if (!send || !recv || send.getEdge() != recv.getEdge())
    return 0;
  return kTransfer +
         static_cast<double>(exec::tensorBytes(tensorType(send.getValue()))) /
             kBytes;
}

double StepTimes::costOf(Operation *op) {
  if (isa<RecvOp>(op))
    return 0;
  if (isa<SendOp>(op))
    return kSend;
  if (auto next = dyn_cast<NextOp>(op)) {
    double cost = kLaunch;
    for (Value value : next.getResults())
      cost +=
          static_cast<double>(exec::tensorBytes(tensorType(value))) / kBytes;
    return cost;
  }
  if (op->hasTrait<KernelBarrier>())
    return kLaunch;
  auto launch = cast<exec::LaunchOp>(op);
  auto [it, isNew] = kernels.try_emplace(launch.getKernel());
  if (isNew) {
    KernelCost cost = targetOf(cast<GraphOp>(launch->getParentOp()))
                          .costOf(graph.kernelOf(launch));
    it->second = kLaunch + std::max(cost.flops / kFlops, cost.bytes / kBytes);
  }
  return it->second;
}

} // namespace graphc
