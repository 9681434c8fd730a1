// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's role as the environment variable TF_CONFIG gives it.
#include "runtime/base/Suggest.h"
#include "runtime/cluster/ClusterFile.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

constexpr std::string_view kWhere = "TF_CONFIG";

Status wrong(const ClusterJson &value, std::string_view problem) {
  return clusterError(kWhere, value, problem);
}

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

/// What "task" says. Where a field is absent, the values stay.
struct TaskField {
  std::optional<std::string> type;
  std::optional<uint32_t> index;
};

StatusOr<TaskField> readTask(const ClusterJson &task) {
  if (task.kind != ClusterJson::Kind::Object)
    return wrong(task, std::string("is ") + clusterKindName(task.kind) +
                           "; it must be an object, such as {\"type\": "
                           "\"worker\", \"index\": 0}");
  TaskField result;
  for (const ClusterJson &member : task.children) {
    bool isText = member.kind == ClusterJson::Kind::String;
    if (member.key == "type") {
      if (!isText)
        return wrong(member, std::string("is ") + clusterKindName(member.kind) +
                                 "; it must be the name of a job");
      result.type = member.text;
    } else if (member.key == "index") {
      // TensorFlow takes digits in quotes, too.
      if (isText || member.kind == ClusterJson::Kind::Number)
        result.index = parseTaskIndex(member.text);
      if (!result.index)
        return wrong(member,
                     "is " +
                         (member.text.empty()
                              ? std::string(clusterKindName(member.kind))
                              : "'" + member.text + "'") +
                         "; it must be a task's number from 0 to "
                         "2147483647");
    } else if (member.key != "trial" && member.key != "cloud") {
      return wrong(member,
                   "is unknown: " + unknownName("a task", "field", member.key,
                                                {"type", "index"}));
    }
  }
  return result;
}

/// Without a cluster there is one task, the first worker.
StatusOr<ClusterRole> localRole(const ClusterJson &root,
                                const TaskField &task) {
  ClusterRole role;
  if (task.type.value_or("worker") != "worker")
    return wrong(root, "the task is of job '" + *task.type +
                           "', but there is no cluster; add \"cluster\", or "
                           "leave \"task\" out");
  if (task.index.value_or(0) != 0)
    return wrong(root, "the task has number " + std::to_string(*task.index) +
                           ", but there is no cluster; add \"cluster\", or "
                           "leave \"task\" out");
  return role;
}

/// TensorFlow's rules about the job that leads.
Status checkChiefs(const ClusterJson &cluster, const ClusterSpec &spec) {
  size_t chiefs = countTasks(spec, "chief"),
         masters = countTasks(spec, "master");
  if (chiefs > 0 && masters > 0)
    return wrong(cluster, "has jobs 'chief' and 'master', which is its old "
                          "name; keep one of them");
  if (chiefs > 1 || masters > 1)
    return wrong(cluster, std::string("has more than one task of job '") +
                              (chiefs ? "chief" : "master") +
                              "'; keep one, and make workers of the others");
  if (hasJob(spec, "evaluator"))
    return wrong(cluster, "has a job 'evaluator', which is always outside the "
                          "cluster; leave it out there");
  return Status::ok();
}

StatusOr<ClusterRole> clusterRole(const ClusterJson &root,
                                  const ClusterJson &cluster,
                                  const TaskField &task) {
  ClusterRole role;
  GRAPHC_ASSIGN_OR_RETURN(role.cluster, readJobs(kWhere, cluster));
  GRAPHC_TRY(checkChiefs(cluster, role.cluster));
  const ClusterJson *field = root.find("task");
  const ClusterJson &place = field ? *field : root;
  if (!task.type || !task.index)
    return wrong(place, std::string(field ? "has" : "the text has") + " no \"" +
                            (task.type ? "index" : "type") +
                            "\"; with a cluster it must say which task this "
                            "is, such as {\"type\": \"worker\", \"index\": 0}");
  role.job = *task.type;
  role.index = *task.index;
  if (role.job == "evaluator") {
    if (hasJob(role.cluster, "master"))
      return wrong(place, "is of job 'evaluator', which does not go with a job "
                          "'master'; call that job 'chief'");
    role.isEvaluator = true;
    role.cluster = {};
    return role;
  }
  StatusOr<TaskId> id = role.cluster.find(role.job, role.index);
  if (!id.isOk())
    return wrong(place, "is not in the cluster: " + id.status().message());
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

StatusOr<ClusterRole> parseTfConfig(std::string_view json) {
  if (json.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return ClusterRole{};
  GRAPHC_ASSIGN_OR_RETURN(ClusterJson root, parseClusterJson(json, kWhere));
  if (root.kind != ClusterJson::Kind::Object)
    return wrong(root, std::string("the text is ") +
                           clusterKindName(root.kind) +
                           "; it must be an object {\"cluster\": ..., "
                           "\"task\": ...}");
  static const std::vector<std::string> kKeys = {
      "cluster",   "task",           "environment",         "service",
      "model_dir", "session_master", "eval_session_master", "job",
      "rpc_layer"};
  for (const ClusterJson &member : root.children)
    if (std::find(kKeys.begin(), kKeys.end(), member.key) == kKeys.end())
      return wrong(member, "is unknown: " + unknownName("TF_CONFIG", "field",
                                                        member.key, kKeys));
  if (const ClusterJson *layer = root.find("rpc_layer");
      layer && (layer->kind != ClusterJson::Kind::String ||
                (layer->text != "grpc" && !layer->text.empty())))
    return wrong(*layer, "names another way of calling tasks than gRPC, which "
                         "is the only one here; write \"grpc\", or leave it "
                         "out");
  const ClusterJson *field = root.find("task");
  GRAPHC_ASSIGN_OR_RETURN(TaskField task,
                          field ? readTask(*field) : TaskField());
  const ClusterJson *cluster = root.find("cluster");
  // TensorFlow takes an empty cluster for none.
  bool isEmpty = !cluster || (cluster->kind == ClusterJson::Kind::Object &&
                              cluster->children.empty());
  return isEmpty ? localRole(root, task) : clusterRole(root, *cluster, task);
}

} // namespace graphc::runtime
