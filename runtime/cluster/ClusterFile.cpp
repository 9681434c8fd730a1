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

/// Keys accepted beside "cluster": "devices" and "client" are for the compiler,
/// the others are TF_CONFIG's.
const std::vector<std::string> kTopKeys = {
    "cluster",    "devices",   "client",         "task",
    "service",    "model_dir", "session_master", "eval_session_master",
    "environment"};

/// Reads the jobs of one object, and reports the line of each wrong value.
class JobReader {
public:
  explicit JobReader(const JsonFile &json) : json(json) {}

  Status read(const JsonValue &jobs);

  std::vector<ClusterTask> tasks;

private:
  Status readJob(const JsonValue::Member &job);
  Status readTask(const std::string &job, uint32_t index,
                  const JsonValue &address);

  const JsonFile &json;
  std::map<std::string, std::string> taskAt; ///< name by address
};

Status JobReader::readTask(const std::string &job, uint32_t index,
                           const JsonValue &address) {
  ClusterTask task{job, index, address.text};
  if (address.kind != JsonValue::Kind::String)
    return json.error(address,
                      std::string("is ") + jsonKindName(address.kind) +
                          "; it must be the address of a task, such as "
                          "\"localhost:2222\"");
  StatusOr<TaskAddress> parsed = TaskAddress::parse(address.text);
  if (!parsed.isOk())
    return json.error(address, "is no address: " + parsed.status().message());
  if (parsed->isUnix() || parsed->port != 0) {
    auto [known, isNew] = taskAt.emplace(parsed->toString(), task.name());
    if (!isNew)
      return json.error(address, "is '" + address.text + "', the address of '" +
                                     known->second +
                                     "', too; give each task its own");
  }
  for (const ClusterTask &other : tasks)
    if (other.job == job && other.index == index)
      return json.error(address,
                        "is '" + task.name() + "' once more; keep one of them");
  if (tasks.size() == ClusterSpec::kMaxTasks)
    return json.error(address, "is one task more than the " +
                                   std::to_string(ClusterSpec::kMaxTasks) +
                                   " that a cluster may have; use fewer");
  tasks.push_back(std::move(task));
  return Status::ok();
}

Status JobReader::readJob(const JsonValue::Member &job) {
  const JsonValue &value = job.value;
  StatusOr<DeviceName> name = DeviceName::parse("/job:" + job.key);
  if (!name.isOk() || name->job != job.key)
    return json.error(value,
                      "is no name of a job; write a letter, then letters, "
                      "digits and underscores");
  if (value.kind == JsonValue::Kind::Array) {
    for (size_t i = 0; i < value.elements.size(); ++i)
      GRAPHC_TRY(
          readTask(job.key, static_cast<uint32_t>(i), value.elements[i]));
    return Status::ok();
  }
  if (value.kind != JsonValue::Kind::Object)
    return json.error(value, std::string("is ") + jsonKindName(value.kind) +
                                 "; it must be a list of addresses, or an "
                                 "object from a task's number to its address");
  for (const JsonValue::Member &task : value.members) {
    std::optional<uint32_t> index = parseTaskIndex(task.key);
    if (!index)
      return json.error(task.value,
                        "has no task's number as its key; write one from 0 "
                        "to 2147483647");
    GRAPHC_TRY(readTask(job.key, *index, task.value));
  }
  return Status::ok();
}

Status JobReader::read(const JsonValue &jobs) {
  if (jobs.kind != JsonValue::Kind::Object)
    return json.error(jobs,
                      std::string(jobs.field.empty() ? "the cluster " : "") +
                          "is " + jsonKindName(jobs.kind) +
                          "; it must be an object of jobs, such as "
                          "{\"worker\": [\"localhost:2222\"]}");
  for (const JsonValue::Member &job : jobs.members)
    GRAPHC_TRY(readJob(job));
  if (tasks.empty())
    return json.error(jobs,
                      std::string(jobs.field.empty() ? "the cluster " : "") +
                          "has no tasks; add one, such as \"worker\": "
                          "[\"localhost:2222\"]");
  return Status::ok();
}

/// The file or the variable has the cluster inside, not at the top: a job
/// called "cluster" has addresses, not jobs.
bool isWrapped(const JsonValue &root) {
  const JsonValue *inner = root.find("cluster");
  if (!inner || inner->kind != JsonValue::Kind::Object)
    return false;
  auto isTask = [](const JsonValue::Member &member) {
    return member.value.kind == JsonValue::Kind::String &&
           parseTaskIndex(member.key);
  };
  return !std::any_of(inner->members.begin(), inner->members.end(), isTask);
}

} // namespace

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

StatusOr<ClusterSpec> readJobs(const JsonFile &json, const JsonValue &jobs) {
  JobReader reader(json);
  GRAPHC_TRY(reader.read(jobs));
  StatusOr<ClusterSpec> spec = ClusterSpec::make(std::move(reader.tasks));
  if (!spec.isOk())
    return json.error(jobs, spec.status().message());
  return spec;
}

StatusOr<const JsonValue *> findJobs(const JsonFile &json) {
  const JsonValue &root = json.root();
  if (!isWrapped(root)) {
    // A key of the compiler's "devices" is the name of a task.
    const JsonValue *devices = root.find("devices");
    if (devices && !devices->members.empty() &&
        devices->members[0].key.starts_with('/'))
      return json.error(*devices, "stands beside jobs; put these into "
                                  "\"cluster\": {...}");
    return &root;
  }
  for (const JsonValue::Member &member : root.members)
    if (std::find(kTopKeys.begin(), kTopKeys.end(), member.key) ==
        kTopKeys.end())
      return json.error(member.value,
                        "is unknown: " + unknownName("the file", "field",
                                                     member.key, kTopKeys));
  return root.find("cluster");
}

StatusOr<ClusterSpec> ClusterSpec::parse(std::string_view text,
                                         std::string_view where) {
  GRAPHC_ASSIGN_OR_RETURN(
      JsonFile json,
      JsonFile::parse({std::string(where), std::string(text)}, kClusterLimits));
  GRAPHC_ASSIGN_OR_RETURN(const JsonValue *jobs, findJobs(json));
  return readJobs(json, *jobs);
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
  std::string text(kClusterLimits.bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return parse(text, fileOrText);
}

} // namespace graphc::runtime
