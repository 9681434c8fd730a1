// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the GPU implementations of a module's kernels.
#include "dialects/exec/Exec.h"

using namespace mlir;

namespace graphc::exec {

GpuKernels::GpuKernels(ModuleOp module) {
  for (auto op : module.getOps<GpuKernelOp>())
    byName[op.getKernel()] = op;
}

GpuKernels::Scratch GpuKernels::scratchOf(ProgramOp program) const {
  Scratch scratch;
  for (auto dispatch : program.getBlock().getOps<DispatchOp>())
    if (GpuKernelOp kernel = lookup(dispatch.getKernel()))
      if (auto bytes = static_cast<int64_t>(kernel.getScratch());
          bytes > scratch.bytes)
        scratch = {bytes, dispatch};
  return scratch;
}

} // namespace graphc::exec
