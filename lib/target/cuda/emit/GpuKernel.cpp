// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As on a CPU, the fastest strategy that fits:
//   elementwise   the matrix in blocks of four elements (ElementwiseKernel)
//   lines         a group of threads per row or column (LineKernel)
//   phases        op by op, a thread or group per element (PhaseKernel)
#include "lib/target/cuda/emit/GpuKernel.h"

#include "lib/target/common/KernelAttrs.h"
#include "lib/target/cuda/emit/ElementwiseKernel.h"
#include "lib/target/cuda/emit/LineKernel.h"
#include "lib/target/cuda/emit/PhaseKernel.h"
#include "lib/target/cuda/emit/StagedReduction.h"
#include "lib/target/cuda/emit/Threads.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc {
namespace {

/// 256 threads each, 8 on a multiprocessor: enough for 256 of these.
constexpr int64_t kMaxBlocks = 2048;

SmallVector<PhaseLaunch> emitCode(TensorKernel &kernel,
                                  const std::optional<FlatPlan> &plan) {
  if (!plan)
    return emitPhaseKernel(kernel);
  bool elementwise = isElementwise(kernel, *plan);
  return {{{},
           elementwise ? emitElementwiseKernel(kernel, *plan)
                       : emitLineKernel(kernel, *plan)}};
}

/// True if a group per line would leave most of a GPU without work; reductions
/// in two stages do not.
bool hasFewLongLines(const TensorKernel &kernel, const FlatPlan &plan) {
  int64_t lines = plan.byRow ? plan.rows : plan.columns;
  return !isElementwise(kernel, plan) && lines < kFewResults &&
         plan.rows * plan.columns / lines >= kLongReduction;
}

/// PTX knows letters, digits, _ and $. Kernels whose names differ in other
/// characters get a $ each.
std::string entryName(StringRef kernel, size_t launch, size_t launches,
                      llvm::StringSet<> &entries) {
  std::string name = llvm::isDigit(kernel.front()) ? "_" : "";
  for (char c : kernel)
    name += llvm::isAlnum(c) ? c : '_';
  if (launches > 1)
    name += "_" + std::to_string(launch);
  while (!entries.insert(name).second)
    name += '$';
  return name;
}

/// Takes out what only the threads of a CPU need: the range of units, and the
/// scratch memory if there is none. Accesses carry their own
/// alignment; LLVM must not know more, or it reads three aligned elements as
/// four, the last of which is beyond the end.
int64_t dropCpuArguments(func::FuncOp func) {
  Block &block = func.getBody().front();
  unsigned count = block.getNumArguments();
  int64_t scratch = kernelTiles(func).scratch;
  llvm::BitVector dropped(count);
  dropped.set(count - 2, count);
  if (scratch == 0)
    dropped.set(count - 3);
  (void)func.eraseArguments(dropped);
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    func.removeArgAttr(i, "llvm.align");
  removeKernelTiles(func);
  return scratch;
}

/// Leaves in `copy`, a clone of `func`, the code of launch `kept` only.
void keepLaunch(func::FuncOp copy, size_t kept) {
  SmallVector<scf::ExecuteRegionOp> codes(copy.getOps<scf::ExecuteRegionOp>());
  for (auto [i, code] : llvm::enumerate(codes))
    if (i != kept)
      code.erase();
}

} // namespace

LaunchShape shapeForThreads(int64_t threads) {
  int64_t blocks = llvm::divideCeil(std::max<int64_t>(threads, 1), kThreads);
  if (blocks == 1)
    return {1, static_cast<int64_t>(llvm::alignTo(threads, kWarp))};
  return {std::min(blocks, kMaxBlocks), kThreads};
}

FailureOr<GpuKernel> emitGpuKernel(func::FuncOp func,
                                   llvm::StringSet<> &entries) {
  TensorKernel kernel(func);
  if (failed(kernel.normalize()))
    return failure();
  std::optional<FlatPlan> plan =
      planFlat(kernel, {/*manyPasses=*/true, /*scalarBodies=*/true});
  if (plan && hasFewLongLines(kernel, *plan))
    plan.reset();
  if (!plan && failed(kernel.fuse()))
    return failure();
  kernel.begin();
  SmallVector<PhaseLaunch> launches = emitCode(kernel, plan);
  kernel.finish(/*units=*/1);

  GpuKernel result;
  result.name = func.getName().str();
  result.scratch = dropCpuArguments(func);
  OpBuilder b(func);
  for (auto [i, launch] : llvm::enumerate(launches)) {
    std::string entry = entryName(result.name, i, launches.size(), entries);
    auto part = cast<func::FuncOp>(b.clone(*func));
    part.setName(entry);
    exec::ExecDialect::BlockAttrHelper(b.getContext())
        .setAttr(part, b.getI64IntegerAttr(launch.shape.block));
    if (launches.size() > 1)
      keepLaunch(part, i);
    result.launches.push_back({entry, static_cast<unsigned>(launch.shape.grid),
                               static_cast<unsigned>(launch.shape.block)});
  }
  func.erase();
  return result;
}

} // namespace graphc
