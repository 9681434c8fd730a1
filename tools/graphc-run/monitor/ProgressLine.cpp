// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/monitor/ProgressLine.h"

#include <algorithm>
#include <cstdio>

namespace graphc::run {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kInPlaceNanos = kSecond / 10;
constexpr int64_t kLineNanos = 5 * kSecond;
constexpr int64_t kTrainingNanos = 60 * kSecond;
constexpr int64_t kWindowNanos = 10 * kSecond;
constexpr double kMaxSeconds = 1e9;

std::string rateText(double rate, const char *unit) {
  char text[64];
  std::snprintf(text, sizeof text, rate < 10 ? ", %.2f %s/s" : ", %.0f %s/s",
                rate, unit);
  return text;
}

} // namespace

ProgressMode progressMode(Progress wanted, bool isTerminal, bool isTraining) {
  if (wanted == Progress::Off)
    return {};
  if (isTerminal)
    return {true, true, kInPlaceNanos, kInPlaceNanos};
  if (wanted == Progress::On)
    return {true, false, 0, kLineNanos};
  return {isTraining, false, kTrainingNanos, kTrainingNanos};
}

ProgressLine::ProgressLine(const ProgressMode &mode, int64_t planned,
                           int64_t examplesPerStep, int64_t now)
    : mode(mode), planned(planned), examplesPerStep(examplesPerStep),
      samples{{now, 0}}, due(now + mode.firstNanos) {}

std::string ProgressLine::text(uint64_t step, int64_t done, int64_t at,
                               int64_t now, const std::string &values) {
  due = now + mode.everyNanos;
  samples.push_back({at, done});
  while (samples.size() > 2 && at - samples[1].nanos > kWindowNanos)
    samples.pop_front();
  std::string text = "step " + std::to_string(step) + ": ";
  if (planned > 0)
    text += std::to_string(done) + "/" + std::to_string(planned) + " (" +
            std::to_string(done * 100 / planned) + "%)";
  else
    text += std::to_string(done) + (done == 1 ? " step" : " steps");
  const Sample &first = samples.front();
  if (at > first.nanos && done > first.steps) {
    double rate = static_cast<double>(done - first.steps) * 1e9 /
                  static_cast<double>(at - first.nanos);
    text += rateText(rate, "steps");
    if (examplesPerStep > 0)
      text += rateText(rate * static_cast<double>(examplesPerStep), "examples");
    if (planned > done)
      text +=
          ", ETA " + durationText(static_cast<double>(planned - done) / rate);
  }
  if (!values.empty())
    text += ", " + values;
  return text;
}

std::string durationText(double seconds) {
  auto whole =
      static_cast<int64_t>(std::clamp(seconds, 0.0, kMaxSeconds) + 0.5);
  char text[64];
  int64_t days = whole / 86400, rest = whole % 86400;
  auto hours = static_cast<int>(rest / 3600);
  auto minutes = static_cast<int>(rest % 3600 / 60);
  auto left = static_cast<int>(rest % 60);
  if (days > 0)
    std::snprintf(text, sizeof text, "%lld d %02d:%02d:%02d",
                  static_cast<long long>(days), hours, minutes, left);
  else
    std::snprintf(text, sizeof text, "%d:%02d:%02d", hours, minutes, left);
  return text;
}

} // namespace graphc::run
