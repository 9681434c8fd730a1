// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/DeviceName.h"

#include <charconv>

namespace graphc::runtime {

namespace {

constexpr std::string_view kForms =
    "accepted are /job:NAME, /replica:N, /task:N, /device:TYPE:N, /cpu:N and "
    "/gpu:N, in any order, such as '/job:worker/task:1/device:GPU:0'";

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// A letter, then letters, digits and underscores.
bool isWord(std::string_view text) {
  if (text.empty() || !isLetter(text.front()))
    return false;
  for (char c : text)
    if (!isLetter(c) && !isDigit(c) && c != '_')
      return false;
  return true;
}

bool parseWord(std::string_view text, std::optional<std::string> &field) {
  field.reset();
  if (text == "*")
    return true;
  if (!isWord(text))
    return false;
  field = std::string(text);
  return true;
}

bool parseNumber(std::string_view text, std::optional<int> &field) {
  field.reset();
  if (text == "*")
    return true;
  // from_chars takes a sign, a device name does not.
  if (text.empty() || !isDigit(text.front()))
    return false;
  int value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return false;
  field = value;
  return true;
}

/// "cpu" in any case becomes "CPU"; other types stay as they are.
std::string canonicalType(std::string_view type) {
  std::string upper;
  for (char c : type)
    upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper == "CPU" || upper == "GPU" ? upper : std::string(type);
}

/// "TYPE", "TYPE:N", "*" or "*:N".
bool parseTypeAndId(std::string_view text, DeviceName &name) {
  size_t colon = text.find(':');
  if (!parseWord(text.substr(0, colon), name.type))
    return false;
  if (name.type)
    name.type = canonicalType(*name.type);
  name.id.reset();
  if (colon == std::string_view::npos)
    return true;
  if (!parseNumber(text.substr(colon + 1), name.id))
    return false;
  // An id means nothing without its type.
  if (!name.type)
    name.id.reset();
  return true;
}

/// One part, without its slash.
bool parsePart(std::string_view part, DeviceName &name) {
  size_t colon = part.find(':');
  if (colon == std::string_view::npos)
    return false;
  std::string_view key = part.substr(0, colon);
  std::string_view value = part.substr(colon + 1);
  if (key == "job")
    return parseWord(value, name.job);
  if (key == "replica")
    return parseNumber(value, name.replica);
  if (key == "task")
    return parseNumber(value, name.task);
  if (key == "device")
    return parseTypeAndId(value, name);
  if (key != "cpu" && key != "CPU" && key != "gpu" && key != "GPU")
    return false;
  name.type = canonicalType(key);
  return parseNumber(value, name.id);
}

Status malformed(std::string_view text, std::string_view part) {
  std::string message = "'" + std::string(text) + "' is not a device name";
  if (part != text)
    message += ": '" + std::string(part) + "' does not fit";
  return invalidArgument(message + "; " + std::string(kForms));
}

template <typename T>
bool agree(const std::optional<T> &a, const std::optional<T> &b) {
  return !a || !b || *a == *b;
}

template <typename T>
bool fieldCovers(const std::optional<T> &pattern,
                 const std::optional<T> &field) {
  return !pattern || pattern == field;
}

template <typename T>
std::optional<T> either(const std::optional<T> &a, const std::optional<T> &b) {
  return a ? a : b;
}

Status conflict(const DeviceName &a, const DeviceName &b,
                std::string_view what) {
  return invalidArgument("devices '" + a.toString() + "' and '" + b.toString() +
                         "' name different " + std::string(what) +
                         "; name one of them only");
}

} // namespace

StatusOr<DeviceName> DeviceName::parse(std::string_view text) {
  DeviceName name;
  if (text.empty() || text == "/")
    return name;
  if (text.front() != '/')
    return malformed(text, text);
  size_t begin = 0;
  while (begin != std::string_view::npos) {
    size_t end = text.find('/', begin + 1);
    size_t length = end == std::string_view::npos ? end : end - begin;
    std::string_view part = text.substr(begin, length);
    if (!parsePart(part.substr(1), name))
      return malformed(text, part);
    begin = end;
  }
  return name;
}

StatusOr<DeviceName> DeviceName::parseLocal(std::string_view text) {
  if (text.empty() || text.front() == '/')
    return parse(text);
  DeviceName name;
  if (!parseTypeAndId(text, name) || !name.type || !name.id)
    return malformed(text, text);
  return name;
}

std::string DeviceName::toString() const {
  std::string text;
  if (job)
    text += "/job:" + *job;
  if (replica)
    text += "/replica:" + std::to_string(*replica);
  if (task)
    text += "/task:" + std::to_string(*task);
  if (type)
    text += "/device:" + *type + ":" + (id ? std::to_string(*id) : "*");
  return text;
}

bool DeviceName::isFull() const { return job && replica && task && type && id; }

bool DeviceName::covers(const DeviceName &other) const {
  return fieldCovers(job, other.job) && fieldCovers(replica, other.replica) &&
         fieldCovers(task, other.task) && fieldCovers(type, other.type) &&
         fieldCovers(id, other.id);
}

bool DeviceName::isCompatibleWith(const DeviceName &other) const {
  return agree(job, other.job) && agree(replica, other.replica) &&
         agree(task, other.task) && agree(type, other.type) &&
         agree(id, other.id);
}

bool DeviceName::isInSameTaskAs(const DeviceName &other) const {
  return job && replica && task && job == other.job &&
         replica == other.replica && task == other.task;
}

DeviceName DeviceName::overriddenBy(const DeviceName &inner) const {
  return {either(inner.job, job), either(inner.replica, replica),
          either(inner.task, task), either(inner.type, type),
          either(inner.id, id)};
}

StatusOr<std::pair<std::string, std::string>> DeviceName::split() const {
  if (!type || !id)
    return invalidArgument("'" + toString() +
                           "' names no single device of a task; add its type "
                           "and number, such as /device:GPU:0");
  DeviceName prefix = *this;
  prefix.type.reset();
  prefix.id.reset();
  return std::pair(prefix.toString(), *type + ":" + std::to_string(*id));
}

DeviceName DeviceName::hostDevice() const {
  DeviceName host = *this;
  host.type = "CPU";
  host.id = 0;
  return host;
}

StatusOr<DeviceName> mergeDeviceNames(const DeviceName &a, const DeviceName &b,
                                      Placement placement) {
  if (!agree(a.job, b.job))
    return conflict(a, b, "jobs");
  if (!agree(a.replica, b.replica))
    return conflict(a, b, "replicas");
  if (!agree(a.task, b.task))
    return conflict(a, b, "tasks");
  DeviceName merged = a.overriddenBy(b);
  if (!agree(a.type, b.type)) {
    if (placement == Placement::Hard)
      return conflict(a, b, "types");
    merged.type.reset();
    merged.id.reset();
  } else if (!agree(a.id, b.id)) {
    if (placement == Placement::Hard)
      return conflict(a, b, "ids");
    merged.id.reset();
  }
  return merged;
}

} // namespace graphc::runtime
