// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 matrix multiplication as a packed, register-tiled loop nest.
#ifndef GRAPHC_LIB_TARGET_CPU_CONTRACTION_MATMULKERNEL_H
#define GRAPHC_LIB_TARGET_CPU_CONTRACTION_MATMULKERNEL_H

#include "dialects/tfir/ContractionSpec.h"
#include "dialects/tfir/MatmulBatch.h"
#include "lib/target/cpu/contraction/Contraction.h"
#include "lib/target/cpu/contraction/Epilogue.h"

namespace graphc {

/// The plan of a kernel for `spec`. A unit is a block of rows times a group of
/// column panels of one of the products.
ContractionPlan planMatmul(const tfir::MatmulSpec &spec,
                           const tfir::MatmulBatch &batch = {});

/// Emits, at the insertion point, the loop nest that computes the units
/// [begin, end). `a`, `b`: contiguous static f32 memrefs that no output
/// overlaps; `scratch`: a memref of i8 with plan.scratchBytes bytes, aligned to
/// 64. The result space of `epilogue` is that of the batch, then [m, n].
void emitMatmul(mlir::OpBuilder &builder, mlir::Location loc,
                const tfir::MatmulSpec &spec, mlir::Value a, mlir::Value b,
                const Epilogue &epilogue, mlir::Value scratch,
                mlir::Value begin, mlir::Value end,
                const RegisterTile &tile = kTileX86V4,
                const tfir::MatmulBatch &batch = {});

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CONTRACTION_MATMULKERNEL_H
