// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout of a device's addresses. None of them is an address of the host: a
// program that follows a device pointer is stopped at once.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_ADDRESSSPACE_H
#define GRAPHC_TEST_CUDA_EMULATOR_ADDRESSSPACE_H

#include <cstdint>

namespace graphc::emulator {

/// Generic addresses of the shared memory of a block and the local memory of a
/// thread; in their own spaces, addresses begin at 0.
constexpr uint64_t kSharedWindow = 0x0b00'0000'0000'0000;
constexpr uint64_t kLocalWindow = 0x0c00'0000'0000'0000;
constexpr uint64_t kWindowBytes = 0x0100'0000'0000'0000;

/// Device d has the addresses from kDeviceMemory + d * kDeviceStride.
constexpr uint64_t kDeviceMemory = 0x0d00'0000'0000'0000;
constexpr uint64_t kDeviceStride = 1ull << 44;

} // namespace graphc::emulator

#endif
