// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Towers, phases and layers of names as the compiler makes them.
#include "runtime/profile/OpNameParts.h"

#include <gtest/gtest.h>

namespace graphc::runtime {
namespace {

TEST(OpNameParts, HaveTowers) {
  EXPECT_EQ(towerOf("tower_0/conv1/Conv2D"), 0u);
  EXPECT_EQ(towerOf("tower_12/x"), 12u);
  for (const char *name : {"tower_/x", "tower_1", "tower_1x/y", "tower_mean/w",
                           "x/tower_1/y", "tower_99999999999/x", ""})
    EXPECT_FALSE(towerOf(name)) << name;
}

TEST(OpNameParts, AreTheSameForAllTowers) {
  EXPECT_EQ(withoutTower("tower_3/conv1/Conv2D"), "conv1/Conv2D");
  EXPECT_EQ(withoutTower("tower_3/loss/_recv_14"), "loss");
  EXPECT_EQ(withoutTower("a/_send_0"), "a");
  EXPECT_EQ(withoutTower("a/b"), "a/b");
  EXPECT_EQ(withoutTower(""), "");
}

TEST(OpNameParts, TellPhases) {
  EXPECT_EQ(phaseOfName("tower_0/conv1/Conv2D"), StepPhase::Forward);
  EXPECT_EQ(phaseOfName("loss"), StepPhase::Forward);
  EXPECT_EQ(phaseOfName("gradients/Add_1"), StepPhase::Backward);
  EXPECT_EQ(phaseOfName("tower_1/gradients/conv1/Conv2D_grad/Sum"),
            StepPhase::Backward);
  EXPECT_EQ(phaseOfName("tower_mean/conv1/w/Add"), StepPhase::Update);
  EXPECT_EQ(phaseOfName("w/ApplyGradientDescent/Sub"), StepPhase::Update);
  EXPECT_EQ(phaseOfName("global_step/AssignAdd/Add"), StepPhase::Update);
  EXPECT_EQ(phaseOfName("w/ExponentialMovingAverage/Mul"), StepPhase::Update);
}

TEST(OpNameParts, TellLayers) {
  EXPECT_EQ(layerOf("tower_0/conv1/Conv2D"), "conv1");
  EXPECT_EQ(layerOf("net/block1/conv1/Conv2D"), "net/block1/conv1");
  EXPECT_EQ(layerOf("tower_0/gradients/conv1/Conv2D_grad/Sum"), "conv1");
  EXPECT_EQ(layerOf("gradients/cross_entropy_grad/BroadcastTo"),
            "cross_entropy");
  EXPECT_EQ(layerOf("gradients/Add_1"), "Add_1");
  EXPECT_EQ(layerOf("conv1/w/ApplyAdam/Sub"), "conv1");
  EXPECT_EQ(layerOf("w/ApplyAdam/Sub"), "w");
  EXPECT_EQ(layerOf("tower_mean/conv1/w/Add"), "conv1");
  EXPECT_EQ(layerOf("tower_mean/w/Add"), "w");
  EXPECT_EQ(layerOf("tower_0/loss"), "loss");
  EXPECT_EQ(layerOf(""), "");
}

} // namespace
} // namespace graphc::runtime
