// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing in the file is trusted: whatever is an index is compared with its
// list once, here.
#include "report/Report.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace graphc::report {

using namespace runtime;

namespace {

using nlohmann::json;

constexpr uint64_t kLines = uint64_t(1) << 32;
constexpr uint64_t kMaxReplicas = uint64_t(1) << 31;

/// Reads and checks. The first thing that is wrong is kept; what is read after
/// it has no meaning, and no number is then used as an index.
class Reader {
public:
  Reader(const json &root, Report &report) : root(root), report(report) {}

  /// Returns the error; empty when there is none.
  std::string read();

private:
  void fail(std::string what) {
    if (problem.empty())
      problem = std::move(what);
  }
  const json &member(const json &object, const char *name);
  const json &list(const json &object, const char *name);
  const json &column(const json &object, const char *name, size_t rows);
  std::string text(const json &value, const char *where);
  int64_t number(const json &value, int64_t first, uint64_t end,
                 const char *where);
  std::vector<std::string> texts(const json &object, const char *name);
  template <typename T>
  std::vector<T> numbers(const json &object, const char *name, size_t rows,
                         int64_t first, uint64_t end);
  std::vector<std::vector<uint32_t>> lists(const json &object, const char *name,
                                           size_t rows, uint64_t end);

  void readTables();
  ReportTable readRows(const json &table);
  void readVariables();
  void readGraph(const json &object);
  void readFetches(const json &object, size_t values);
  void checkOthers();
  void checkReasons(const json &table, size_t rows);
  void readReasons();

  const json &root;
  Report &report;
  std::string problem;
  /// Lengths of the lists that the columns of reasons index.
  uint64_t rules = 0, reasons = 0, others = 0;
  const json emptyObject = json::object(), emptyList = json::array();
};

const json &Reader::member(const json &object, const char *name) {
  if (object.is_object() && object.contains(name))
    return object.at(name);
  fail(std::string("'") + name + "' is missing");
  return emptyObject;
}

const json &Reader::list(const json &object, const char *name) {
  const json &value = member(object, name);
  if (value.is_array())
    return value;
  fail(std::string("'") + name + "' is no list");
  return emptyList;
}

/// A list of as many values as there are rows.
const json &Reader::column(const json &object, const char *name, size_t rows) {
  const json &values = list(object, name);
  if (values.size() != rows)
    fail(std::string("column '") + name + "' has " +
         std::to_string(values.size()) + " rows of " + std::to_string(rows));
  return values;
}

std::string Reader::text(const json &value, const char *where) {
  if (value.is_string())
    return value.get<std::string>();
  fail(std::string("'") + where + "' holds something that is no text");
  return {};
}

/// A number from `first`, which is -1, 0 or 1, to `end` - 1.
int64_t Reader::number(const json &value, int64_t first, uint64_t end,
                       const char *where) {
  int64_t result = first;
  if (value.is_number_unsigned() && value.get<uint64_t>() < end)
    result = value.get<int64_t>();
  else if (value == -1 && first == -1)
    result = -1;
  else
    result = first - 1;
  if (result >= first)
    return result;
  fail(std::string("'") + where + "' holds " +
       (value.is_number() ? value.dump() : "something") +
       ", which is no number from " + std::to_string(first) +
       " up to, but "
       "not with, " +
       std::to_string(end));
  return first;
}

std::vector<std::string> Reader::texts(const json &object, const char *name) {
  std::vector<std::string> result;
  for (const json &value : list(object, name))
    result.push_back(text(value, name));
  return result;
}

template <typename T>
std::vector<T> Reader::numbers(const json &object, const char *name,
                               size_t rows, int64_t first, uint64_t end) {
  std::vector<T> result;
  result.reserve(rows);
  for (const json &value : column(object, name, rows))
    result.push_back(static_cast<T>(number(value, first, end, name)));
  return result;
}

std::vector<std::vector<uint32_t>>
Reader::lists(const json &object, const char *name, size_t rows, uint64_t end) {
  std::vector<std::vector<uint32_t>> result;
  result.reserve(rows);
  for (const json &values : column(object, name, rows)) {
    std::vector<uint32_t> &row = result.emplace_back();
    if (!values.is_array())
      fail(std::string("'") + name + "' holds something that is no list");
    else
      for (const json &value : values)
        row.push_back(static_cast<uint32_t>(number(value, 0, end, name)));
  }
  return result;
}

std::string Reader::read() {
  readTables();
  readVariables();
  for (const json &graph : list(root, "graphs"))
    if (problem.empty())
      readGraph(graph);
  if (problem.empty())
    readReasons();
  return problem;
}

void Reader::readTables() {
  number(member(root, "version"), 1, 2, "version");
  text(member(root, "policy"), "policy");
  for (const json &device : list(root, "devices"))
    report.devices.push_back(text(member(device, "name"), "name"));
  report.kinds = texts(root, "kinds");
  for (const json &type : list(root, "types")) {
    if (!type.is_array() || type.size() != 2)
      return fail("'types' holds something that is no type");
    report.types.push_back(
        {text(type[0], "types"),
         static_cast<uint64_t>(number(type[1], 0, kMaxBytes + 1, "types"))});
  }
}

ReportTable Reader::readRows(const json &table) {
  ReportTable rows;
  rows.name = texts(table, "name");
  size_t count = rows.size();
  rows.device =
      numbers<int32_t>(table, "device", count, -1, report.devices.size());
  rows.line = numbers<uint32_t>(table, "line", count, 0, kLines);
  rows.results = lists(table, "results", count, report.types.size());
  return rows;
}

void Reader::readVariables() {
  const json &table = member(root, "variables");
  report.variables = readRows(table);
  size_t count = report.variables.size();
  numbers<int64_t>(table, "mirror_of", count, -1, count);
}

void Reader::readGraph(const json &object) {
  ReportGraph &graph = report.graphs.emplace_back();
  graph.name = text(member(object, "name"), "name");
  number(member(object, "line"), 0, kLines, "line");
  graph.replicas = static_cast<uint32_t>(
      number(member(object, "replicas"), 1, kMaxReplicas, "replicas"));
  const json &table = member(object, "ops");
  graph.ops = readRows(table);
  size_t count = graph.ops.size();
  graph.ops.kind =
      numbers<int32_t>(table, "kind", count, 0, report.kinds.size());
  graph.ops.replica =
      numbers<int32_t>(table, "replica", count, -1, kMaxReplicas);
  if (!problem.empty())
    return;
  for (uint32_t row = 0; row < count; ++row)
    for (uint32_t type : graph.ops.results[row]) {
      graph.maker.push_back(row);
      graph.valueSize.push_back(report.types[type].size);
    }
  graph.ops.operands = lists(table, "operands", count, graph.maker.size());
  if (!problem.empty())
    return;
  for (uint32_t row = 0; row < count; ++row)
    for (uint32_t value : graph.ops.operands[row])
      if (graph.maker[value] >= row)
        fail("an op reads a value that is made after it");
  readFetches(object, graph.maker.size());
}

void Reader::readFetches(const json &object, size_t values) {
  for (const json &fetch : list(object, "fetches")) {
    if (!fetch.is_array() || fetch.size() != 2)
      return fail("'fetches' holds something that is no fetch");
    text(fetch[0], "fetches");
    number(fetch[1], 0, values, "fetches");
  }
}

/// Checks the alternatives: [first device, last device, why not], and the cost
/// where it was computed.
void Reader::checkOthers() {
  for (const json &others : list(root, "others")) {
    if (!others.is_array())
      return fail("'others' holds something that is no list");
    for (const json &other : others) {
      if (!other.is_array() || other.size() < 3 || other.size() > 4 ||
          (other.size() == 4 && !other[3].is_number()))
        return fail("'others' holds something that is no alternative");
      number(other[0], 0, report.devices.size(), "others");
      number(other[1], 0, report.devices.size(), "others");
      number(other[2], -1, reasons, "others");
    }
  }
}

/// Checks the columns of reasons, which the page reads; there may be none.
void Reader::checkReasons(const json &table, size_t rows) {
  if (!table.contains("rule"))
    return;
  numbers<int64_t>(table, "rule", rows, -1, rules);
  numbers<int64_t>(table, "why", rows, -1, reasons);
  numbers<int64_t>(table, "others", rows, -1, others);
}

void Reader::readReasons() {
  rules = texts(root, "rules").size();
  reasons = texts(root, "reasons").size();
  others = list(root, "others").size();
  checkOthers();
  checkReasons(member(root, "variables"), report.variables.size());
  for (size_t i = 0; i < report.graphs.size(); ++i)
    checkReasons(list(root, "graphs")[i].at("ops"),
                 report.graphs[i].ops.size());
}

} // namespace

