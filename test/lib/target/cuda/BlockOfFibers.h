// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a GPU's block as fibers on one thread of the host.
#ifndef GRAPHC_TEST_LIB_TARGET_CUDA_BLOCKOFFIBERS_H
#define GRAPHC_TEST_LIB_TARGET_CUDA_BLOCKOFFIBERS_H

#include <cstdint>
#include <functional>

namespace graphc {

/// Runs `body` once for each of `threads` threads of block `block`, in
/// ascending or descending order between barriers and shuffles. Aborts with a
/// message if a barrier, or a shuffle, is not reached by all it takes.
void runBlockOfFibers(uint32_t block, uint32_t threads, bool descending,
                      const std::function<void()> &body);

/// Functions that the code of a running thread calls instead of the GPU's
/// intrinsics.
extern "C" {
uint32_t graphcThreadNumber();
uint32_t graphcBlockNumber();
void graphcBarrier(uint32_t id);
uint32_t graphcShuffleXor(uint32_t mask, uint32_t value, uint32_t offset,
                          uint32_t clamp);
float graphcShuffleXorFloat(uint32_t mask, float value, uint32_t offset,
                            uint32_t clamp);
}

} // namespace graphc

#endif // GRAPHC_TEST_LIB_TARGET_CUDA_BLOCKOFFIBERS_H
