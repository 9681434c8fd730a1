// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/summary/MlflowLog.h"

#include "runtime/base/Texts.h"
#include "runtime/data/File.h"
#include "tools/graphc-run/summary/StepLog.h"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/random.h>
#include <tuple>

namespace graphc::run {

using namespace runtime;

namespace {

namespace fs = std::filesystem;

// Of MLflow's RunStatus.
constexpr int kRunning = 1, kFinished = 3, kFailed = 4;
constexpr const char *kTrainDirTag = "graphc.train_dir";
constexpr const char *kNameTag = "mlflow.runName";

int64_t nowMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Status cannotWrite(const std::string &path, int error) {
  return Status(error == EACCES || error == EPERM ? StatusCode::PermissionDenied
                                                  : StatusCode::Unavailable,
                "cannot write " + quote(path) +
                    " of --log: " + std::strerror(error));
}

Status makeFolder(const fs::path &path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? cannotWrite(path.string(), error.value()) : Status::ok();
}

Status writeText(const fs::path &path, std::string_view text) {
  GRAPHC_TRY(makeFolder(path.parent_path()));
  std::span<const std::byte> parts[] = {
      std::as_bytes(std::span(text.data(), text.size()))};
  return replaceFile(path.string(), parts).annotate("--log");
}

std::string readText(const fs::path &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A text as a scalar of YAML.
std::string yamlText(std::string_view text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? "''" : std::string(1, c == '\n' ? ' ' : c);
  return quoted + "'";
}

/// A name as a relative path that MLflow takes and that stays in its folder.
std::string pathOf(std::string name) {
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) &&
        !std::strchr("_-. /", c))
      c = '_';
  bool isPlain = !name.empty();
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = std::min(name.find('/', begin), name.size());
    std::string part = name.substr(begin, end - begin);
    isPlain &=
        !part.empty() && part.find_first_not_of('.') != std::string::npos;
    begin = end + 1;
  }
  if (isPlain)
    return name;
  for (char &c : name)
    if (c == '/' || c == '.')
      c = '_';
  return name.empty() ? "_" : name;
}

/// 32 hex digits that no other run has.
std::string newId() {
  unsigned char bytes[16] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    std::memcpy(bytes, std::to_string(nowMillis()).c_str(), 13);
  std::string id;
  for (unsigned char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    id += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return id;
}

int64_t startOf(const fs::path &meta) {
  std::string text = readText(meta);
  constexpr std::string_view kKey = "\nstart_time: ";
  size_t at = text.find(kKey);
  int64_t millis = 0;
  if (at != std::string::npos)
    std::from_chars(text.data() + at + kKey.size(), text.data() + text.size(),
                    millis);
  return millis;
}

std::string absolute(const std::string &path) {
  std::error_code error;
  fs::path made = fs::absolute(path, error).lexically_normal();
  return (made.has_filename() ? made : made.parent_path()).string();
}

std::string paramText(const HparamValue &value) {
  if (const auto *text = std::get_if<std::string>(&value))
    return *text;
  if (const auto *flag = std::get_if<bool>(&value))
    return *flag ? "true" : "false";
  char digits[32];
  auto end =
      std::to_chars(digits, digits + sizeof digits, std::get<double>(value))
          .ptr;
  return {digits, end};
}

} // namespace

StatusOr<std::unique_ptr<MlflowLog>>
MlflowLog::open(const std::string &directory, const MlflowRun &run) {
  // What MLflow has by itself in a new folder.
  std::unique_ptr<MlflowLog> log(new MlflowLog(absolute(directory) + "/0"));
  std::string meta = log->experiment + "/meta.yaml";
  std::error_code error;
  if (!fs::exists(meta, error)) {
    std::string now = std::to_string(nowMillis());
    GRAPHC_TRY(writeText(
        meta, "artifact_location: " + yamlText("file://" + log->experiment) +
                  "\ncreation_time: " + now +
                  "\nexperiment_id: '0'\nlast_update_time: " + now +
                  "\nlifecycle_stage: active\nname: Default\n"));
  }
  log->name = run.name;
  if (!run.goesOn || !log->findRun(run))
    GRAPHC_TRY(log->beginRun(run));
  GRAPHC_TRY(log->writeRun(kRunning, "null"));
  return log;
}

