// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs that only GPU code has: numbers of threads, barriers, values that
// go from thread to thread.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_THREADS_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_THREADS_H

#include "lib/target/common/KernelBuilder.h"

namespace graphc {

inline constexpr int64_t kWarp = 32;

/// The number of the thread in its block, and of the block in the grid.
mlir::Value threadNumber(KernelBuilder &b);
mlir::Value blockNumber(KernelBuilder &b);
/// The number of the thread in a grid whose blocks have `threads` threads.
mlir::Value gridThreadNumber(KernelBuilder &b, int64_t threads);

/// All threads of the block arrive, and see each other's stores.
void barrier(KernelBuilder &b);

/// `value` of the thread whose number in the warp is this one's xor `offset`.
/// REQUIRES: all threads of the warp get here together.
mlir::Value shuffleXor(KernelBuilder &b, mlir::Value value, int64_t offset);

/// Shared memory of `count` elements for the kernel that is being emitted.
mlir::Value sharedBuffer(KernelBuilder &b, mlir::Type element, int64_t count);

/// value / by and value % by of an index that is below `limit`: in 32 bits if
/// that is enough, since a GPU divides 64 bits several times slower.
mlir::Value fastDiv(KernelBuilder &b, mlir::Value value, int64_t by,
                    int64_t limit);
mlir::Value fastRem(KernelBuilder &b, mlir::Value value, int64_t by,
                    int64_t limit);

mlir::Value less(KernelBuilder &b, mlir::Value a, mlir::Value c);
/// Emits `body` for the threads where `condition` holds; for all if it is null.
void onlyIf(KernelBuilder &b, mlir::Value condition,
            llvm::function_ref<void()> body);

/// Loops or branches that carry values, as `values` on entry and on exit.
using Carried = llvm::SmallVector<mlir::Value>;
void carryIf(KernelBuilder &b, mlir::Value condition, Carried &values,
             llvm::function_ref<void(Carried &)> body);
void carryLoop(KernelBuilder &b, mlir::Value lower, mlir::Value upper,
               int64_t step, Carried &values,
               llvm::function_ref<void(mlir::Value, Carried &)> body);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_THREADS_H
