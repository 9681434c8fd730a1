// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/profile/ProfileText.h"

#include "report/Report.h"
#include "runtime/format/Quote.h"
#include "tools/graphc-run/profile/BalanceText.h"
#include "tools/graphc-run/profile/TextCells.h"

namespace graphc::run {

using namespace runtime;

namespace {

/// Columns of the layers' phases; what else there is, is in the line of all.
constexpr StepPhase kLayerPhases[] = {StepPhase::Forward, StepPhase::Backward,
                                      StepPhase::Update};

/// A table of rows of one kind.
class RowTable {
public:
  RowTable(const RunProfile &profile, ProfileKey key, size_t top)
      : profile(profile), key(key), top(top), rows(profile.rows(key)),
        total(totalOf(rows)) {}

  std::string text() const {
    std::string text = heading();
    for (size_t i = 0; i < rows.size(); ++i) {
      if (top > 0 && i == top && rows.size() > top + 1) {
        auto rest = std::span(rows).subspan(top);
        text +=
            line(totalOf(rest), "and " + std::to_string(rest.size()) + " more");
        break;
      }
      text += line(rows[i], labelOf(rows[i]));
    }
    text += line(total, "all");
    return text + limits();
  }

private:
  bool hasPhases() const { return key == ProfileKey::Layer; }

  std::string heading() const {
    std::string text = rightCell("us/step", 10) + rightCell("%", 7);
    if (hasPhases())
      for (StepPhase phase : kLayerPhases)
        text += rightCell(nameOfPhase(phase), 10);
    constexpr const char *kNames[] = {"instruction", "op", "line", "layer",
                                      "device"};
    return text + rightCell("GFLOP/s", 9) + rightCell("GB/s", 8) + "  " +
           kNames[static_cast<size_t>(key)] + "\n";
  }

  std::string line(const ProfileRow &row, const std::string &label) const {
    std::string text = microsCell(row.seconds * 1e9, 10) +
                       numberCell(percentOf(row.seconds, total.seconds), 7);
    if (hasPhases())
      for (StepPhase phase : kLayerPhases)
        text += microsCell(row.phases[static_cast<size_t>(phase)] * 1e9, 10);
    return text + rateCell(row.flops, row.seconds, 9) +
           rateCell(row.bytes, row.seconds, 8) + "  " + label + "\n";
  }

  std::string labelOf(const ProfileRow &row) const {
    if (key == ProfileKey::Line)
      return lineLabel(row.line);
    if (key == ProfileKey::Device)
      return report::shortDevice(row.name);
    if (key == ProfileKey::Op && row.count > 1)
      return row.name + " (" + std::to_string(row.count) + " times)";
    if (key != ProfileKey::Kernel)
      return row.name;
    std::string device = profile.deviceText(row.id.program);
    return device + (device.empty() ? "#" : " #") +
           std::to_string(row.id.instruction) + " " + row.name;
  }

  std::string lineLabel(uint32_t line) const {
    if (line == 0)
      return "made by the compiler";
    std::string_view file = viewOf(profile.data().model->index().name());
    std::string label(file.empty() ? "line" : file);
    return label + ":" + std::to_string(line) + "  " + profile.lineText(line);
  }

  /// Measured limits, under the columns that they are for.
  std::string limits() const {
    const ProfileData &data = profile.data();
    if (data.threads == 0)
      return "";
    std::string threads = data.threads == 1
                              ? "1 thread"
                              : std::to_string(data.threads) + " threads";
    return std::string(hasPhases() ? 47 : 17, ' ') +
           rateCell(data.limits.flopsPerSecond, 1, 9) +
           rateCell(data.limits.bytesPerSecond, 1, 8) + "  at most, with " +
           threads + " of this machine, from memory\n";
  }

  const RunProfile &profile;
  const ProfileKey key;
  const size_t top;
  const std::vector<ProfileRow> rows;
  const ProfileRow total;
};

/// "forward 41.2 %, backward 38.0 %".
std::string phasesText(const ProfileRow &total) {
  std::string text;
  for (size_t phase = 0; phase < kStepPhases; ++phase)
    if (total.phases[phase] > 0)
      text += (text.empty() ? "" : ", ") +
              std::string(nameOfPhase(static_cast<StepPhase>(phase))) +
              numberCell(percentOf(total.phases[phase], total.seconds), 5) +
              " %";
  return text;
}

std::string overview(const RunProfile &profile) {
  ProfileRow total = totalOf(profile.rows(ProfileKey::Layer));
  std::string text = "profile of graph " +
                     quote(profile.data().graph->name()->string_view()) + ": ";
  if (profile.recordedSteps() > 0)
    text += "a step takes " + microsText(profile.stepNanos()) +
            " us (mean of " + std::to_string(profile.recordedSteps()) +
            "), and ";
  return text + "its instructions " + microsText(total.seconds * 1e9) +
         " us together\n" + phasesText(total) + "\n";
}

/// The tables that say something about the graph.
std::vector<ProfileView> usualViews(const RunProfile &profile) {
  if (profile.data().graph->programs()->size() < 2 ||
      profile.recordedSteps() == 0)
    return {ProfileView::Kernel};
  return {ProfileView::Kernel, ProfileView::Device, ProfileView::Path};
}

} // namespace

std::string profileText(const RunProfile &profile, const ProfileFlags &flags) {
  if (profile.data().steps == 0)
    return "no profile: the first step is left out, and there was no other\n";
  std::string text = overview(profile);
  for (ProfileView view :
       flags.views.empty() ? usualViews(profile) : flags.views) {
    text += "\n";
    if (view == ProfileView::Path)
      text += pathText(profile, flags.top);
    else
      text +=
          RowTable(profile, static_cast<ProfileKey>(view), flags.top).text();
    if (view == ProfileView::Device)
      text += balanceText(profile);
  }
  return text;
}

} // namespace graphc::run
