// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables with one column per property, since a graph may have 100,000 ops; what
// ops share (types, kinds, reasons, lists of alternatives) is written once.
#include "lib/report/MakeReport.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "lib/frontend/UniqueNames.h"
#include "lib/placement/PlacementLog.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

namespace {

/// One op, feed or variable. What is not known is -1.
struct Row {
  StringRef name;
  int64_t kind = -1, device = -1, replica = -1, line = 0, mirrorOf = -1;
  SmallVector<int64_t, 2> operands, results;
  const PlacementRecord *record = nullptr;
};

struct GraphRows {
  tfir::GraphOp op;
  std::vector<Row> rows;
  std::vector<std::pair<StringRef, int64_t>> fetches; ///< name, value
};

int64_t lineOf(Location loc) {
  int64_t line = 0;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    line = file.getLine();
    return WalkResult::interrupt();
  });
  return line;
}

StringRef textOf(Operation *op, StringRef attribute) {
  auto text = op->getAttrOfType<StringAttr>(attribute);
  return text ? text.getValue() : StringRef();
}

int64_t numberOf(Operation *op, StringRef attribute) {
  auto number = op->getAttrOfType<IntegerAttr>(attribute);
  return number ? number.getInt() : -1;
}

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
      : module(module), log(log), stream(text), json(stream) {}

  std::string write();

private:
  using Column = llvm::function_ref<int64_t(const Row &)>;
  using ListColumn = llvm::function_ref<ArrayRef<int64_t>(const Row &)>;

  void indexLog();
  const PlacementRecord *findRecord(StringRef graph, StringRef name,
                                    bool isFeed);
  int64_t type(Type type);
  Row rowOf(Operation *op, StringRef graph, StringRef name, StringRef kind);
  void collectVariables();
  void collectFeeds(GraphRows &graph);
  void collectGraph(tfir::GraphOp op);
  int64_t others(const PlacementRecord &record);

  void column(StringRef name, ArrayRef<Row> rows, Column value);
  void lists(StringRef name, ArrayRef<Row> rows, ListColumn value);
  void names(ArrayRef<Row> rows);
  void reasons(ArrayRef<Row> rows);
  void writeDevices();
  void writeGraph(GraphRows &graph);
  void writeTables();
  /// JSON holds UTF-8 only, and names of ops may be any bytes.
  void value(StringRef text) {
    json.value(llvm::json::isUTF8(text) ? text.str()
                                        : llvm::json::fixUTF8(text));
  }

  ModuleOp module;
  const PlacementLog *log;
  std::string text;
  llvm::raw_string_ostream stream;
  llvm::json::OStream json;

  TextTable devices, kinds, rules, reasonTexts;
  TextTable otherLists; ///< of JSON
  llvm::MapVector<Type, int64_t> types;
  std::vector<Row> variables;
  std::vector<GraphRows> graphs;
  /// Records by "graph\0name"; feeds may be called like ops.
  llvm::StringMap<const PlacementRecord *> records, feedRecords;
};

constexpr StringLiteral kFeedKind = "Placeholder";

std::string recordKey(StringRef graph, StringRef name) {
  std::string key = graph.str();
  key += '\0';
  return key += name;
}

void ReportWriter::indexLog() {
  if (!log)
    return;
  for (const LoggedDevice &device : log->devices)
    devices.add(device.name);
  for (const PlacementRecord &record : log->records) {
    bool isFeed = log->texts[record.kind] == kFeedKind;
    StringRef graph;
    if (record.graph != kNoNode)
      graph = log->texts[record.graph];
    (isFeed ? feedRecords : records)
        .try_emplace(recordKey(graph, record.name), &record);
  }
}

const PlacementRecord *ReportWriter::findRecord(StringRef graph, StringRef name,
                                                bool isFeed) {
  return (isFeed ? feedRecords : records).lookup(recordKey(graph, name));
}

int64_t ReportWriter::type(Type type) {
  return types.insert({type, types.size()}).first->second;
}

Row ReportWriter::rowOf(Operation *op, StringRef graph, StringRef name,
                        StringRef kind) {
  Row row;
  row.name = name;
  row.kind = kinds.add(kind);
  row.replica = numberOf(op, tfir::kReplicaAttr);
  row.line = lineOf(op->getLoc());
  row.record = findRecord(graph, name, /*isFeed=*/false);
  StringRef device = textOf(op, tfir::kAssignedAttr);
  if (!device.empty())
    row.device = devices.add(device);
  return row;
}

void ReportWriter::collectVariables() {
  llvm::StringMap<int64_t> numbers;
  std::vector<StringRef> originals;
  for (auto variable : module.getOps<tfir::VariableOp>()) {
    numbers[variable.getSymName()] = variables.size();
    Row row = rowOf(variable, "", variable.getSymName(), "VariableV2");
    row.results.push_back(type(variable.getType()));
    variables.push_back(row);
    auto original =
        variable->getAttrOfType<FlatSymbolRefAttr>(tfir::kMirrorOfAttr);
    originals.push_back(original ? original.getValue()
                                 : textOf(variable, tfir::kMirrorOfAttr));
  }
  for (auto [row, original] : llvm::zip_equal(variables, originals))
    if (auto found = numbers.find(original); found != numbers.end())
      row.mirrorOf = found->second;
}