bool MlflowLog::findRun(const MlflowRun &run) {
  std::error_code error;
  for (fs::directory_iterator it(experiment, error), end; !error && it != end;
       it.increment(error)) {
    fs::path tags = it->path() / "tags";
    if (readText(tags / kTrainDirTag) != absolute(run.trainDir) ||
        readText(tags / kNameTag) != run.name)
      continue;
    std::string other = it->path().filename().string();
    int64_t start = startOf(it->path() / "meta.yaml");
    if (std::tie(start, other) < std::tie(startMillis, id))
      continue;
    startMillis = start;
    id = other;
  }
  folder = experiment + "/" + id;
  return !id.empty();
}

Status MlflowLog::beginRun(const MlflowRun &run) {
  id = newId();
  folder = experiment + "/" + id;
  startMillis = nowMillis();
  for (const char *part : {"metrics", "params", "artifacts"})
    GRAPHC_TRY(makeFolder(folder + "/" + part));
  std::map<std::string, std::string> tags = {{kNameTag, run.name},
                                             {"mlflow.source.name", run.source},
                                             {"mlflow.source.type", "LOCAL"}};
  if (!run.trainDir.empty())
    tags[kTrainDirTag] = absolute(run.trainDir);
  for (const auto &[tag, text] : tags)
    GRAPHC_TRY(writeText(folder + "/tags/" + tag, text));
  return Status::ok();
}

Status MlflowLog::writeRun(int status, const std::string &end) {
  const char *user = std::getenv("USER");
  return writeText(
      folder + "/meta.yaml",
      "artifact_uri: " + yamlText("file://" + folder + "/artifacts") +
          "\nend_time: " + end +
          "\nentry_point_name: ''\nexperiment_id: '0'\nlifecycle_stage: active"
          "\nrun_id: " +
          yamlText(id) + "\nrun_name: " + yamlText(name) +
          "\nrun_uuid: " + yamlText(id) +
          "\nsource_name: ''\nsource_type: 4\nsource_version: "
          "''\nstart_time: " +
          std::to_string(startMillis) + "\nstatus: " + std::to_string(status) +
          "\ntags: []\nuser_id: " + yamlText(user ? user : "") + "\n");
}

MlflowLog::~MlflowLog() {
  if (!isEnded)
    (void)writeRun(kFailed, std::to_string(nowMillis())).isOk();
}

Status MlflowLog::addParams(const Hparams &params) {
  for (const auto &[param, value] : params)
    if (failure.isOk())
      failure =
          writeText(folder + "/params/" + pathOf(param), paramText(value));
  return failure;
}

Status MlflowLog::addLine(const std::string &metric, double time,
                          const std::string &value, uint64_t step) {
  fs::path path = fs::path(folder) / "metrics" / pathOf(metric);
  GRAPHC_TRY(makeFolder(path.parent_path()));
  std::string line = std::to_string(static_cast<int64_t>(time * 1e3)) + " " +
                     value + " " + std::to_string(step) + "\n";
  std::FILE *file = std::fopen(path.c_str(), "ae");
  if (!file)
    return cannotWrite(path.string(), errno);
  bool isWritten =
      std::fwrite(line.data(), 1, line.size(), file) == line.size();
  int error = errno;
  if (std::fclose(file) != 0 && isWritten)
    return cannotWrite(path.string(), errno);
  return isWritten ? Status::ok() : cannotWrite(path.string(), error);
}

Status MlflowLog::addStep(const StepView &step, double time) {
  for (size_t i = 0; i < step.size() && failure.isOk(); ++i)
    if (isLoggedScalar(step.type(i)))
      failure = addLine(std::string(step.name(i)), time,
                        step.type(i).dtype == DType::Bool
                            ? std::to_string(static_cast<int>(step.bytes(i)[0]))
                            : scalarText(step.type(i), step.bytes(i)),
                        step.step());
  return failure;
}

Status MlflowLog::addMetrics(const std::map<std::string, double> &metrics,
                             uint64_t step, double time) {
  for (const auto &[metric, value] : metrics)
    if (failure.isOk())
      failure = addLine(metric, time, paramText(value), step);
  return failure;
}

Status MlflowLog::finish() {
  if (failure.isOk())
    failure = writeRun(kFinished, std::to_string(nowMillis()));
  isEnded = failure.isOk();
  return failure;
}

} // namespace graphc::run
