// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/profile/BalanceText.h"

#include "tools/graphc-run/profile/TextCells.h"

namespace graphc::run {

using namespace runtime;

namespace {

constexpr const char *kNoSteps =
    "no step was recorded; run three or more, or take others by "
    "--profile-steps\n";

std::string timeCell(double nanos) { return microsCell(nanos, 10); }

/// "9/32".
std::string countCell(uint32_t count, size_t steps) {
  return rightCell(std::to_string(count) + "/" + std::to_string(steps), 9);
}

std::string peersText(const char *kind, const PeerBalance &balance,
                      size_t steps) {
  if (balance.peers.size() < 2)
    return "";
  std::string text = "\n" + rightCell("busy us", 10) + rightCell("slowest", 9) +
                     rightCell("last", 9) + "  " + kind + "\n";
  for (const PeerTime &peer : balance.peers)
    text += timeCell(peer.busy) + countCell(peer.slowest, steps) +
            countCell(peer.last, steps) + "  " + peer.name + "\n";
  char ratio[32];
  std::snprintf(ratio, sizeof ratio, "%10.2f", balance.maxToMean);
  return text + ratio + std::string(20, ' ') +
         "the slowest of a step to the mean\n";
}

} // namespace

std::string balanceText(const RunProfile &profile) {
  if (profile.recordedSteps() == 0)
    return std::string("\n") + kNoSteps;
  std::string text = "\n" + rightCell("busy us", 10) +
                     rightCell("waits us", 10) + rightCell("ready us", 10) +
                     rightCell("done us", 10) + rightCell("busy %", 8) +
                     "  device\n";
  std::vector<ProgramTime> times = profile.programTimes();
  for (uint32_t program = 0; program < times.size(); ++program) {
    const ProgramTime &time = times[program];
    std::string device = profile.deviceText(program);
    text += timeCell(time.busy) + timeCell(time.waiting) +
            timeCell(time.ready) + timeCell(time.done) +
            numberCell(percentOf(time.busy, profile.stepNanos()), 8) + "  " +
            (device.empty() ? "the only one" : device);
    if (time.waitingForIt > 0)
      text += ", waits most for " + profile.deviceText(time.waitsFor) + " (" +
              microsText(time.waitingForIt) + " us)";
    text += "\n";
  }
  return text + peersText("tower", profile.towers(), profile.recordedSteps()) +
         peersText("task", profile.tasks(), profile.recordedSteps());
}

std::string pathText(const RunProfile &profile, size_t top) {
  if (profile.recordedSteps() == 0)
    return kNoSteps;
  CriticalPath path = profile.criticalPath();
  std::string text = rightCell("us/step", 10) + rightCell("%", 7) +
                     rightCell("steps", 9) + rightCell("shorter %", 11) +
                     "  critical path\n";
  size_t shown = 0;
  double rest = 0;
  for (const CriticalPath::Op &op : path.ops) {
    if (top > 0 && shown >= top) {
      rest += op.nanos;
      continue;
    }
    ++shown;
    text += timeCell(op.nanos) +
            numberCell(percentOf(op.nanos, path.nanos), 7) +
            countCell(op.steps, path.steps) +
            numberCell(percentOf(op.savedNanos, path.nanos), 11) + "  " +
            op.name + "\n";
  }
  auto line = [&](double nanos, const std::string &label) {
    text += timeCell(nanos) + numberCell(percentOf(nanos, path.nanos), 7) +
            std::string(20, ' ') + "  " + label + "\n";
  };
  if (shown < path.ops.size())
    line(rest, "and " + std::to_string(path.ops.size() - shown) + " more");
  line(path.pauseNanos, "between instructions");
  line(path.nanos, "the step; it would be so much shorter if the op took no "
                   "time");
  return text;
}

} // namespace graphc::run
