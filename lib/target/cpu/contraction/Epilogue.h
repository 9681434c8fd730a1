// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Epilogue of a contraction kernel, on a tile of accumulators while they are in
// registers: store them, or run an elementwise op over them and store that.
#ifndef GRAPHC_LIB_TARGET_CPU_CONTRACTION_EPILOGUE_H
#define GRAPHC_LIB_TARGET_CPU_CONTRACTION_EPILOGUE_H

#include "lib/target/common/KernelBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace graphc {

/// The elementwise op fused after a contraction.
struct Epilogue {
  /// Over the result space of the contraction; null: store the accumulators.
  mlir::linalg::GenericOp body;
  /// The input operand of `body` that is the result of the contraction.
  unsigned accumulator = 0;
  /// A memref per input of `body`; null at `accumulator`. A bool of `body`
  /// lives in memory as an i8 that is 0 or 1.
  llvm::SmallVector<mlir::Value> inputs;
  /// A memref per result of `body`, or the one output of the contraction. It
  /// may be the memref of an input with the identity map: the update is in
  /// place.
  llvm::SmallVector<mlir::Value> outputs;
};

/// True if `body` can be the body of an Epilogue: all loops parallel, the
/// accumulator and the results with the identity map, the other inputs with a
/// projected permutation (constants allowed) in which the innermost loop is the
/// last result or absent, the inits not read, and canVectorizeBody(body).
bool canFuseEpilogue(mlir::linalg::GenericOp body, unsigned accumulator);

/// A tile of the result: `rows` positions, `rowStep` apart, along dimension
/// `rowDim` times `columns` along the innermost dimension.
struct ResultTile {
  llvm::SmallVector<mlir::Value> origin; ///< Index of the first element.
  unsigned rowDim;
  int64_t rows, columns, width;
  /// Row-major: ceil(columns / width) vectors of `width` lanes per row.
  llvm::SmallVector<mlir::Value> vectors;
  int64_t rowStep = 1;

  int64_t vectorsPerRow() const { return (columns + width - 1) / width; }
};

/// Floats of scratch that emitEpilogue may use for one tile.
constexpr int64_t kEpilogueScratchFloats = 1024;

/// Emits `epilogue` for one tile. `scratch`: a 1-D f32 memref of at least
/// kEpilogueScratchFloats; a long body runs in a loop over the tile's rows that
/// takes the accumulators from there, so that its code is emitted once.
void emitEpilogue(KernelBuilder &builder, const Epilogue &epilogue,
                  const ResultTile &tile, mlir::Value scratch);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CONTRACTION_EPILOGUE_H
