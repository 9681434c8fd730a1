// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels of made-up CPUs, and what their users are told.
#include "runtime/target/cpu/CpuLevel.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

CpuFeatures everything() {
  CpuFeatures features;
  features.leaf1Ecx = features.leaf7Ebx = features.extendedEcx = ~0u;
  features.savedState = 0xe7;
  return features;
}

CpuFeatures withoutAvx512() {
  CpuFeatures features = everything();
  features.leaf7Ebx &= ~(1u << 16);
  return features;
}

TEST(CpuLevel, HighestOfFullCpuIsV4) {
  EXPECT_EQ(*highestLevel(everything()), CpuLevel::V4);
}

TEST(CpuLevel, EachAvx512FeatureIsNeededForV4) {
  for (int bit : {16, 17, 28, 30, 31}) {
    CpuFeatures features = everything();
    features.leaf7Ebx &= ~(1u << bit);
    EXPECT_EQ(*highestLevel(features), CpuLevel::V3) << bit;
  }
}

TEST(CpuLevel, RegistersMustBeSavedByTheSystem) {
  CpuFeatures features = everything();
  features.savedState = 0x07;
  EXPECT_EQ(*highestLevel(features), CpuLevel::V3);
  features.savedState = 0x03;
  StatusOr<CpuLevel> level = highestLevel(features);
  ASSERT_FALSE(level.isOk());
  EXPECT_NE(level.status().message().find("YMM registers"), std::string::npos);
}

TEST(CpuLevel, BelowV3IsRefusedWithWhatIsMissing) {
  CpuFeatures features = everything();
  features.leaf1Ecx &= ~(1u << 12);
  features.leaf7Ebx &= ~(1u << 5);
  StatusOr<CpuLevel> level = highestLevel(features);
  ASSERT_FALSE(level.isOk());
  EXPECT_EQ(level.status().code(), StatusCode::FailedPrecondition);
  EXPECT_NE(level.status().message().find("it lacks FMA, AVX2;"),
            std::string::npos)
      << level.status().message();
}

TEST(CpuLevel, ALowerLevelCanBeForced) {
  EXPECT_EQ(*chooseLevel(everything(), CpuLevel::V3), CpuLevel::V3);
  EXPECT_EQ(*chooseLevel(everything(), std::nullopt), CpuLevel::V4);
}

TEST(CpuLevel, AHigherLevelCannot) {
  StatusOr<CpuLevel> level = chooseLevel(withoutAvx512(), CpuLevel::V4);
  ASSERT_FALSE(level.isOk());
  EXPECT_EQ(level.status().message(),
            "CPU level x86-64-v4 was asked for, but this CPU is x86-64-v3; it "
            "lacks AVX512F; ask for x86-64-v3");
}

TEST(CpuLevel, NamesRoundTrip) {
  for (CpuLevel level : {CpuLevel::V3, CpuLevel::V4})
    EXPECT_EQ(parseCpuLevel(cpuLevelName(level)), level);
  EXPECT_EQ(parseCpuLevel("v3"), CpuLevel::V3);
  EXPECT_EQ(parseCpuLevel("v2"), std::nullopt);
}

TEST(CpuLevel, ThisMachineIsDetected) {
  CpuFeatures features = detectCpuFeatures();
  EXPECT_NE(features.leaf1Ecx, 0u);
  EXPECT_EQ(highestLevel(features).isOk(),
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}

} // namespace
