// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads clusters from JSON.
#include "runtime/cluster/ClusterFile.h"

#include "runtime/base/Suggest.h"
#include "runtime/base/TaskAddress.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

namespace graphc::runtime {

namespace {

/// What may stand beside "cluster": "devices" and "client" are for the
/// compiler, the others are TF_CONFIG's.
const std::vector<std::string> kTopKeys = {
    "cluster",    "devices",   "client",         "task",
    "service",    "model_dir", "session_master", "eval_session_master",
    "environment"};

/// Reads the jobs of one object, and says of each value where it is wrong.
class JobReader {
public:
  explicit JobReader(std::string_view where) : where(where) {}

  Status read(const ClusterJson &jobs);

  std::vector<ClusterTask> tasks;

private:
  Status readJob(const ClusterJson &job);
  Status readTask(const std::string &job, uint32_t index,
                  const ClusterJson &address);

  std::string_view where;
  std::map<std::string, std::string> taskAt; ///< name by address
};

Status JobReader::readTask(const std::string &job, uint32_t index,
                           const ClusterJson &address) {
  ClusterTask task{job, index, address.text};
  if (address.kind != ClusterJson::Kind::String)
    return clusterError(where, address,
                        std::string("is ") + clusterKindName(address.kind) +
                            "; it must be the address of a task, such as "
                            "\"localhost:2222\"");
  StatusOr<TaskAddress> parsed = TaskAddress::parse(address.text);
  if (!parsed.isOk())
    return clusterError(where, address,
                        "is no address: " + parsed.status().message());
  if (parsed->isUnix() || parsed->port != 0) {
    auto [known, isNew] = taskAt.emplace(parsed->toString(), task.name());
    if (!isNew)
      return clusterError(where, address,
                          "is '" + address.text + "', the address of '" +
                              known->second + "', too; give each task its own");
  }
  for (const ClusterTask &other : tasks)
    if (other.job == job && other.index == index)
      return clusterError(where, address,
                          "is '" + task.name() +
                              "' once more; keep one of them");
  if (tasks.size() == ClusterSpec::kMostTasks)
    return clusterError(where, address,
                        "is one task more than the " +
                            std::to_string(ClusterSpec::kMostTasks) +
                            " that a cluster may have; use fewer");
  tasks.push_back(std::move(task));
  return Status::ok();
}

Status JobReader::readJob(const ClusterJson &job) {
  StatusOr<DeviceName> name = DeviceName::parse("/job:" + job.key);
  if (!name.isOk() || name->job != job.key)
    return clusterError(where, job,
                        "is no name of a job; write a letter, then letters, "
                        "digits and underscores");
  if (job.kind == ClusterJson::Kind::Array) {
    for (size_t i = 0; i < job.children.size(); ++i)
      GRAPHC_TRY(readTask(job.key, static_cast<uint32_t>(i), job.children[i]));
    return Status::ok();
  }
  if (job.kind != ClusterJson::Kind::Object)
    return clusterError(where, job,
                        std::string("is ") + clusterKindName(job.kind) +
                            "; it must be a list of addresses, or an object "
                            "from a task's number to its address");
  for (const ClusterJson &task : job.children) {
    std::optional<uint32_t> index = parseTaskIndex(task.key);
    if (!index)
      return clusterError(where, task,
                          "has no task's number as its key; write one from 0 "
                          "to 2147483647");
    GRAPHC_TRY(readTask(job.key, *index, task));
  }
  return Status::ok();
}

Status JobReader::read(const ClusterJson &jobs) {
  if (jobs.kind != ClusterJson::Kind::Object)
    return clusterError(where, jobs,
                        std::string(jobs.field.empty() ? "the cluster " : "") +
                            "is " + clusterKindName(jobs.kind) +
                            "; it must be an object of jobs, such as "
                            "{\"worker\": [\"localhost:2222\"]}");
  for (const ClusterJson &job : jobs.children)
    GRAPHC_TRY(readJob(job));
  if (tasks.empty())
    return clusterError(where, jobs,
                        std::string(jobs.field.empty() ? "the cluster " : "") +
                            "has no tasks; add one, such as \"worker\": "
                            "[\"localhost:2222\"]");
  return Status::ok();
}

/// The file or the variable has the cluster inside, not at the top: a job
/// called "cluster" has addresses, not jobs.
bool isWrapped(const ClusterJson &root) {
  const ClusterJson *inner = root.find("cluster");
  if (!inner || inner->kind != ClusterJson::Kind::Object)
    return false;
  for (const ClusterJson &child : inner->children)
    if (child.kind == ClusterJson::Kind::String)
      return false;
  return true;
}

} // namespace

const char *clusterKindName(ClusterJson::Kind kind) {
  switch (kind) {
  case ClusterJson::Kind::Null:
    return "null";
  case ClusterJson::Kind::Bool:
    return "true or false";
  case ClusterJson::Kind::Number:
    return "a number";
  case ClusterJson::Kind::String:
    return "a string";
  case ClusterJson::Kind::Array:
    return "a list";
  case ClusterJson::Kind::Object:
    return "an object";
  }
  return "";
}

std::optional<uint32_t> parseTaskIndex(std::string_view text) {
  int32_t index = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), index);
  // "-0" is no number of a task, although from_chars takes it.
  if (error != std::errc() || end != text.data() + text.size() || index < 0 ||
      text.starts_with('-'))
    return std::nullopt;
  return static_cast<uint32_t>(index);
}

StatusOr<ClusterSpec> readJobs(std::string_view where,
                               const ClusterJson &jobs) {
  JobReader reader(where);
  GRAPHC_TRY(reader.read(jobs));
  StatusOr<ClusterSpec> spec = ClusterSpec::make(std::move(reader.tasks));
  if (!spec.isOk())
    return clusterError(where, jobs, spec.status().message());
  return spec;
}

StatusOr<ClusterSpec> ClusterSpec::parse(std::string_view json,
                                         std::string_view where) {
  GRAPHC_ASSIGN_OR_RETURN(ClusterJson root, parseClusterJson(json, where));
  if (!isWrapped(root))
    return readJobs(where, root);
  for (const ClusterJson &member : root.children)
    if (std::find(kTopKeys.begin(), kTopKeys.end(), member.key) ==
        kTopKeys.end())
      return clusterError(where, member,
                          "is unknown: " + unknownName("the file", "field",
                                                       member.key, kTopKeys));
  return readJobs(where, *root.find("cluster"));
}

StatusOr<ClusterSpec> ClusterSpec::read(const std::string &fileOrText) {
  size_t first = fileOrText.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && fileOrText[first] == '{')
    return parse(fileOrText, "cluster");
  std::ifstream file(fileOrText, std::ios::binary);
  if (!file)
    return notFound("the cluster file '" + fileOrText +
                    "' cannot be read; name a file, or write the cluster "
                    "itself, such as {\"worker\": [\"localhost:2222\"]}");
  std::string text(kMostClusterText + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return parse(text, fileOrText);
}

} // namespace graphc::runtime
