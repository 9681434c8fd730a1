// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/summary/StepLog.h"

#include "runtime/base/Texts.h"
#include "tools/graphc-run/Values.h"

#include <cerrno>
#include <cstring>

namespace graphc::run {

using namespace runtime;

namespace {

/// A name as a field of CSV.
std::string csvName(std::string_view name) {
  if (name.find_first_of(",\"\n\r") == std::string_view::npos)
    return std::string(name);
  std::string quoted = "\"";
  for (char c : name)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string timeText(double time) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", time);
  return text;
}

Status cannotWrite(const std::string &path, int error) {
  return Status(error == EACCES || error == EPERM ? StatusCode::PermissionDenied
                                                  : StatusCode::Unavailable,
                "cannot write " + quote(path) +
                    " of --log: " + std::strerror(error));
}

} // namespace

bool isLoggedScalar(const TensorType &type) {
  return type.shape.empty() && type.dtype != DType::String;
}

std::string scalarText(const TensorType &type,
                       std::span<const std::byte> bytes) {
  nlohmann::ordered_json value = valueAsJson(type, bytes);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

StatusOr<std::unique_ptr<StepLog>> StepLog::open(const SummaryFlags &flags,
                                                 bool goesOn) {
  std::FILE *file = std::fopen(flags.logFile.c_str(), goesOn ? "ae" : "we");
  if (!file)
    return cannotWrite(flags.logFile, errno);
  std::unique_ptr<StepLog> log(
      new StepLog(file, flags.logFile, flags.logForm, false));
  log->hasHeader = flags.logForm != SummaryFlags::LogForm::Csv ||
                   (goesOn && std::ftell(file) > 0);
  return log;
}

std::string StepLog::header(const StepView &step) const {
  std::string line = "step,time";
  for (size_t i = 0; i < step.size(); ++i)
    if (isLoggedScalar(step.type(i)))
      line += "," + csvName(step.name(i));
  return line + "\n";
}

std::string StepLog::csvLine(const StepView &step, double time) const {
  std::string line = std::to_string(step.step()) + "," + timeText(time);
  for (size_t i = 0; i < step.size(); ++i)
    if (isLoggedScalar(step.type(i)))
      line += "," + scalarText(step.type(i), step.bytes(i));
  return line + "\n";
}

std::string StepLog::jsonLine(const StepView &step, double time) const {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (size_t i = 0; i < step.size(); ++i)
    if (isLoggedScalar(step.type(i)))
      values[std::string(step.name(i))] =
          valueAsJson(step.type(i), step.bytes(i));
  // The time is put in as a text, with the digits that mean anything.
  return "{\"step\": " + std::to_string(step.step()) +
         ", \"time\": " + timeText(time) + ", \"values\": " +
         values.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "}\n";
}

Status StepLog::add(const StepView &step, double time) {
  if (!failure.isOk())
    return failure;
  std::string text = hasHeader ? "" : header(step);
  hasHeader = true;
  text += form == SummaryFlags::LogForm::Csv ? csvLine(step, time)
                                             : jsonLine(step, time);
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    failure = cannotWrite(path, errno);
  return failure;
}

} // namespace graphc::run
