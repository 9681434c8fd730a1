// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the names that the compiler gives to ops: tower, layer, phase.
#ifndef GRAPHC_RUNTIME_PROFILE_OPNAMEPARTS_H
#define GRAPHC_RUNTIME_PROFILE_OPNAMEPARTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphc::runtime {

/// Phase of a step that an op is part of, as its name tells it.
enum class StepPhase : uint8_t { Forward, Backward, Update, Input, Transfer };
inline constexpr size_t kStepPhases = 5;

/// "forward", "backward", "update", "input", "transfer".
std::string_view nameOfPhase(StepPhase phase);

/// The number of the tower in "tower_2/...".
std::optional<uint32_t> towerOf(std::string_view name);

/// The name without its "tower_2/", and without the "/_send_3" or "/_recv_3" of
/// a transfer: the same for all towers.
std::string_view withoutTower(std::string_view name);

/// Forward, Backward or Update: gradients are made in scope "gradients",
/// averaged in scope "tower_mean", and applied by ops in scopes such as
/// "ApplyAdam".
StepPhase phaseOfName(std::string_view name);

/// The scope of an op, without those that differentiation, towers and
/// optimizers add: "conv1" for "tower_0/gradients/conv1/Conv2D_grad/Sum" and
/// for "conv1/w/ApplyAdam/Sub". The op or variable itself where it is in no
/// scope.
std::string layerOf(std::string_view name);

} // namespace graphc::runtime

#endif
