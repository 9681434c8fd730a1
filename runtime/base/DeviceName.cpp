// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/DeviceName.h"

#include <charconv>
#include <tuple>

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

/// "cpu" in any case becomes "CPU"; other types stay as they are.
std::string canonicalType(std::string_view type) {
  std::string upper;
  for (char c : type)
    upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper == "CPU" || upper == "GPU" ? upper : std::string(type);
}

/// Reads one text. The functions take parts of it and give false after they
/// noted what is wrong, and where.
class NameParser {
public:
  explicit NameParser(std::string_view text) : text(text) {}

  DeviceName name;
  /// The type as it was written with `device:`.
  std::string_view longType;

  bool parse();
  bool parseLocal();
  Status malformed() const;

private:
  bool fail(std::string_view where, std::string why);
  bool parseWord(std::string_view word, std::optional<std::string> &field);
  bool parseNumber(std::string_view number, std::optional<int> &field);
  bool parseTypeAndId(std::string_view value);
  bool parsePart(std::string_view part);

  std::string_view text;
  size_t column = 0;
  std::string reason;
};

bool NameParser::fail(std::string_view where, std::string why) {
  column = where.data() - text.data() + 1;
  reason = std::move(why);
  return false;
}

bool NameParser::parseWord(std::string_view word,
                           std::optional<std::string> &field) {
  field.reset();
  if (word == "*")
    return true;
  if (!isWord(word))
    return fail(word, "'" + std::string(word) +
                          "' is not a letter with letters, digits and "
                          "underscores after it");
  field = std::string(word);
  return true;
}

bool NameParser::parseNumber(std::string_view number,
                             std::optional<int> &field) {
  field.reset();
  if (number == "*")
    return true;
  int value = 0;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value);
  // from_chars takes a sign, a device name does not.
  bool digits = !number.empty() && isDigit(number.front());
  if (!digits || error == std::errc::invalid_argument ||
      end != number.data() + number.size())
    return fail(number, "'" + std::string(number) + "' is not a number");
  if (error != std::errc())
    return fail(number,
                "'" + std::string(number) + "' is more than 2147483647");
  field = value;
  return true;
}

/// "TYPE", "TYPE:N", "*" or "*:N".
bool NameParser::parseTypeAndId(std::string_view value) {
  size_t colon = value.find(':');
  longType = value.substr(0, colon);
  if (!parseWord(longType, name.type))
    return false;
  if (name.type)
    name.type = canonicalType(*name.type);
  name.id.reset();
  if (colon == std::string_view::npos)
    return true;
  if (!parseNumber(value.substr(colon + 1), name.id))
    return false;
  // An id means nothing without its type.
  if (!name.type)
    name.id.reset();
  return true;
}

/// One part, without its slash.
bool NameParser::parsePart(std::string_view part) {
  size_t colon = part.find(':');
  std::string_view key = part.substr(0, colon);
  bool isShort = key == "cpu" || key == "CPU" || key == "gpu" || key == "GPU";
  if (!isShort && key != "job" && key != "replica" && key != "task" &&
      key != "device")
    return fail(part, "'" + std::string(key) +
                          "' is none of job, replica, task, device, cpu, gpu");
  if (colon == std::string_view::npos)
    return fail(part, "'" + std::string(key) + "' has no ':' and value");
  std::string_view value = part.substr(colon + 1);
  if (key == "job")
    return parseWord(value, name.job);
  if (key == "replica")
    return parseNumber(value, name.replica);
  if (key == "task")
    return parseNumber(value, name.task);
  if (key == "device")
    return parseTypeAndId(value);
  name.type = canonicalType(key);
  longType = {};
  return parseNumber(value, name.id);
}

bool NameParser::parse() {
  if (text.empty() || text == "/")
    return true;
  if (text.front() != '/')
    return fail(text, "it does not start with '/'");
  size_t begin = 0;
  while (begin != std::string_view::npos) {
    size_t end = text.find('/', begin + 1);
    size_t length = end == std::string_view::npos ? end : end - begin - 1;
    if (!parsePart(text.substr(begin + 1, length)))
      return false;
    begin = end;
  }
  return true;
}

bool NameParser::parseLocal() {
  if (text.empty() || text.front() == '/')
    return parse();
  if (!parseTypeAndId(text))
    return false;
  longType = {};
  return (name.type && name.id) ||
         fail(text, "without '/' it must be a type and a number");
}

Status NameParser::malformed() const {
  return invalidArgument(
      "'" + std::string(text) + "' is not a device name: column " +
      std::to_string(column) + ": " + reason + "; " + std::string(kForms));
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
  NameParser parser(text);
  if (!parser.parse())
    return parser.malformed();
  return std::move(parser.name);
}

StatusOr<DeviceName> DeviceName::parseLocal(std::string_view text) {
  NameParser parser(text);
  if (!parser.parseLocal())
    return parser.malformed();
  return std::move(parser.name);
}

StatusOr<ParsedDeviceName> parseDeviceName(std::string_view text) {
  NameParser parser(text);
  if (!parser.parse())
    return parser.malformed();
  ParsedDeviceName parsed{std::move(parser.name), std::nullopt};
  if (parsed.name.type && !parser.longType.empty() &&
      parser.longType != *parsed.name.type)
    parsed.warning = "'" + std::string(text) + "' is read as '" +
                     parsed.name.toString() + "'; write '" + *parsed.name.type +
                     "' in capitals, since for TensorFlow '" +
                     std::string(parser.longType) +
                     "' is another kind of device";
  return parsed;
}

StatusOr<DeviceName> DeviceName::canonicalise(std::string_view text,
                                              const DeviceName &base) {
  if (!base.isFull())
    return invalidArgument("'" + base.toString() +
                           "' cannot complete other names; give it a job, "
                           "replica, task, type and number");
  GRAPHC_ASSIGN_OR_RETURN(DeviceName name, parseLocal(text));
  return base.overriddenBy(name);
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

std::string DeviceName::toLegacyString() const {
  if (type != "CPU" && type != "GPU")
    return toString();
  return taskName().toString() + (type == "CPU" ? "/cpu:" : "/gpu:") +
         (id ? std::to_string(*id) : "*");
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
  return std::pair(taskName().toString(), *type + ":" + std::to_string(*id));
}

DeviceName DeviceName::hostDevice() const {
  DeviceName host = *this;
  host.type = "CPU";
  host.id = 0;
  return host;
}

DeviceName DeviceName::taskName() const {
  return {job, replica, task, std::nullopt, std::nullopt};
}

bool DeviceName::operator<(const DeviceName &other) const {
  return std::tie(job, replica, task, type, id) <
         std::tie(other.job, other.replica, other.task, other.type, other.id);
}

StatusOr<DeviceName> mergeDeviceNames(const DeviceName &a, const DeviceName &b,
                                      PlacementMode placement) {
  if (!agree(a.job, b.job))
    return conflict(a, b, "jobs");
  if (!agree(a.replica, b.replica))
    return conflict(a, b, "replicas");
  if (!agree(a.task, b.task))
    return conflict(a, b, "tasks");
  DeviceName merged = a.overriddenBy(b);
  if (!agree(a.type, b.type)) {
    if (placement == PlacementMode::Hard)
      return conflict(a, b, "types");
    merged.type.reset();
    merged.id.reset();
  } else if (!agree(a.id, b.id)) {
    if (placement == PlacementMode::Hard)
      return conflict(a, b, "ids");
    merged.id.reset();
  }
  return merged;
}

} // namespace graphc::runtime
