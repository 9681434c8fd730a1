// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the GEMM and convolution kernels: the plan that their
// callers see and the size of the register tile.
#ifndef GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONTRACTION_H
#define GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONTRACTION_H

#include <algorithm>
#include <cstdint>

namespace graphc {

/// Needs and costs of a kernel. It is the same for every RegisterTile.
struct ContractionPlan {
  int64_t units = 1;        ///< Independent parts of the result.
  int64_t scratchBytes = 0; ///< Private to each thread.
  double flops = 0;         ///< Of all units.
  double bytes = 0;         ///< Read and written once, of all units.
  /// Filter gradient: leading dimension of the output, to be summed afterwards.
  int64_t partials = 1;
};

/// The vector registers that a micro-kernel may use. Every element of the
/// result is accumulated in the same order whatever the tile is, so the bits of
/// the result do not depend on it.
struct RegisterTile {
  int64_t width;     ///< Lanes of a vector.
  int64_t registers; ///< Vectors.

  /// Most rows of a tile of `vectors` columns of vectors: the rest holds a row
  /// of the right operand and one broadcast element of the left.
  constexpr int64_t rows(int64_t vectors) const {
    return (registers - 1) / vectors - 1;
  }
};

/// zmm registers: 14 rows by 2 vectors.
inline constexpr RegisterTile kTileX86V4{16, 32};
/// ymm registers: 6 rows by 2 vectors.
inline constexpr RegisterTile kTileX86V3{8, 16};

/// Splits `count` rows into tiles of at most `most` rows whose heights differ
/// by at most one, the higher ones first.
struct RowTiling {
  int64_t tiles, height, higher; ///< `higher` tiles are height + 1 high.

  RowTiling(int64_t count, int64_t most)
      : tiles((count + most - 1) / most), height(count / tiles),
        higher(count % tiles) {}
};

constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

/// Parts that work of `flops` should be split into: none below about 2 us of
/// one core, at most 64, which keeps 16 threads evenly busy.
inline int64_t wantedUnits(double flops) {
  return std::clamp<int64_t>(int64_t(flops / 500e3), 1, 64);
}

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CONTRACTION_CONTRACTION_H
