// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/train/TrainControl.h"

#include "runtime/base/Clock.h"
#include "runtime/checkpoint/FileLayer.h"
#include "runtime/data/File.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace graphc::runtime {

namespace {

using Json = nlohmann::json;

constexpr int64_t kLookNanos = 250'000'000;

/// The value of a float scalar; nothing: it is none.
std::optional<double> scalarOf(const StepView &step, size_t fetch) {
  TensorType type = step.type(fetch);
  if (!type.shape.empty())
    return std::nullopt;
  if (type.dtype == DType::Float32) {
    float value = 0;
    std::memcpy(&value, step.bytes(fetch).data(), sizeof(value));
    return value;
  }
  if (type.dtype != DType::Float64)
    return std::nullopt;
  double value = 0;
  std::memcpy(&value, step.bytes(fetch).data(), sizeof(value));
  return value;
}

bool isBetter(const MetricGoal &goal, double value, double than) {
  return goal.isLargerBetter ? value > than : value < than;
}

/// Whole lines only: the last one may have been cut.
std::vector<Json> readLines(const std::string &path, std::string &kept,
                            uint64_t step) {
  std::vector<Json> lines;
  StatusOr<std::vector<std::byte>> bytes = readFileBytes(path);
  if (!bytes.isOk())
    return lines;
  std::string text(reinterpret_cast<const char *>(bytes->data()),
                   bytes->size());
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    Json line = Json::parse(text.begin() + static_cast<ptrdiff_t>(begin),
                            text.begin() + static_cast<ptrdiff_t>(end), nullptr,
                            /*allow_exceptions=*/false);
    if (!line.is_object() || !line.value("step", Json()).is_number_unsigned() ||
        line["step"].get<uint64_t>() > step)
      continue;
    kept += text.substr(begin, end + 1 - begin);
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace

TrainControl::TrainControl(TrainLimits given)
    : limits(std::move(given)), startNanos(nowNanos()) {}

Status TrainControl::resume(uint64_t step) {
  if (limits.evaluations.empty())
    return Status::ok();
  std::string kept;
  MutexLock lock(mutex);
  for (const Json &line : readLines(limits.evaluations, kept, step))
    if (limits.best && line.contains(limits.best->metric)) {
      const Json &value = line[limits.best->metric];
      noteBest(value.is_number() ? value.get<double>() : NAN); // NaN is null
    }
  std::error_code error;
  if (!std::filesystem::exists(limits.evaluations, error))
    return Status::ok();
  return replaceText(systemFiles(), limits.evaluations, kept);
}

void TrainControl::end(const std::string &text) {
  if (reason.empty())
    reason = text;
}

void TrainControl::look(const std::string &metric, double value) {
  values[metric] = value;
  if (!limits.target || limits.target->metric != metric)
    return;
  bool isReached = limits.target->isLargerBetter ? value >= limits.targetValue
                                                 : value <= limits.targetValue;
  if (isReached)
    end(metric + " = " + Json(value).dump() + " has reached the target");
}

void TrainControl::noteBest(double value) {
  if (std::isfinite(value) &&
      (!bestValue || isBetter(*limits.best, value, *bestValue))) {
    bestValue = value;
    sinceBest = 0;
  } else {
    ++sinceBest;
  }
}

bool TrainControl::onStep(const StepView &step) {
  MutexLock lock(mutex);
  for (size_t fetch = 0; fetch < step.size(); ++fetch)
    if (std::optional<double> value = scalarOf(step, fetch))
      look(std::string(step.name(fetch)), *value);
  int64_t now = nowNanos();
  if (limits.seconds > 0 &&
      static_cast<double>(now - startNanos) >= limits.seconds * 1e9)
    end("its time is over");
  if (!limits.stopFile.empty() && now - lookedNanos >= kLookNanos) {
    lookedNanos = now;
    std::error_code error;
    if (std::filesystem::exists(limits.stopFile, error))
      end("there is a file '" + limits.stopFile + "'");
  }
  return reason.empty();
}

StatusOr<bool>
TrainControl::onEvaluation(uint64_t step,
                           const std::map<std::string, double> &metrics) {
  MutexLock lock(mutex);
  Json line = {{"step", step}};
  for (const auto &[name, value] : metrics) {
    line[name] = value; // what is not finite is null
    look(name, value);
  }
  if (limits.best) {
    auto found = metrics.find(limits.best->metric);
    if (found != metrics.end())
      noteBest(found->second);
  }
  if (limits.patience > 0 && sinceBest >= limits.patience)
    end(limits.best->metric + " has not become better in " +
        std::to_string(sinceBest) + " evaluations");
  if (!limits.evaluations.empty()) {
    std::string text;
    readLines(limits.evaluations, text, UINT64_MAX);
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    GRAPHC_TRY(replaceText(systemFiles(), limits.evaluations, text));
  }
  return reason.empty();
}

std::string TrainControl::why() const {
  MutexLock lock(mutex);
  return reason;
}

std::map<std::string, double> TrainControl::metrics() const {
  MutexLock lock(mutex);
  return values;
}

} // namespace graphc::runtime