void ReportWriter::collectFeeds(GraphRows &graph) {
  for (auto [argument, attr] : llvm::zip_equal(
           graph.op.getBlock().getArguments(), graph.op.getFeedNames())) {
    Row row;
    row.name = cast<StringAttr>(attr).getValue();
    row.kind = kinds.add(kFeedKind);
    row.line = lineOf(argument.getLoc());
    row.results.push_back(type(argument.getType()));
    row.record = findRecord(graph.op.getSymName(), row.name, /*isFeed=*/true);
    if (row.record)
      row.device = row.record->device;
    graph.rows.push_back(std::move(row));
  }
}

void ReportWriter::collectGraph(tfir::GraphOp op) {
  GraphRows graph{op, {}, {}};
  collectFeeds(graph);
  llvm::DenseMap<Value, int64_t> values;
  for (BlockArgument argument : op.getBlock().getArguments())
    values[argument] = values.size();
  for (Operation &inner : op.getBlock().without_terminator()) {
    Row row = rowOf(&inner, op.getSymName(), textOf(&inner, tfir::kNameAttr),
                    kindName(&inner));
    for (Value operand : inner.getOperands())
      row.operands.push_back(values.lookup(operand));
    for (Value result : inner.getResults()) {
      values[result] = values.size();
      row.results.push_back(type(result.getType()));
    }
    graph.rows.push_back(std::move(row));
  }
  for (auto [name, fetched] :
       llvm::zip_equal(op.getFetchNames(), op.getReturn().getValues()))
    graph.fetches.push_back(
        {cast<StringAttr>(name).getValue(), values.lookup(fetched)});
  graphs.push_back(std::move(graph));
}

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

void ReportWriter::column(StringRef name, ArrayRef<Row> rows, Column value) {
  json.attributeArray(
      name,
      [&] {
        for (const Row &row : rows)
          json.value(value(row));
      });
}

void ReportWriter::lists(StringRef name, ArrayRef<Row> rows, ListColumn value) {
  json.attributeArray(
      name,
      [&] {
        for (const Row &row : rows)
          json.array([&] {
            for (int64_t number : value(row))
              json.value(number);
          });
      });
}

void ReportWriter::names(ArrayRef<Row> rows) {
  json.attributeArray(
      "name",
      [&] {
        for (const Row &row : rows)
          value(row.name);
      });
}

/// The columns that say why; none when nothing is known.
void ReportWriter::reasons(ArrayRef<Row> rows) {
  if (!log || log->records.empty())
    return;
  auto of = [&](auto value) {
    return [value](const Row &row) {
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
  json.attributeArray(
      "devices",
      [&] {
        for (auto [index, name] : llvm::enumerate(devices.texts()))
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

void ReportWriter::writeGraph(GraphRows &graph) {
  json.object([&] {
    json.attributeBegin("name");
    value(graph.op.getSymName());
    json.attributeEnd();
    json.attribute("line", lineOf(graph.op.getLoc()));
    json.attribute("replicas", std::max<int64_t>(
                                   numberOf(graph.op, tfir::kReplicasAttr), 1));
    json.attributeArray(
        "fetches",
        [&] {
          for (auto [name, number] : graph.fetches)
            json.array([&] {
              value(name);
              json.value(number);
            });
        });
    json.attributeObject(
        "ops",
        [&] {
          ArrayRef<Row> rows = graph.rows;
          names(rows);
          column(
              "kind", rows, [](auto &row) { return row.kind; });
          column(
              "device", rows, [](auto &row) { return row.device; });
          column(
              "replica", rows, [](auto &row) { return row.replica; });
          column(
              "line", rows, [](auto &row) { return row.line; });
          lists(
              "operands", rows,
              [](const Row &row) -> ArrayRef<int64_t> { return row.operands; });
          lists(
              "results", rows,
              [](const Row &row) -> ArrayRef<int64_t> { return row.results; });
          reasons(rows);
        });
  });
}

/// What the columns give the numbers of; known when they are written.
void ReportWriter::writeTables() {
  auto texts = [&](StringRef name, const auto &table) {
    json.attributeArray(name, [&] {
      for (StringRef text : table)
        value(text);
    });
  };
  texts("kinds", kinds.texts());
  texts("rules", rules.texts());
  texts("reasons", reasonTexts.texts());
  json.attributeArray(
      "types",
      [&] {
        for (auto [type, number] : types)
          json.array([&] {
            auto tensor = cast<RankedTensorType>(type);
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
  indexLog();
  collectVariables();
  for (auto graph : module.getOps<tfir::GraphOp>())
    collectGraph(graph);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("policy", log ? log->policy : "");
    writeDevices();
    json.attributeObject("variables", [&] {
      names(variables);
      column("device", variables, [](auto &row) { return row.device; });
      column("mirror_of", variables, [](auto &row) { return row.mirrorOf; });
      column("line", variables, [](auto &row) { return row.line; });
      lists("results", variables,
            [](const Row &row) -> ArrayRef<int64_t> { return row.results; });
      reasons(variables);
    });
    json.attributeArray("graphs", [&] {
      for (GraphRows &graph : graphs)
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
