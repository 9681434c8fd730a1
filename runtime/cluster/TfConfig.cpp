// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's role as the environment variable TF_CONFIG gives it.
#include "runtime/base/Suggest.h"
#include "runtime/cluster/ClusterFile.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

bool hasJob(const ClusterSpec &cluster, std::string_view job) {
  for (const ClusterTask &task : cluster.tasks())
    if (task.job == job)
      return true;
  return false;
}

size_t countTasks(const ClusterSpec &cluster, std::string_view job) {
  size_t count = 0;
  for (const ClusterTask &task : cluster.tasks())
    count += task.job == job;
  return count;
}

/// Content of "task". Where a field is absent, the values stay.
struct TaskField {
  std::optional<std::string> type;
  std::optional<uint32_t> index;
};

StatusOr<TaskField> readTask(const JsonFile &json, const JsonValue &task) {
  if (task.kind != JsonValue::Kind::Object)
    return json.error(task, std::string("is ") + jsonKindName(task.kind) +
                                "; it must be an object, such as {\"type\": "
                                "\"worker\", \"index\": 0}");
  TaskField result;
  for (const auto &[key, line, member] : task.members) {
    bool isText = member.kind == JsonValue::Kind::String;
    if (key == "type") {
      if (!isText)
        return json.error(member, std::string("is ") +
                                      jsonKindName(member.kind) +
                                      "; it must be the name of a job");
      result.type = member.text;
    } else if (key == "index") {
      // TensorFlow takes digits in quotes, too.
      if (isText || member.kind == JsonValue::Kind::Number)
        result.index = parseTaskIndex(member.text);
      if (!result.index)
        return json.error(member,
                          "is " +
                              (member.text.empty()
                                   ? std::string(jsonKindName(member.kind))
                                   : "'" + member.text + "'") +
                              "; it must be a task's number from 0 to "
                              "2147483647");
    } else if (key != "trial" && key != "cloud") {
      return json.error(member,
                        "is unknown: " + unknownName("a task", "field", key,
                                                     {"type", "index"}));
    }
  }
  return result;
}

/// Without a cluster there is one task, the first worker.
StatusOr<ClusterRole> localRole(const JsonFile &json, const TaskField &task) {
  const JsonValue &root = json.root();
  ClusterRole role;
  if (task.type.value_or("worker") != "worker")
    return json.error(root,
                      "the task is of job '" + *task.type +
                          "', but there is no cluster; add \"cluster\", or "
                          "leave \"task\" out");
  if (task.index.value_or(0) != 0)
    return json.error(root,
                      "the task has number " + std::to_string(*task.index) +
                          ", but there is no cluster; add \"cluster\", or "
                          "leave \"task\" out");
  return role;
}

/// TensorFlow's rules about the job that leads.
Status checkChiefs(const JsonFile &json, const JsonValue &cluster,
                   const ClusterSpec &spec) {
  size_t chiefs = countTasks(spec, "chief"),
         masters = countTasks(spec, "master");
  if (chiefs > 0 && masters > 0)
    return json.error(cluster,
                      "has jobs 'chief' and 'master', which is its old "
                      "name; keep one of them");
  if (chiefs > 1 || masters > 1)
    return json.error(cluster,
                      std::string("has more than one task of job '") +
                          (chiefs ? "chief" : "master") +
                          "'; keep one, and make workers of the others");
  if (hasJob(spec, "evaluator"))
    return json.error(cluster,
                      "has a job 'evaluator', which is always outside the "
                      "cluster; leave it out there");
  return Status::ok();
}

StatusOr<ClusterRole> clusterRole(const JsonFile &json,
                                  const JsonValue &cluster,
                                  const TaskField &task) {
  const JsonValue &root = json.root();
  ClusterRole role;
  GRAPHC_ASSIGN_OR_RETURN(role.cluster, readJobs(json, cluster));
  GRAPHC_TRY(checkChiefs(json, cluster, role.cluster));
  const JsonValue *field = root.find("task");
  const JsonValue &place = field ? *field : root;
  if (!task.type || !task.index)
    return json.error(place,
                      std::string(field ? "has" : "the text has") + " no \"" +
                          (task.type ? "index" : "type") +
                          "\"; with a cluster it must say which task this "
                          "is, such as {\"type\": \"worker\", \"index\": 0}");
  role.job = *task.type;
  role.index = *task.index;
  if (role.job == "evaluator") {
    if (hasJob(role.cluster, "master"))
      return json.error(place,
                        "is of job 'evaluator', which does not go with a job "
                        "'master'; call that job 'chief'");
    role.isEvaluator = true;
    role.cluster = {};
    return role;
  }
  StatusOr<TaskId> id = role.cluster.find(role.job, role.index);
  if (!id.isOk())
    return json.error(place, "is not in the cluster: " + id.status().message());
  return role;
}

} // namespace

bool ClusterRole::isChief() const {
  if (isEvaluator)
    return false;
  if (job == "chief" || job == "master")
    return true;
  return job == "worker" && index == 0 && !hasJob(cluster, "chief") &&
         !hasJob(cluster, "master");
}

StatusOr<ClusterRole> parseTfConfig(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return ClusterRole{};
  GRAPHC_ASSIGN_OR_RETURN(
      JsonFile json,
      JsonFile::parse({"TF_CONFIG", std::string(text)}, kClusterLimits));
  const JsonValue &root = json.root();
  if (root.kind != JsonValue::Kind::Object)
    return json.error(root, std::string("the text is ") +
                                jsonKindName(root.kind) +
                                "; it must be an object {\"cluster\": ..., "
                                "\"task\": ...}");
  static const std::vector<std::string> kKeys = {
      "cluster",   "task",           "environment",         "service",
      "model_dir", "session_master", "eval_session_master", "job",
      "rpc_layer"};
  for (const JsonValue::Member &member : root.members)
    if (std::find(kKeys.begin(), kKeys.end(), member.key) == kKeys.end())
      return json.error(member.value,
                        "is unknown: " + unknownName("TF_CONFIG", "field",
                                                     member.key, kKeys));
  if (const JsonValue *layer = root.find("rpc_layer");
      layer && (layer->kind != JsonValue::Kind::String ||
                (layer->text != "grpc" && !layer->text.empty())))
    return json.error(*layer,
                      "names another way of calling tasks than gRPC, which "
                      "is the only one here; write \"grpc\", or leave it "
                      "out");
  const JsonValue *field = root.find("task");
  GRAPHC_ASSIGN_OR_RETURN(TaskField task,
                          field ? readTask(json, *field) : TaskField());
  const JsonValue *cluster = root.find("cluster");
  // TensorFlow takes an empty cluster for none.
  bool isEmpty = !cluster || (cluster->kind == JsonValue::Kind::Object &&
                              cluster->members.empty());
  return isEmpty ? localRole(json, task) : clusterRole(json, *cluster, task);
}

} // namespace graphc::runtime
