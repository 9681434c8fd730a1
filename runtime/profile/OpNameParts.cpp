// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profile/OpNameParts.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace graphc::runtime {

namespace {

constexpr std::string_view kTower = "tower_";
constexpr std::string_view kGradients = "gradients";
constexpr std::string_view kMean = "tower_mean";
constexpr std::string_view kGradient = "_grad"; // ends the scope of an op's

std::vector<std::string_view> componentsOf(std::string_view name) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t slash = name.find('/');
    parts.push_back(name.substr(0, slash));
    if (slash == name.npos)
      return parts;
    name.remove_prefix(slash + 1);
  }
}

/// Scopes of ops that write variables, which follow the variable's name.
bool isUpdateScope(std::string_view part) {
  return part.starts_with("Apply") || part.starts_with("Assign") ||
         part.starts_with("ExponentialMovingAverage");
}

} // namespace

std::string_view nameOfPhase(StepPhase phase) {
  constexpr std::string_view kNames[kStepPhases] = {
      "forward", "backward", "update", "input", "transfer"};
  return kNames[static_cast<size_t>(phase)];
}

std::optional<uint32_t> towerOf(std::string_view name) {
  if (!name.starts_with(kTower))
    return std::nullopt;
  const char *begin = name.data() + kTower.size();
  const char *end = name.data() + name.size();
  uint32_t tower = 0;
  auto [rest, error] = std::from_chars(begin, end, tower);
  if (error != std::errc() || rest == end || *rest != '/')
    return std::nullopt;
  return tower;
}

std::string_view withoutTower(std::string_view name) {
  if (towerOf(name))
    name.remove_prefix(name.find('/') + 1);
  size_t last = name.rfind('/');
  if (last != name.npos && (name.substr(last).starts_with("/_send_") ||
                            name.substr(last).starts_with("/_recv_")))
    name = name.substr(0, last);
  return name;
}

StepPhase phaseOfName(std::string_view name) {
  std::vector<std::string_view> parts = componentsOf(withoutTower(name));
  if (parts.front() == kMean || std::ranges::any_of(parts, isUpdateScope))
    return StepPhase::Update;
  return std::ranges::find(parts, kGradients) != parts.end()
             ? StepPhase::Backward
             : StepPhase::Forward;
}

std::string layerOf(std::string_view name) {
  std::vector<std::string_view> parts = componentsOf(withoutTower(name));
  bool isMean = parts.front() == kMean;
  if (parts.size() > 1 && (isMean || parts.front() == kGradients))
    parts.erase(parts.begin());
  auto cut = std::ranges::find_if(parts, isUpdateScope);
  if (cut == parts.end())
    cut = std::ranges::find_if(
        parts, [](std::string_view part) { return part.ends_with(kGradient); });
  bool isGradient = cut != parts.end() && cut->ends_with(kGradient);
  if (isGradient && cut == parts.begin())
    return std::string(cut->substr(0, cut->size() - kGradient.size()));
  if (cut != parts.begin())
    parts.erase(cut, parts.end());
  if (isMean && parts.size() > 1)
    parts.pop_back();
  // What is left of a gradient is the scope of its op; else there is an op or a
  // variable in it.
  if (!isGradient && parts.size() > 1)
    parts.pop_back();
  std::string layer;
  for (std::string_view part : parts)
    layer += (layer.empty() ? "" : "/") + std::string(part);
  return layer;
}

} // namespace graphc::runtime
