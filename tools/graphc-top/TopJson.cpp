// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-top/TopJson.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace graphc::top {

using Json = nlohmann::ordered_json;

namespace {

Json numberOf(const std::optional<double> &value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json graphJson(const GraphView &graph) {
  Json json;
  json["graph"] = graph.name;
  json["steps"] = graph.steps;
  json["last_step"] = graph.lastStep;
  json["steps_per_second"] = graph.stepsPerSecond;
  json["examples_per_second"] = graph.examplesPerSecond;
  json["median_step_seconds"] = numberOf(graph.medianSeconds);
  json["wait_share"] = graph.waits;
  json["fetches"] = Json::object();
  for (const auto &[name, value] : graph.fetches)
    json["fetches"][name] = numberOf(value);
  return json;
}

Json linkJson(const LinkView &link) {
  Json json;
  json["to"] = link.to;
  json["up"] = link.isUp;
  json["sent_bytes"] = link.sent;
  json["received_bytes"] = link.received;
  json["sent_bytes_per_second"] = link.sentPerSecond;
  json["received_bytes_per_second"] = link.receivedPerSecond;
  json["queued_bytes"] = link.queued;
  json["losses"] = link.losses;
  return json;
}

Json taskJson(const TaskView &task) {
  Json json;
  json["task"] = task.task;
  json["address"] = task.address;
  json["state"] = stateName(task.state);
  json["reason"] = task.reason;
  json["steps_per_second"] = task.stepsPerSecond();
  json["examples_per_second"] = task.examplesPerSecond();
  json["loss"] = numberOf(task.loss());
  json["wait_share"] = task.waitShare();
  json["resident_bytes"] = task.resident;
  json["arena_bytes"] = task.arenas;
  json["variable_bytes"] = task.variables;
  json["staleness_mean"] = numberOf(task.meanStaleness);
  json["staleness_max"] = numberOf(task.maxStaleness);
  json["early_arrival_bytes"] = task.earlyBytes;
  json["pending_updates"] = task.pendingUpdates;
  json["late_gradients"] = task.lateGradients;
  json["run_failures"] = task.failures;
  json["graphs"] = Json::array();
  for (const GraphView &graph : task.graphs)
    json["graphs"].push_back(graphJson(graph));
  json["links"] = Json::array();
  for (const LinkView &link : task.links)
    json["links"].push_back(linkJson(link));
  return json;
}

} // namespace

std::string toJson(const std::vector<TaskView> &tasks) {
  Json json;
  json["tasks"] = Json::array();
  for (const TaskView &task : tasks)
    json["tasks"].push_back(taskJson(task));
  // What tasks answered need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace graphc::top
