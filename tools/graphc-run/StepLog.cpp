// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/StepLog.h"

#include "runtime/base/Clock.h"
#include "runtime/data/File.h"
#include "tools/graphc-run/Values.h"

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

namespace graphc::run {

using namespace runtime;

namespace {

bool isNumberScalar(const TensorType &type) {
  return type.shape.empty() && type.dtype != DType::String;
}

Status cannotWrite(const std::string &path) {
  return Status(StatusCode::Unknown,
                "cannot write the log '" + path +
                    "': " + std::generic_category().message(errno));
}

/// The first line of a file; empty: there is none.
std::string firstLine(const std::string &path) {
  StatusOr<std::vector<std::byte>> bytes = readFileBytes(path);
  if (!bytes.isOk())
    return "";
  std::string text(reinterpret_cast<const char *>(bytes->data()),
                   bytes->size());
  return text.substr(0, text.find('\n'));
}

} // namespace

Status checkLogText(const std::string &text) {
  bool isKnown = text.starts_with("jsonl:") || text.starts_with("csv:");
  if (isKnown && text.size() > text.find(':') + 1)
    return Status::ok();
  return invalidArgument("--log takes jsonl:FILE or csv:FILE, not '" + text +
                         "'");
}

StatusOr<std::unique_ptr<StepLog>> StepLog::open(const std::string &text) {
  bool isCsv = text.starts_with("csv:");
  std::string path = text.substr(text.find(':') + 1);
  std::FILE *file = std::fopen(path.c_str(), "ae");
  if (!file)
    return cannotWrite(path);
  std::unique_ptr<StepLog> log(new StepLog(path, file, isCsv));
  log->startNanos = nowNanos();
  return log;
}

Status StepLog::writeHeader(const std::string &columns) {
  std::string there = firstLine(path);
  hasHeader = true;
  if (there.empty())
    std::fprintf(file.get(), "%s\n", columns.c_str());
  else if (there != columns)
    return invalidArgument("'" + path + "' has the columns '" + there +
                           "', and this run has '" + columns +
                           "'; name another file with --log");
  return Status::ok();
}

Status StepLog::add(const StepView &step) {
  double seconds = static_cast<double>(nowNanos() - startNanos) * 1e-9;
  nlohmann::ordered_json json;
  json["step"] = step.step();
  json["seconds"] = seconds;
  std::string columns = "step,seconds", line = std::to_string(step.step()) +
                                               "," + std::to_string(seconds);
  for (size_t i = 0; i < step.size(); ++i) {
    if (!isNumberScalar(step.type(i)))
      continue;
    json[std::string(step.name(i))] = valueAsJson(step.type(i), step.bytes(i));
    columns += "," + std::string(step.name(i));
    line += "," + formatValue(step.type(i), step.bytes(i));
  }
  if (isCsv && !hasHeader)
    GRAPHC_TRY(writeHeader(columns));
  std::string text = isCsv ? line : json.dump();
  if (std::fprintf(file.get(), "%s\n", text.c_str()) < 0)
    return cannotWrite(path);
  return Status::ok();
}

Status StepLog::close() {
  return std::fflush(file.get()) == 0 ? Status::ok() : cannotWrite(path);
}

} // namespace graphc::run
