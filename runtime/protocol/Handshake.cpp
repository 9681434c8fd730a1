// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/Handshake.h"

#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/format/DeviceMemory.h"
#include "runtime/format/FileHeader.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/protocol/PlanManifest.h"
#include "runtime/target/DeviceTargets.h"
#include "runtime/target/cpu/LoadKernels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace graphc::runtime {

namespace {

using Description = protocol::Reply::Description;

/// Numbers and names that tasks send are cut to this many bytes in the table.
constexpr size_t kMaxCell = 80;

/// Requirements of the plan on one task.
struct TaskNeed {
  std::set<std::string> devices; ///< full names of those beside its CPU
  uint64_t hostBytes = 0;        ///< on its CPUs
};

class Comparison {
public:
  Comparison(const Model &plan, const ClusterSpec &cluster,
             std::span<const Description> descriptions,
             std::optional<int64_t> clockMillis,
             const std::vector<TaskId> *needed);

  std::vector<Mismatch> find();

private:
  void findNeeds();
  void compare(TaskId id, const Description &description);
  void compareVersions(const Description &description);
  void compareNeed(const TaskNeed &need, const Description &description);
  void compareCode(const TaskNeed &need, const Description &description);
  bool isAllowed(const Description &description);
  void compareClock(const Description &description);
  void add(std::string what, std::string expected, std::string found,
           std::string fix);

