// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The models of SessionModels.h with code for GPUs.
#ifndef GRAPHC_TEST_RUNTIME_TARGET_CUDA_PROGRAM_GPUMODELS_H
#define GRAPHC_TEST_RUNTIME_TARGET_CUDA_PROGRAM_GPUMODELS_H

#include "runtime/target/DeviceTargets.h"
#include "test/runtime/session/SessionModels.h"

#include <cstdlib>

namespace graphc::test {

inline constexpr const char *kGpu0 =
    "/job:localhost/replica:0/task:0/device:GPU:0";
inline constexpr const char *kGpu1 =
    "/job:localhost/replica:0/task:0/device:GPU:1";

/// True where the GPUs are real, and may be one.
inline bool hasRealGpus() { return std::getenv("GRAPHC_TEST_GPU") != nullptr; }

/// Lets the devices of a plan share a GPU there.
inline runtime::DeviceOpenOptions openOptions() { return {hasRealGpus()}; }

/// Gives the model PTX for all of its kernels, which it has by name.
ModelBuilder withGpuCode(ModelBuilder model, const std::string &arch = "sm_80");

/// Puts what is on CPU:0 to another device.
ModelBuilder onDevice(ModelBuilder model, const std::string &device);

/// Feed x is sent from GPU:0 over GPU:1 (which adds it to itself), the CPU
/// (likewise) and back; fetches y = 8 x, two elements each.
ModelBuilder relayModel();

/// Graph "fault": feed x, fetch y; op 'Wild' (line 7) stores beyond its
/// buffers, in every step from number `firstFault` on.
ModelBuilder faultModel(uint64_t firstFault);

/// Graph "matmul": c = relu(a b + bias) by a library, a of 3 x 5, b of 5 x 4.
ModelBuilder matmulModel();

} // namespace graphc::test

#endif
