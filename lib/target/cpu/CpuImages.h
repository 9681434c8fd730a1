// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled kernels of CPUs in a module: exec.kernel and exec.image.
#ifndef GRAPHC_LIB_TARGET_CPU_CPUIMAGES_H
#define GRAPHC_LIB_TARGET_CPU_CPUIMAGES_H

#include "lib/target/common/KernelCost.h"
#include "lib/target/cpu/CompileCpu.h"
#include "lib/target/cpu/contraction/Contraction.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace graphc {

/// A level of CPU, and the registers that its micro-kernels may use.
struct CpuCodeLevel {
  llvm::StringLiteral isa;
  const RegisterTile &tile;
};

/// The levels that are asked for, in order; all if none is. Fails, after an
/// error at `module`, if a name is no level.
mlir::FailureOr<llvm::SmallVector<const CpuCodeLevel *>>
chooseCpuLevels(mlir::ModuleOp module, llvm::ArrayRef<std::string> names);

/// Name and cost of a kernel, which is the same on all levels.
struct CpuKernel {
  std::string name;
  KernelCost cost;
  bool hasCode = true; ///< false: only other targets execute it
};

/// The kernels that programs of other targets dispatch and those of the host do
/// not.
llvm::StringSet<> kernelsOfOthers(mlir::ModuleOp module);

/// The kernels that only the graph of first values dispatches.
llvm::StringSet<> kernelsOfFirstValues(mlir::ModuleOp module);

/// Compiles `kernels`, given in their final form (CompileCpu.h) by `levels`,
/// and replaces the module `origin` by exec.kernel and exec.image ops.
mlir::LogicalResult writeCpuImages(mlir::ModuleOp origin,
                                   llvm::ArrayRef<CpuKernel> kernels,
                                   llvm::ArrayRef<LevelKernels> levels,
                                   OptLevel optLevel, CodeCache &cache);

/// A CpuExecutable (runtime/target/cpu/format) of the images of a compiled
/// module; of no bytes where it has none.
std::vector<uint8_t> writeCpuExecutable(mlir::ModuleOp module);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CPUIMAGES_H
