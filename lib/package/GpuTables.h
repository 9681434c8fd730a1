// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What model.fbs holds for GPUs.
#ifndef GRAPHC_LIB_PACKAGE_GPUTABLES_H
#define GRAPHC_LIB_PACKAGE_GPUTABLES_H

#include "dialects/exec/Exec.h"
#include "lib/package/BlobArea.h"
#include "lib/package/SharedTables.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Writes the tables of one module.
class GpuTables {
public:
  template <typename T>
  using List = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<T>>>;

  GpuTables(mlir::ModuleOp module, SharedTables &tables);

  /// Null where no program is for a GPU.
  List<format::GpuImage> images(BlobArea &blobs);
  /// One per kernel of the module; null where no program is for a GPU.
  List<format::GpuKernel> kernels();
  /// The most bytes that a kernel of the program needs beside its buffers; 0
  /// for a program on another device.
  uint64_t scratchOf(exec::ProgramOp program) const {
    return own.scratchOf(program).bytes;
  }

private:
  flatbuffers::Offset<format::GpuKernel> kernel(exec::GpuKernelOp op);
  flatbuffers::Offset<format::GpuStage> stage(mlir::Operation &op);

  mlir::ModuleOp module;
  SharedTables &tables;
  exec::GpuKernels own;
};

} // namespace graphc

#endif
