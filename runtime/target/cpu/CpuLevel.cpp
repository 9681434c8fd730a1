// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/CpuLevel.h"

#include <cpuid.h>

namespace graphc::runtime {

namespace {

struct FeatureRow {
  const char *name;
  uint32_t CpuFeatures::*word;
  uint32_t mask;
  CpuLevel level; ///< the lowest level that asks for it
};
constexpr uint32_t kOsxsave = 1u << 27;
constexpr FeatureRow kFeatures[] = {
    {"OSXSAVE", &CpuFeatures::leaf1Ecx, kOsxsave, CpuLevel::V3},
    {"AVX", &CpuFeatures::leaf1Ecx, 1u << 28, CpuLevel::V3},
    {"FMA", &CpuFeatures::leaf1Ecx, 1u << 12, CpuLevel::V3},
    {"MOVBE", &CpuFeatures::leaf1Ecx, 1u << 22, CpuLevel::V3},
    {"F16C", &CpuFeatures::leaf1Ecx, 1u << 29, CpuLevel::V3},
    {"AVX2", &CpuFeatures::leaf7Ebx, 1u << 5, CpuLevel::V3},
    {"BMI1", &CpuFeatures::leaf7Ebx, 1u << 3, CpuLevel::V3},
    {"BMI2", &CpuFeatures::leaf7Ebx, 1u << 8, CpuLevel::V3},
    {"LZCNT", &CpuFeatures::extendedEcx, 1u << 5, CpuLevel::V3},
    {"AVX512F", &CpuFeatures::leaf7Ebx, 1u << 16, CpuLevel::V4},
    {"AVX512BW", &CpuFeatures::leaf7Ebx, 1u << 30, CpuLevel::V4},
    {"AVX512CD", &CpuFeatures::leaf7Ebx, 1u << 28, CpuLevel::V4},
    {"AVX512DQ", &CpuFeatures::leaf7Ebx, 1u << 17, CpuLevel::V4},
    {"AVX512VL", &CpuFeatures::leaf7Ebx, 1u << 31, CpuLevel::V4},
};
// A register file that the system does not save between threads is useless,
// whatever the CPU offers.
constexpr uint64_t kYmmState = 0x06;
constexpr uint64_t kZmmState = 0xe6;

/// Features that `level` requires and the CPU lacks: "AVX2, FMA"; empty when
/// none.
std::string missingFeatures(const CpuFeatures &features, CpuLevel level) {
  std::string missing;
  auto add = [&](std::string_view name) {
    missing += missing.empty() ? "" : ", ";
    missing += name;
  };
  for (const FeatureRow &row : kFeatures)
    if (row.level <= level && !(features.*row.word & row.mask))
      add(row.name);
  uint64_t state = level == CpuLevel::V4 ? kZmmState : kYmmState;
  if ((features.savedState & state) != state)
    add(level == CpuLevel::V4 ? "ZMM registers saved by the system"
                              : "YMM registers saved by the system");
  return missing;
}

uint64_t readXcr0() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

} // namespace

const char *cpuLevelName(CpuLevel level) {
  return level == CpuLevel::V4 ? "x86-64-v4" : "x86-64-v3";
}

std::optional<CpuLevel> parseCpuLevel(std::string_view name) {
  if (name == "v3" || name == "x86-64-v3")
    return CpuLevel::V3;
  if (name == "v4" || name == "x86-64-v4")
    return CpuLevel::V4;
  return std::nullopt;
}

CpuFeatures detectCpuFeatures() {
  CpuFeatures features;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
    features.leaf1Ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
    features.leaf7Ebx = ebx;
  if (__get_cpuid(0x80000001u, &eax, &ebx, &ecx, &edx))
    features.extendedEcx = ecx;
  if (features.leaf1Ecx & kOsxsave)
    features.savedState = readXcr0();
  return features;
}

StatusOr<CpuLevel> highestLevel(const CpuFeatures &features) {
  std::string missing = missingFeatures(features, CpuLevel::V3);
  if (!missing.empty())
    return failedPrecondition("this CPU is below x86-64-v3, the lowest level "
                              "that kernels are made for; it lacks " +
                              missing +
                              "; run on a newer CPU, or let the virtual "
                              "machine pass these features through");
  return missingFeatures(features, CpuLevel::V4).empty() ? CpuLevel::V4
                                                         : CpuLevel::V3;
}

StatusOr<CpuLevel> chooseLevel(const CpuFeatures &features,
                               std::optional<CpuLevel> forced) {
  GRAPHC_ASSIGN_OR_RETURN(CpuLevel highest, highestLevel(features));
  if (!forced || *forced == highest)
    return highest;
  if (*forced > highest)
    return failedPrecondition(
        std::string("CPU level ") + cpuLevelName(*forced) +
        " was asked for, but this CPU is " + cpuLevelName(highest) +
        "; it lacks " + missingFeatures(features, *forced) + "; ask for " +
        cpuLevelName(highest));
  return *forced;
}

} // namespace graphc::runtime
