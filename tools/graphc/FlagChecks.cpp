// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc/FlagChecks.h"

#include "graphc/Pipeline.h"
#include "lib/placement/inputs/ClusterDevices.h"
#include "lib/placement/inputs/DeviceItem.h"
#include "lib/placement/inputs/PlacementRules.h"
#include "lib/target/cuda/WritePtx.h"
#include "runtime/base/Suggest.h"
#include "runtime/target/cpu/CpuLevel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace graphc {

using runtime::StatusOr;

namespace {

/// "gpu:0-3=4GiB", or the task's full name before it.
std::string canonicalText(const DeviceItem &item) {
  std::string name = item.first.job
                         ? item.first.toString()
                         : llvm::StringRef(*item.first.type + ":").lower() +
                               std::to_string(*item.first.id);
  if (item.last != *item.first.id)
    name += "-" + std::to_string(item.last);
  return item.memory ? name + "=" + std::to_string(*item.memory) : name;
}

} // namespace

StatusOr<WorkerRange> parseWorkerRange(llvm::StringRef text) {
  auto [first, last] = text.split("..");
  WorkerRange range;
  bool isRange = text.contains("..");
  if (first.getAsInteger(10, range.first) ||
      (isRange && last.getAsInteger(10, range.last)))
    return runtime::invalidArgument("'" + text.str() +
                                    "' is neither a number of workers nor two "
                                    "with .. between them, such as 2..8");
  if (!isRange)
    range.last = range.first;
  if (range.last < range.first)
    return runtime::invalidArgument("'" + text.str() +
                                    "' begins with the larger number; write " +
                                    last.str() + ".." + first.str());
  if (range.first < 1 || range.last > static_cast<int64_t>(kMaxDevices))
    return runtime::invalidArgument("'" + text.str() + "' is outside of 1 to " +
                                    std::to_string(kMaxDevices) + " workers");
  return range;
}

CLI::Validator phaseCheck() {
  return CLI::Validator(
      [](std::string &text) {
        return parseChoice<Phase>(text)
                   ? std::string()
                   : "'" + text + "' is no phase; phases are " + phaseNames();
      },
      "PHASE", "phase");
}

CLI::Validator cpuLevelCheck() {
  return CLI::Validator(
      [](std::string &text) {
        std::optional<runtime::CpuLevel> level = runtime::parseCpuLevel(text);
        if (!level)
          return "'" + text + "' is no level; v3 and v4 are";
        text = runtime::cpuLevelName(*level);
        return std::string();
      },
      "LIST", "level");
}

CLI::Validator gpuArchCheck() {
  return CLI::Validator(
      [](std::string &text) {
        return text == kNoGpuArch || isGpuArchitecture(text)
                   ? std::string()
                   : "'" + text +
                         "' is no GPU architecture that kernels are compiled "
                         "for; use sm_80 or a later one: " +
                         gpuArchitectures();
      },
      "LIST", "architecture");
}

CLI::Validator deviceItemCheck() {
  return CLI::Validator(
      [](std::string &text) {
        StatusOr<DeviceItem> item = parseDeviceItem(text);
        if (!item.isOk())
          return item.status().message();
        // The compiler warns of an odd spelling, so that stays.
        if (!item->warning)
          text = canonicalText(*item);
        return std::string();
      },
      "LIST", "device");
}

CLI::Validator variableDeviceCheck() {
  return CLI::Validator(
      [](std::string &text) {
        StatusOr<VariableHome> home = parseVariableHome(text);
        return home.isOk() ? std::string()
                           : home.status().message() + "; or write mirrored";
      },
      "DEVICE", "variable device");
}

CLI::Validator defineCheck() {
  return CLI::Validator(
      [](std::string &text) {
        auto [name, value] = llvm::StringRef(text).split('=');
        return name.empty() || value.empty()
                   ? "'" + text +
                         "' is not a constant with a value, such as n=24"
                   : std::string();
      },
      "NAME=VALUE", "define");
}

CLI::Validator bindCheck() {
  return CLI::Validator(
      [](std::string &text) {
        auto [name, sizes] = llvm::StringRef(text).split('=');
        bool fits = !name.empty() && !sizes.empty();
        llvm::SmallVector<llvm::StringRef> parts;
        sizes.split(parts, ',');
        for (llvm::StringRef part : parts) {
          int64_t size = 0;
          fits &= !part.getAsInteger(10, size) && size > 0;
        }
        return fits ? std::string()
                    : "'" + text +
                          "' is not a name with sizes, such as x=100,784";
      },
      "NAME=SIZES", "bind");
}

CLI::Validator countCheck(int64_t max) { return numberCheck(1, max); }

CLI::Validator numberCheck(int64_t min, int64_t max) {
  return CLI::Validator(
      [min, max](std::string &text) {
        int64_t size = 0;
        return !llvm::StringRef(text).getAsInteger(10, size) && size >= min &&
                       size <= max
                   ? std::string()
                   : "'" + text + "' is not a whole number from " +
                         std::to_string(min) + " to " + std::to_string(max);
      },
      "N", "count");
}

std::optional<SyncCount> parseSync(llvm::StringRef text) {
  SyncCount sync;
  if (text == "all" ||
      (!text.getAsInteger(10, sync.workers) && sync.workers > 0 &&
       sync.workers <= static_cast<int64_t>(kMaxDevices)))
    return sync;
  return std::nullopt;
}

CLI::Validator syncCheck() {
  return CLI::Validator(
      [](std::string &text) {
        return parseSync(text)
                   ? std::string()
                   : "'" + text + "' is neither all nor a number of workers";
      },
      "all|N", "sync");
}

CLI::Validator workerRangeCheck() {
  return CLI::Validator(
      [](std::string &text) {
        return parseWorkerRange(text).status().message();
      },
      "N|FIRST..LAST", "workers");
}

CLI::Validator ruleCheck() {
  return CLI::Validator(
      [](std::string &text) {
        auto rules = PlacementRules::parse({text}, std::nullopt);
        llvm::StringRef message = rules.status().message();
        message.consume_front("--place: "); // CLI11 says it, too
        return message.str();
      },
      "RULE", "rule");
}

CLI::Validator wordCheck(std::vector<std::string> words) {
  return CLI::Validator(
      [words](std::string &text) {
        if (llvm::is_contained(words, text))
          return std::string();
        std::string nearest = runtime::nearestName(text, words);
        return "'" + text + "' is none of " + llvm::join(words, ", ") +
               (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
      },
      "WORD", "word");
}

} // namespace graphc