StatusOr<Report> Report::parse(std::string text) {
  Report report;
  report.text = std::move(text);
  json root = json::parse(report.text, nullptr, /*allow_exceptions=*/false);
  std::string problem =
      root.is_discarded() ? "it is not JSON" : Reader(root, report).read();
  if (!problem.empty())
    return dataLoss("the report of the ops is malformed: " + problem +
                    "; compile the model again");
  return report;
}

StatusOr<Report> Report::of(const Model &model) {
  const format::Blob *blob = model.index().report();
  if (!blob || blob->size() == 0)
    return notFound("model file " + quote(model.name()) +
                    " has no report of its ops; compile it again with this "
                    "graphc, from model.tfir");
  auto bytes = model.blob(*blob);
  auto report = parse(
      std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  if (!report.isOk())
    return report.status().annotate("model file " + quote(model.name()));
  return report;
}

const ReportGraph *Report::findGraph(std::string_view name) const {
  for (const ReportGraph &graph : graphs)
    if (graph.name == name)
      return &graph;
  return nullptr;
}

std::string Report::deviceText(int32_t device) const {
  return device < 0 ? "no device" : shortDevice(devices[device]);
}

std::string shortDevice(std::string_view name) {
  DeviceName device = nameOfDevice(name);
  if (!device.isFull())
    return std::string(name);
  std::string text = *device.type + ":" + std::to_string(*device.id);
  if (*device.job == "localhost" && *device.replica == 0 && *device.task == 0)
    return text;
  return *device.job + "/" + std::to_string(*device.task) + "/" + text;
}

bool isCpuDevice(std::string_view name) {
  return name.find("/device:CPU:") != std::string_view::npos;
}

const ReportGraph *defaultGraph(const Report &report) {
  for (const ReportGraph &graph : report.graphs)
    if (graph.name != "init")
      return &graph;
  return report.graphs.empty() ? nullptr : &report.graphs.front();
}

} // namespace graphc::report