  const Model &plan;
  const ClusterSpec &cluster;
  std::span<const Description> descriptions;
  std::optional<int64_t> clockMillis;
  const std::vector<TaskId> *needed;     ///< null: all of the plan
  format::FileHeader header{};           ///< of the plan
  std::map<std::string, TaskNeed> needs; ///< by the task's name
  std::optional<std::string> allowed;    ///< what --allow takes for the plan
  std::string current;                   ///< task
  std::vector<Mismatch> mismatches;
};

std::string versionText(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string mebibytes(uint64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

/// "+7.250 s", "-12.000 s".
std::string offsetText(int64_t millis) {
  uint64_t size = millis < 0 ? 0 - static_cast<uint64_t>(millis)
                             : static_cast<uint64_t>(millis);
  std::string fraction = std::to_string(size % 1000);
  return (millis < 0 ? "-" : "+") + std::to_string(size / 1000) + "." +
         std::string(3 - fraction.size(), '0') + fraction + " s";
}

/// Makes text from the network safe to be printed in a table.
std::string cell(std::string_view text) {
  std::string result;
  for (char c : text.substr(0, kMaxCell))
    result += c >= 0x20 && c < 0x7f ? c : '?';
  if (text.size() > kMaxCell)
    result += "...";
  return result.empty() ? "nothing" : result;
}

std::optional<int64_t> medianClock(std::span<const Description> descriptions) {
  std::vector<int64_t> clocks;
  for (const Description &description : descriptions)
    if (!description.task().empty())
      clocks.push_back(description.clock_ms());
  if (clocks.empty())
    return std::nullopt;
  auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

/// The difference; far ends of the range are cut, since a peer's clock may show
/// anything.
int64_t clockOffset(int64_t theirs, int64_t ours) {
  int64_t offset = 0;
  if (__builtin_sub_overflow(theirs, ours, &offset) || offset == INT64_MIN)
    return theirs < ours ? -INT64_MAX : INT64_MAX;
  return offset;
}

Comparison::Comparison(const Model &plan, const ClusterSpec &cluster,
                       std::span<const Description> descriptions,
                       std::optional<int64_t> clock,
                       const std::vector<TaskId> *needed)
    : plan(plan), cluster(cluster), descriptions(descriptions),
      clockMillis(clock ? clock : medianClock(descriptions)), needed(needed) {
  // The header is the file's first bytes; it is not part of the index.
  std::span<const std::byte> bytes =
      plan.blob(format::Blob(0, sizeof(format::FileHeader)));
  if (bytes.size() == sizeof(header))
    std::memcpy(&header, bytes.data(), sizeof(header));
}

void Comparison::findNeeds() {
  for (const std::string &task : tasksOf(plan))
    needs[task];
  for (const DeviceMemory &memory : deviceMemory(plan.index())) {
    std::string task = taskOfDevice(memory.device);
    auto need = needs.find(task);
    if (need == needs.end())
      continue;
    if (nameOfDevice(memory.device).type == hostTarget().deviceType())
      need->second.hostBytes += memory.total();
    else
      need->second.devices.insert(memory.device);
  }
}

void Comparison::add(std::string what, std::string expected, std::string found,
                     std::string fix) {
  mismatches.push_back(
      {current, std::move(what), cell(expected), cell(found), std::move(fix)});
}

void Comparison::compareVersions(const Description &description) {
  if (description.protocol() != kProtocolVersion)
    add("protocol", std::to_string(kProtocolVersion),
        std::to_string(description.protocol()),
        "install the same version of graphc at both ends");
  if (description.format_major() != header.formatMajor)
    add("format", versionText(header.formatMajor, header.formatMinor),
        versionText(description.format_major(), description.format_minor()),
        "recompile with the graphc of the server's version");
  else if (description.format_minor() < header.formatMinor)
    add("format",
        versionText(header.formatMajor, header.formatMinor) + " or later",
        versionText(description.format_major(), description.format_minor()),
        "install a newer graphc-server, or recompile with its version");
  if (description.cluster_digest() != cluster.digestText())
    add("cluster", cluster.digestText(), description.cluster_digest(),
        "start the task and the client with the same jobs and numbers");
}

void Comparison::compareNeed(const TaskNeed &need,
                             const Description &description) {
  std::optional<CpuLevel> needed = lowestLevel(plan);
  std::optional<CpuLevel> has = parseCpuLevel(description.cpu_level());
  if (needed && (!has || *has < *needed))
    add("cpu", cpuLevelName(*needed), description.cpu_level(),
        "recompile with kernels for the lower level");
  std::set<std::string> devices(description.devices().begin(),
                                description.devices().end());
  for (const std::string &device : need.devices)
    if (!devices.count(device) &&
        !devices.count(device.substr(0, device.rfind(':')) + ":*"))
      add("device", device, "not there",
          "use --virtual-gpus, start it with --gpus-share if it has fewer, or "
          "recompile for its devices");
  compareCode(need, description);
  // 0 is what a task sends that does not know.
  if (description.memory_bytes() != 0 &&
      description.memory_bytes() < need.hostBytes)
    add("memory", mebibytes(need.hostBytes),
        mebibytes(description.memory_bytes()) + " free",
        "end other programs there, or spread variables over more tasks");
  if (!isAllowed(description))
    add("plan", planDigest(plan), "not allowed",
        "start it with --allow=" + *allowed);
}

/// Checks that there is code for the accelerators that the plan's devices would
/// be; tasks that have the plan have found theirs, and older ones do not tell.
void Comparison::compareCode(const TaskNeed &need,
                             const Description &description) {
  const auto &archs = description.gpu_archs();
  if (archs.empty() || description.has_plan())
    return;
  // By target and architecture; shorter names are of older ones.
  using Lack = std::tuple<const DeviceTarget *, size_t, std::string>;
  std::map<Lack, std::set<int>> lacking; // numbers of devices
  for (const std::string &text : need.devices) {
    DeviceName device = nameOfDevice(text);
    int number = device.id.value_or(0) % archs.size();
    const DeviceTarget *target = targetOfType(device.type.value_or(""));
    if (target && target->lacksCodeFor(plan, archs[number]))
      lacking[{target, archs[number].size(), archs[number]}].insert(number);
  }
  for (const auto &[lack, numbers] : lacking) {
    const auto &[target, length, arch] = lack;
    std::string names;
    for (int number : numbers)
      names += (names.empty() ? "" : ", ") + std::string(target->deviceType()) +
               ":" + std::to_string(number);
    add("gpu", target->archsOf(plan), arch + " (" + names + ")",
        target->cureFor(arch));
  }
}

/// Only servers that do not take all plans cost the time to hash this one.
bool Comparison::isAllowed(const Description &description) {
  if (description.plan_allowed())
    return true;
  if (!allowed) {
    StatusOr<std::string> list = makePlanManifest(plan);
    allowed = list.isOk() ? allowDigest(*list) : "";
  }
  return std::ranges::find(description.allowed(), *allowed) !=
         description.allowed().end();
}

void Comparison::compareClock(const Description &description) {
  if (clockMillis) {
    int64_t offset = clockOffset(description.clock_ms(), *clockMillis);
    if (offset > kMaxClockOffsetMillis || offset < -kMaxClockOffsetMillis)
      add("clock", "within 5 s", offsetText(offset),
          "set the machine's clock by NTP");
  }
}

void Comparison::compare(TaskId id, const Description &description) {
  const ClusterTask &task = cluster.task(id);
  current = task.name();
  auto need = needs.find(current);
  if (description.task().empty()) {
    if (needed ? std::ranges::find(*needed, id) != needed->end()
               : need != needs.end())
      add("task", "an answer", "none",
          "start it: graphc-server --job=" + task.job +
              " --task=" + std::to_string(task.index));
    return;
  }
  if (description.task() != current)
    add("task", current, description.task(),
        "correct the address " + task.address + " in the cluster file");
  compareVersions(description);
  if (need != needs.end())
    compareNeed(need->second, description);
  compareClock(description);
}

std::vector<Mismatch> Comparison::find() {
  findNeeds();
  static const Description kNone;
  for (TaskId id = 0; id < cluster.size(); ++id)
    compare(id, id < descriptions.size() ? descriptions[id] : kNone);
  for (const auto &[task, need] : needs) {
    StatusOr<TaskId> id = cluster.findDevice(task);
    current = task;
    if (!id.isOk())
      add("task", "in the cluster", "not there",
          "add it to the cluster file, or recompile for the cluster");
  }
  return std::move(mismatches);
}

} // namespace

std::vector<Mismatch> findMismatches(const Model &plan,
                                     const ClusterSpec &cluster,
                                     std::span<const Description> descriptions,
                                     std::optional<int64_t> clockMillis,
                                     const std::vector<TaskId> *needed) {
  return Comparison(plan, cluster, descriptions, clockMillis, needed).find();
}

std::string mismatchTable(std::span<const Mismatch> mismatches) {
  using Row = std::array<std::string, 5>;
  std::vector<Row> rows = {{"task", "what", "expected", "found", "fix"}};
  for (const Mismatch &m : mismatches)
    rows.push_back({m.task, m.what, m.expected, m.found, m.fix});
  std::array<size_t, 5> widths{};
  for (const Row &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row &row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      text += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    text += row.back() + "\n";
  }
  return text;
}

Status compareTasks(const Model &plan, const ClusterSpec &cluster,
                    std::span<const Description> descriptions,
                    std::span<const std::string> allowed,
                    std::optional<int64_t> clockMillis, std::string *warnings,
                    const std::vector<TaskId> *needed) {
  std::vector<Mismatch> fatal, warned;
  for (Mismatch &mismatch :
       findMismatches(plan, cluster, descriptions, clockMillis, needed)) {
    bool isAllowed = std::find(allowed.begin(), allowed.end(), mismatch.what) !=
                     allowed.end();
    (isAllowed ? warned : fatal).push_back(std::move(mismatch));
  }
  if (warnings && !warned.empty())
    *warnings = mismatchTable(warned);
  if (fatal.empty())
    return Status::ok();
  size_t count = fatal.size();
  return failedPrecondition("the tasks of the cluster cannot run '" +
                            plan.name() + "': " + std::to_string(count) +
                            (count == 1 ? " mismatch\n" : " mismatches\n") +
                            mismatchTable(fatal));
}

} // namespace graphc::runtime
