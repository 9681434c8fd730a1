// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects the x86-64 micro-architecture levels that this machine can run. A
// model carries its kernels once per level.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_CPULEVEL_H
#define GRAPHC_RUNTIME_TARGET_CPU_CPULEVEL_H

#include "runtime/base/Status.h"

#include <cstdint>

namespace graphc::runtime {

/// Levels of the x86-64 psABI for which kernels are made.
enum class CpuLevel {
  V3 = 3, ///< AVX2, FMA, BMI1, BMI2, F16C, LZCNT, MOVBE
  V4 = 4  ///< AVX-512 F, BW, CD, DQ, VL on top
};

/// "x86-64-v3" or "x86-64-v4", as model.bin spells it.
const char *cpuLevelName(CpuLevel level);

/// The level called "v3", "v4", "x86-64-v3" or "x86-64-v4", or nothing.
std::optional<CpuLevel> parseCpuLevel(std::string_view name);

/// Results of CPUID and XGETBV, as far as levels depend on them.
struct CpuFeatures {
  uint32_t leaf1Ecx = 0;
  uint32_t leaf7Ebx = 0;
  uint32_t extendedEcx = 0; ///< leaf 0x80000001
  uint64_t savedState = 0;  ///< XCR0: registers that the system saves
};

/// The features of the CPU that executes this.
CpuFeatures detectCpuFeatures();

/// The highest level that has all its features; FAILED_PRECONDITION that names
/// what is missing when that is below v3.
StatusOr<CpuLevel> highestLevel(const CpuFeatures &features);

/// The level to use: `forced`, which the CPU must be able to run, or the
/// highest.
StatusOr<CpuLevel> chooseLevel(const CpuFeatures &features,
                               std::optional<CpuLevel> forced);

} // namespace graphc::runtime

#endif
