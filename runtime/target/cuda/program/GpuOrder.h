// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders the work of a program's streams that uses the same bytes.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_GPUORDER_H
#define GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_GPUORDER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Bytes of a GPU, or pinned bytes of the host: no address is one of both.
struct GpuRange {
  uint64_t begin = 0, end = 0;
};

/// Ranges that work reads and writes. Work may read what it writes.
struct GpuUses {
  std::vector<GpuRange> reads, writes;

  void add(const GpuUses &other);
  /// Joins ranges that touch; asking is faster then.
  void normalize();
  /// True when one writes what the other uses.
  bool isInConflictWith(const GpuUses &other) const;
};

/// The streams of a program. Each does its work in the order it is given.
enum class GpuStream : uint8_t {
  Compute, ///< kernels, and copies within and between GPUs
  Upload,  ///< from the host
  Download ///< to the host
};
inline constexpr size_t kGpuStreams = 3;

struct GpuWork {
  GpuStream stream = GpuStream::Compute;
  bool isBarrier = false; ///< in conflict with all work
  GpuUses uses;
};

/// By work, which is numbered in the order of submission.
struct GpuOrder {
  /// Work of other streams to wait for: no more than keeps all that is in
  /// conflict in the order of submission.
  std::vector<std::vector<uint32_t>> waits;
  /// True when other work waits for it.
  std::vector<bool> isAwaited;
  /// Work of each stream that is done when this work is: all of a lower index.
  std::vector<std::array<uint32_t, kGpuStreams>> done;
};

GpuOrder orderWork(std::span<const GpuWork> works);

} // namespace graphc::runtime

#endif
