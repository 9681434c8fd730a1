// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of the copy engines: between host and device, between devices, fills.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_TRANSFERS_H
#define GRAPHC_TEST_CUDA_EMULATOR_TRANSFERS_H

#include "test/cuda/emulator/Driver.h"

namespace graphc::emulator {

/// Checks a use of [address, address + bytes) by something else than a kernel;
/// `data` is then where the host has the bytes.
Failure useRange(Memory &memory, uint64_t address, uint64_t bytes,
                 AccessKind kind, const Actor &actor, const std::string &who,
                 uint8_t *&data);

/// Refuses bytes that nobody wrote, for a range that was used.
Failure checkUninitialised(Memory &memory, uint64_t address, uint64_t bytes,
                           const std::string &who);

/// Each fails at once where an argument is wrong, later where only the order of
/// things is.
CUresult copyToDevice(Call &call, CUdeviceptr to, const void *from,
                      size_t bytes, Stream &stream);
CUresult copyToHost(Call &call, void *to, CUdeviceptr from, size_t bytes,
                    Stream &stream);
CUresult copyOnDevices(Call &call, CUdeviceptr to, CUdeviceptr from,
                       size_t bytes, Stream &stream);
CUresult fill(Call &call, CUdeviceptr to, uint32_t value, size_t valueBytes,
              size_t count, Stream &stream);

} // namespace graphc::emulator

#endif
