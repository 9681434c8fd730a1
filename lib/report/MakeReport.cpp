// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables with one column per property, since a graph may have 100,000 ops; what
// ops share (types, kinds, reasons, lists of alternatives) is written once.
#include "lib/report/MakeReport.h"

#include "lib/report/ReportRows.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

namespace {

int64_t countBytes(RankedTensorType type) {
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || !type.hasStaticShape())
    return 0;
  return type.getNumElements() * ((element.getIntOrFloatBitWidth() + 7) / 8);
}

/// As the runtime spells it, "float32[2,3]".
std::string typeText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Type element = type.getElementType();
  if (element.isF32())
    stream << "float32";
  else if (element.isF64())
    stream << "float64";
  else if (element.isF16())
    stream << "float16";
  else if (element.isBF16())
    stream << "bfloat16";
  else if (element.isInteger(1))
    stream << "bool";
  else if (auto integer = dyn_cast<IntegerType>(element))
    stream << (integer.isUnsigned() ? "uint" : "int") << integer.getWidth();
  else
    stream << "string";
  stream << "[";
  llvm::interleave(type.getShape(), stream, ",");
  stream << "]";
  return text;
}

class ReportWriter {
public:
  ReportWriter(ModuleOp module, const PlacementLog *log)
      : data(collectRows(module, log)), log(log), stream(text), json(stream) {}

  std::string write();

private:
  using Column = llvm::function_ref<int64_t(const ReportRow &)>;
  using ListColumn = llvm::function_ref<ArrayRef<int64_t>(const ReportRow &)>;

  int64_t others(const PlacementRecord &record);

  void column(StringRef name, ArrayRef<ReportRow> rows, Column value);
  void lists(StringRef name, ArrayRef<ReportRow> rows, ListColumn value);
  void names(ArrayRef<ReportRow> rows);
  void reasons(ArrayRef<ReportRow> rows);
  void writeDevices();
  void writeGraph(const ReportGraphRows &graph);
  void writeTables();
  /// JSON holds UTF-8 only, and names of ops may be any bytes.
  void value(StringRef text) {
    json.value(llvm::json::isUTF8(text) ? text.str()
                                        : llvm::json::fixUTF8(text));
  }

  const ReportRows data;
  const PlacementLog *log;
  std::string text;
  llvm::raw_string_ostream stream;
  llvm::json::OStream json;

  TextTable rules, reasonTexts;
  TextTable otherLists; ///< of JSON
};

/// The number of the list of what else could have been, which many ops share:
/// [first device, last device, why not] and the seconds, where they are known.
int64_t ReportWriter::others(const PlacementRecord &record) {
  std::string list;
  llvm::raw_string_ostream stream(list);
  llvm::json::OStream out(stream);
  out.array([&] {
    for (const LoggedAlternative &other : log->alternatives(record))
      out.array([&] {
        out.value(other.first);
        out.value(other.last);
        out.value(other.excluded.why == Exclusion::None
                      ? -1
                      : static_cast<int64_t>(reasonTexts.add(
                            log->whyNotOf(record, other.excluded))));
        if (other.cost)
          out.value(*other.cost);
      });
  });
  return otherLists.add(list);
}

void ReportWriter::column(StringRef name, ArrayRef<ReportRow> rows,
                          Column value) {
  json.attributeArray(name, [&] {
    for (const ReportRow &row : rows)
      json.value(value(row));
  });
}

void ReportWriter::lists(StringRef name, ArrayRef<ReportRow> rows,
                         ListColumn value) {
  json.attributeArray(name, [&] {
    for (const ReportRow &row : rows)
      json.array([&] {
        for (int64_t number : value(row))
          json.value(number);
      });
  });
}

void ReportWriter::names(ArrayRef<ReportRow> rows) {
  json.attributeArray("name", [&] {
    for (const ReportRow &row : rows)
      value(row.name);
  });
}

/// Writes the columns of reasons; none when nothing is known.
void ReportWriter::reasons(ArrayRef<ReportRow> rows) {
  if (!log || log->records.empty())
    return;
  auto of = [&](auto value) {
    return [value](const ReportRow &row) {
      return row.record ? static_cast<int64_t>(value(*row.record)) : -1;
    };
  };
  column("rule", rows, of([&](auto &record) {
           return rules.add(reasonName(record.reason));
         }));
  column("why", rows,
         of([&](auto &record) { return reasonTexts.add(log->whyOf(record)); }));
  column("others", rows, of([&](auto &record) { return others(record); }));
}

void ReportWriter::writeDevices() {
  json.attributeArray("devices", [&] {
    for (auto [index, name] : llvm::enumerate(data.devices.texts()))
      json.object([&] {
        json.attributeBegin("name");
        value(name);
        json.attributeEnd();
        if (log && index < log->devices.size() &&
            log->devices[index].memoryLimit)
          json.attribute("memory_limit", *log->devices[index].memoryLimit);
      });
  });
}

void ReportWriter::writeGraph(const ReportGraphRows &graph) {
  json.object([&] {
    json.attributeBegin("name");
    value(graph.name);
    json.attributeEnd();
    json.attribute("line", graph.line);
    json.attribute("replicas", graph.replicas);
    json.attributeArray("fetches", [&] {
      for (auto [name, number] : graph.fetches)
        json.array([&] {
          value(name);
          json.value(number);
        });
    });
    json.attributeObject("ops", [&] {
      ArrayRef<ReportRow> rows = graph.rows;
      names(rows);
      column("kind", rows, [](auto &row) { return row.kind; });
      column("device", rows, [](auto &row) { return row.device; });
      column("replica", rows, [](auto &row) { return row.replica; });
      column("line", rows, [](auto &row) { return row.line; });
      lists("operands", rows, [](const ReportRow &row) -> ArrayRef<int64_t> {
        return row.operands;
      });
      lists("results", rows, [](const ReportRow &row) -> ArrayRef<int64_t> {
        return row.results;
      });
      reasons(rows);
    });
  });
}

/// Writes the tables that the columns index; known when these are written.
void ReportWriter::writeTables() {
  auto texts = [&](StringRef name, const auto &table) {
    json.attributeArray(name, [&] {
      for (StringRef text : table)
        value(text);
    });
  };
  texts("kinds", data.kinds.texts());
  texts("rules", rules.texts());
  texts("reasons", reasonTexts.texts());
  json.attributeArray("types", [&] {
    for (const auto &[tensor, number] : data.types)
      json.array([&] {
        json.value(typeText(tensor));
        json.value(countBytes(tensor));
      });
  });
  json.attributeArray("others", [&] {
    for (StringRef list : otherLists.texts())
      json.rawValue(list);
  });
}

std::string ReportWriter::write() {
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("policy", log ? log->policy : "");
    writeDevices();
    json.attributeObject("variables", [&] {
      names(data.variables);
      column("device", data.variables, [](auto &row) { return row.device; });
      column("mirror_of", data.variables,
             [](auto &row) { return row.mirrorOf; });
      column("line", data.variables, [](auto &row) { return row.line; });
      lists("results", data.variables,
            [](const ReportRow &row) -> ArrayRef<int64_t> {
              return row.results;
            });
      reasons(data.variables);
    });
    json.attributeArray("graphs", [&] {
      for (const ReportGraphRows &graph : data.graphs)
        writeGraph(graph);
    });
    writeTables();
  });
  return text;
}

} // namespace

std::string makeReport(ModuleOp module, const PlacementLog *log) {
  return ReportWriter(module, log).write();
}

} // namespace graphc
