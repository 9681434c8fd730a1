// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/profile/ProfileJson.h"

#include <nlohmann/json.hpp>

namespace graphc::run {

using namespace runtime;

namespace {

using Json = nlohmann::ordered_json;

constexpr double kNanos = 1e-9;

Json rowJson(const RunProfile &profile, ProfileKey key, const ProfileRow &row) {
  Json json;
  if (key == ProfileKey::Line) {
    json["line"] = row.line;
    json["text"] = profile.lineText(row.line);
  } else {
    json["name"] = row.name;
  }
  if (key == ProfileKey::Kernel) {
    json["program"] = row.id.program;
    json["instruction"] = row.id.instruction;
  }
  json["count"] = row.count;
  json["seconds"] = row.seconds;
  json["flops"] = row.flops;
  json["bytes"] = row.bytes;
  for (size_t phase = 0; phase < kStepPhases; ++phase)
    if (row.phases[phase] > 0)
      json["phases"][std::string(nameOfPhase(static_cast<StepPhase>(phase)))] =
          row.phases[phase];
  return json;
}

Json rowsJson(const RunProfile &profile, ProfileKey key) {
  Json rows = Json::array();
  for (const ProfileRow &row : profile.rows(key))
    rows.push_back(rowJson(profile, key, row));
  return rows;
}

Json balanceJson(const RunProfile &profile) {
  Json programs = Json::array();
  for (const ProgramTime &time : profile.programTimes()) {
    Json json = {{"busy", time.busy * kNanos},
                 {"waiting", time.waiting * kNanos},
                 {"ready", time.ready * kNanos},
                 {"done", time.done * kNanos}};
    if (time.waitingForIt > 0) {
      json["waits_for"] = time.waitsFor;
      json["waiting_for_it"] = time.waitingForIt * kNanos;
    }
    programs.push_back(std::move(json));
  }
  return programs;
}

Json peersJson(const PeerBalance &balance) {
  Json peers = Json::array();
  for (const PeerTime &peer : balance.peers)
    peers.push_back({{"name", peer.name},
                     {"busy", peer.busy * kNanos},
                     {"slowest", peer.slowest},
                     {"last", peer.last}});
  return {{"max_to_mean", balance.maxToMean}, {"peers", std::move(peers)}};
}

Json pathJson(const RunProfile &profile) {
  CriticalPath path = profile.criticalPath();
  Json ops = Json::array(), median = Json::array();
  for (const CriticalPath::Op &op : path.ops)
    ops.push_back({{"name", op.name},
                   {"steps", op.steps},
                   {"on_path", op.nanos * kNanos},
                   {"all", op.allNanos * kNanos},
                   {"saved", op.savedNanos * kNanos}});
  for (const StepSchedule::OnPath &each : path.medianPath) {
    InstructionId id = profile.idOf(each.index);
    median.push_back(
        {{"program", id.program},
         {"instruction", id.instruction},
         {"name", nameOf(profile.instructionAt(id))},
         {"pause", static_cast<double>(each.pauseNanos) * kNanos}});
  }
  return {{"seconds", path.nanos * kNanos},
          {"between", path.pauseNanos * kNanos},
          {"ops", std::move(ops)},
          {"median_step",
           {{"step", path.medianStep}, {"path", std::move(median)}}}};
}

} // namespace

Json profileJson(const RunProfile &profile) {
  const ProfileData &data = profile.data();
  Json json = {{"steps", data.steps}};
  if (data.threads > 0)
    json["limits"] = {{"threads", data.threads},
                      {"flops_per_second", data.limits.flopsPerSecond},
                      {"bytes_per_second", data.limits.bytesPerSecond}};
  json["kernels"] = rowsJson(profile, ProfileKey::Kernel);
  json["ops"] = rowsJson(profile, ProfileKey::Op);
  json["lines"] = rowsJson(profile, ProfileKey::Line);
  json["layers"] = rowsJson(profile, ProfileKey::Layer);
  json["devices"] = rowsJson(profile, ProfileKey::Device);
  if (profile.recordedSteps() == 0)
    return json;
  json["recorded_steps"] = profile.recordedSteps();
  json["step_seconds"] = profile.stepNanos() * kNanos;
  json["programs"] = balanceJson(profile);
  for (const auto &[name, balance] :
       {std::pair("towers", profile.towers()), {"tasks", profile.tasks()}})
    if (balance.peers.size() > 1)
      json[name] = peersJson(balance);
  json["critical_path"] = pathJson(profile);
  return json;
}

} // namespace graphc::run
