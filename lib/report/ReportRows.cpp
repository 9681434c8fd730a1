// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/report/ReportRows.h"

#include "lib/frontend/SourcePlace.h"
#include "lib/frontend/UniqueNames.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace graphc {

namespace {

constexpr StringLiteral kFeedKind = "Placeholder";

std::string recordKey(StringRef graph, StringRef name) {
  std::string key = graph.str();
  key += '\0';
  return key += name;
}

class RowCollector {
public:
  RowCollector(ModuleOp module, const PlacementLog *log)
      : module(module), log(log) {}

  ReportRows run() {
    if (log)
      indexLog();
    collectVariables();
    for (auto graph : module.getOps<tfir::GraphOp>())
      collectGraph(graph);
    return std::move(result);
  }

private:
  void indexLog();
  const PlacementRecord *findRecord(StringRef graph, StringRef name,
                                    bool isFeed);
  int64_t type(Type type);
  ReportRow rowOf(Operation *op, StringRef graph, StringRef name,
                  StringRef kind);
  int64_t lineOf(Location loc) const {
    FileLineColLoc place = placeInSource(module, loc);
    return place ? place.getLine() : 0;
  }
  void collectVariables();
  void collectFeeds(tfir::GraphOp op, ReportGraphRows &graph);
  void collectGraph(tfir::GraphOp op);

  ModuleOp module;
  const PlacementLog *log;
  ReportRows result;
  /// Records by "graph\0name"; feeds may be called like ops.
  llvm::StringMap<const PlacementRecord *> records, feedRecords;
};

void RowCollector::indexLog() {
  for (const LoggedDevice &device : log->devices)
    result.devices.add(device.name);
  for (const PlacementRecord &record : log->records) {
    bool isFeed = log->texts[record.kind] == kFeedKind;
    StringRef graph;
    if (record.graph != kNoNode)
      graph = log->texts[record.graph];
    (isFeed ? feedRecords : records)
        .try_emplace(recordKey(graph, record.name), &record);
  }
}

const PlacementRecord *RowCollector::findRecord(StringRef graph, StringRef name,
                                                bool isFeed) {
  return (isFeed ? feedRecords : records).lookup(recordKey(graph, name));
}

int64_t RowCollector::type(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return result.types.insert({tensor, result.types.size()}).first->second;
}

ReportRow RowCollector::rowOf(Operation *op, StringRef graph, StringRef name,
                              StringRef kind) {
  ReportRow row;
  row.name = name;
  row.kind = result.kinds.add(kind);
  IntegerAttr tower = tfir::getTower(op);
  row.replica = tower ? tower.getInt() : -1;
  row.line = lineOf(op->getLoc());
  row.record = findRecord(graph, name, /*isFeed=*/false);
  if (auto device = tfir::getAssignedDevice(op))
    row.device = result.devices.add(device.getText());
  return row;
}

void RowCollector::collectVariables() {
  llvm::StringMap<int64_t> numbers;
  std::vector<StringRef> originals;
  for (auto variable : module.getOps<tfir::VariableOp>()) {
    numbers[variable.getSymName()] = result.variables.size();
    ReportRow row = rowOf(variable, "", variable.getSymName(), "VariableV2");
    row.results.push_back(type(variable.getType()));
    result.variables.push_back(row);
    originals.push_back(variable.getMirrorOf().value_or(""));
  }
  for (auto [row, original] : llvm::zip_equal(result.variables, originals))
    if (auto found = numbers.find(original); found != numbers.end())
      row.mirrorOf = found->second;
}

void RowCollector::collectFeeds(tfir::GraphOp op, ReportGraphRows &graph) {
  for (auto [argument, attr] :
       llvm::zip_equal(op.getBlock().getArguments(), op.getFeedNames())) {
    ReportRow row;
    row.name = cast<StringAttr>(attr).getValue();
    row.kind = result.kinds.add(kFeedKind);
    row.line = lineOf(argument.getLoc());
    row.results.push_back(type(argument.getType()));
    row.record = findRecord(graph.name, row.name, /*isFeed=*/true);
    if (row.record)
      row.device = row.record->device;
    graph.rows.push_back(std::move(row));
  }
}

void RowCollector::collectGraph(tfir::GraphOp op) {
  ReportGraphRows graph{
      op.getSymName(), lineOf(op.getLoc()), op.getTowers(), {}, {}};
  collectFeeds(op, graph);
  llvm::DenseMap<Value, int64_t> values;
  for (BlockArgument argument : op.getBlock().getArguments())
    values[argument] = values.size();
  for (Operation &inner : op.getBlock().without_terminator()) {
    StringAttr name = tfir::getNodeName(&inner);
    ReportRow row =
        rowOf(&inner, op.getSymName(), name ? name.getValue() : StringRef(),
              kindName(&inner));
    for (Value operand : inner.getOperands())
      row.operands.push_back(values.lookup(operand));
    for (Value made : inner.getResults()) {
      values[made] = values.size();
      row.results.push_back(type(made.getType()));
    }
    graph.rows.push_back(std::move(row));
  }
  for (auto [name, fetched] :
       llvm::zip_equal(op.getFetchNames(), op.getReturn().getValues()))
    graph.fetches.push_back(
        {cast<StringAttr>(name).getValue(), values.lookup(fetched)});
  result.graphs.push_back(std::move(graph));
}

} // namespace

ReportRows collectRows(ModuleOp module, const PlacementLog *log) {
  return RowCollector(module, log).run();
}

} // namespace graphc
