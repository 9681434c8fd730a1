// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interface of a target: how the kernels of one kind of device are grouped,
// lowered and compiled. A target is a folder beside this file and a line of
// Targets.cpp.
#ifndef GRAPHC_LIB_TARGET_TARGET_H
#define GRAPHC_LIB_TARGET_TARGET_H

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Choices.h"
#include "lib/target/cache/CodeCache.h"
#include "lib/target/common/KernelCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc {

/// Options of code generation. A target reads those that concern it.
struct CodegenOptions {
  explicit CodegenOptions(CodeCache &cache) : cache(cache) {}

  CodeCache &cache; ///< of what LLVM makes
  /// Round each product and each sum, whatever kernel they are in.
  bool separateRounding = false;
  OptLevel optLevel = OptLevel::Full; ///< of the host's kernels
  std::vector<std::string> cpuLevels; ///< such as "x86-64-v3"; none: all
  std::vector<std::string> gpuArchs;  ///< such as "sm_80"
  /// Rounding of the operands of products that libraries of GPUs compute.
  exec::GpuPrecision precision = exec::GpuPrecision::Float32;
  bool cubin = false; ///< machine code of ptxas beside the PTX
};

/// Memory that the kernels of a program share beside their buffers.
struct DeviceScratch {
  int64_t bytes = 0;
  exec::DispatchOp largest; ///< that needs so much; null: none is needed
};

/// Number of ops in a kernel beyond which there is nothing to gain from one
/// more that is worth it: the time to compile a kernel grows faster than its
/// size.
inline constexpr size_t kMaxFusedOps = 128;

/// Code generation for one kind of device.
/// Thread-safety: targets have no state; all methods may run at the same time
/// on modules of different contexts.
class Target {
public:
  virtual ~Target() = default;

  /// "cpu", as --cpu-target takes it.
  virtual llvm::StringRef name() const = 0;

  /// Number of ops that one kernel may have; 1: nothing is fused.
  virtual size_t maxFusedOps() const = 0;

  /// True where large reductions are to be divided into parts that are computed
  /// side by side, and a small rest.
  virtual bool splitsReductions() const = 0;

  /// Replaces `op`, the gradient of a convolution, by ops that the target has
  /// better code for, if there are any. The op may be erased.
  virtual void prepareContraction(mlir::Operation *op) const = 0;

  /// Lowers a kernel of tfir ops, in place, to linalg on tensors and the
  /// contractions that the target has code for. Fails after a diagnostic.
  virtual mlir::LogicalResult lowerKernel(mlir::func::FuncOp kernel) const = 0;

  /// Estimated work of a lowered kernel.
  virtual KernelCost costOf(mlir::func::FuncOp kernel) const = 0;

  /// Scratch memory of a program of the target, as far as its kernels are
  /// compiled.
  virtual DeviceScratch scratchOf(exec::ProgramOp program) const = 0;

  /// Adds to the module around `kernels`, that of lowered kernels, the ops that
  /// the target's programs run in place of them. The host's target compiles all
  /// kernels, since the host can stand in for any device, and erases `kernels`;
  /// other targets compile what their programs dispatch and leave `kernels` as
  /// it is. Fails after a diagnostic.
  virtual mlir::LogicalResult compile(mlir::ModuleOp kernels,
                                      const CodegenOptions &options) const = 0;

  /// The name of the target's executables in a model.bin: a folder of
  /// runtime/target, which has their schema.
  virtual llvm::StringRef executableName() const = 0;

  /// The executable of a compiled module, a FlatBuffer; of no bytes where the
  /// module has no code of the target.
  virtual std::vector<uint8_t> writeExecutable(mlir::ModuleOp module) const = 0;

  /// Registers dialects and interfaces that the target needs beside those of
  /// registerCodegenDialects().
  virtual void registerDialects(mlir::DialectRegistry &registry) const {}
};

/// The target that a graph of one device is lowered for.
const Target &targetOf(tfir::GraphOp graph);
/// The target that a program is scheduled and compiled for.
const Target &targetOf(exec::ProgramOp program);

/// The target of CPUs, which also stands for devices of types without one.
const Target &hostTarget(mlir::ModuleOp module);
/// All targets but those of CPUs.
std::vector<const Target *> acceleratorTargets();
/// Names that the attribute tfir.cpu_target of a module may have, the usual one
/// first.
std::vector<std::string> hostTargetNames();

/// Dialects of kernels, and what the targets need beside them.
void registerTargetDialects(mlir::DialectRegistry &registry);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_TARGET_H
