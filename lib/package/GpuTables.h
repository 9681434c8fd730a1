// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the executable for GPUs.
#ifndef GRAPHC_LIB_PACKAGE_GPUTABLES_H
#define GRAPHC_LIB_PACKAGE_GPUTABLES_H

#include "dialects/exec/Exec.h"
#include "lib/package/SharedTables.h"
#include "runtime/target/cuda/format/CudaExecutable_generated.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Writes the tables of one module. Thread-safety: one thread.
class GpuTables {
public:
  explicit GpuTables(mlir::ModuleOp module);

  /// The code of the executable; of no bytes where no program is for a GPU.
  /// Once.
  flatbuffers::DetachedBuffer write();

private:
  template <typename T> using Tables = std::vector<flatbuffers::Offset<T>>;

  Tables<format::GpuImage> images();
  Tables<format::GpuKernel> kernels();
  flatbuffers::Offset<format::GpuKernel> kernel(exec::GpuKernelOp op);
  flatbuffers::Offset<format::GpuStage> stage(mlir::Operation &op);

  mlir::ModuleOp module;
  flatbuffers::FlatBufferBuilder builder;
  SharedTables tables;
  exec::GpuKernels own;
};

} // namespace graphc

#endif
