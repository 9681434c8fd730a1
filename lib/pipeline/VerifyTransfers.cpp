// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/pipeline/VerifyTransfers.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "lib/pipeline/VerifyAllReduces.h"
#include "lib/pipeline/VerifyPlan.h"
#include "runtime/format/check/EdgeCheck.h"

#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

using runtime::EdgeFinding;
using runtime::EdgeRule;
using runtime::EndpointView;

/// The edges of one graph, whose parts are partitions or programs.
class Edges {
public:
  explicit Edges(StringRef part) : part(part) {}

  /// Adds an endpoint of an op, which carries values of a type.
  void add(const EndpointView &end, Operation *op, Type type) {
    view.endpoints.push_back(end);
    ends.push_back({op, type});
  }
  LogicalResult verify();

private:
  struct End {
    Operation *op;
    Type type;
  };

  LogicalResult listEdges();
  LogicalResult refuse(const EdgeFinding &finding) const;
  LogicalResult refuseTwice(const EdgeFinding &finding, size_t first) const;

  StringRef part; ///< what a part is called
  runtime::EdgesView view;
  std::vector<End> ends;       ///< of the view
  std::vector<size_t> senders; ///< the first by edge
};

/// Lists the edges as those who send them describe them.
LogicalResult Edges::listEdges() {
  std::map<int64_t, size_t> sends;
  for (auto [index, end] : llvm::enumerate(view.endpoints))
    if (end.isSend)
      sends.try_emplace(end.edge, index);
  for (auto [edge, index] : sends) {
    if (edge != static_cast<int64_t>(senders.size()))
      return ends[index].op->emitError()
             << "edge " << edge
             << " is out of order; the edges of a graph are numbered from 0 "
                "without gaps";
    senders.push_back(index);
    view.edges.push_back(
        {view.endpoints[index].program, view.endpoints[index].peer});
  }
  return success();
}

LogicalResult Edges::verify() {
  if (failed(listEdges()))
    return failure();
  runtime::EdgeChecker checker(view);
  if (runtime::EdgeResult finding = checker.checkEdges())
    return refuse(*finding);
  if (runtime::EdgeResult finding = checker.checkEndpoints())
    return refuse(*finding);
  runtime::EdgeResult finding =
      checker.checkTypes([&](size_t send, size_t recv) {
        return ends[send].type == ends[recv].type;
      });
  return finding ? refuse(*finding) : success();
}

LogicalResult Edges::refuse(const EdgeFinding &finding) const {
  const int64_t edge = finding.edge;
  const End *at = finding.at ? &ends[*finding.at] : nullptr;
  // The first that sends an edge defines it; one that differs is the second.
  if (at && view.endpoints[*finding.at].isSend &&
      finding.rule != EdgeRule::Received)
    return refuseTwice(finding, senders[edge]);
  switch (finding.rule) {
  case EdgeRule::Distinct:
    return ends[senders[edge]].op->emitError()
           << "edge " << edge << " does not leave " << part << " "
           << view.edges[edge].source;
  case EdgeRule::Program:
    return ends[senders[edge]].op->emitError()
           << "sends edge " << edge << " to " << part << " "
           << view.edges[edge].target << ", but " << part << " "
           << view.endpoints[*finding.at].program << " receives it";
  case EdgeRule::Peer:
    return at->op->emitError()
           << "receives edge " << edge << " from " << part << " "
           << view.endpoints[*finding.at].peer << ", but " << part << " "
           << view.edges[edge].source << " sends it";
  case EdgeRule::Once:
    return refuseTwice(finding, *finding.other);
  case EdgeRule::Sent:
    return at->op->emitError()
           << "waits for edge " << edge << ", which nobody sends";
  case EdgeRule::Received:
    return at->op->emitError()
           << "sends edge " << edge << ", which nobody receives";
  case EdgeRule::Type:
    return at->op->emitError()
           << "receives edge " << edge << " as " << at->type
           << ", but it is sent as " << ends[*finding.other].type;
  }
  llvm_unreachable("unknown rule");
}

LogicalResult Edges::refuseTwice(const EdgeFinding &finding,
                                 size_t first) const {
  bool isSend = view.endpoints[*finding.at].isSend;
  InFlightDiagnostic error = ends[*finding.at].op->emitError()
                             << "edge " << finding.edge << " of the graph is "
                             << (isSend ? "sent" : "received")
                             << " twice; each edge carries one value";
  error.attachNote(ends[first].op->getLoc()) << "the first time is here";
  return error;
}

/// The places of ports among those of the undivided graph.
class Places {
public:
  explicit Places(StringRef what) : what(what) {}

  LogicalResult add(Operation *op, int64_t place) {
    if (places.try_emplace(place, op).second)
      return success();
    return op->emitError() << "has a " << what << " with the place " << place
                           << ", which another " << what << " has";
  }
  /// They are 0, 1, ... without gaps.
  LogicalResult verify() {
    int64_t next = 0;
    for (auto [place, op] : places)
      if (place != next++)
        return op->emitError()
               << "has a " << what << " with the place " << place
               << ", but the places of all are not 0 to " << places.size() - 1;
    return success();
  }

private:
  StringRef what;
  std::map<int64_t, Operation *> places;
};

LogicalResult addPlaces(GraphOp graph, StringRef attribute,
                        DenseI64ArrayAttr order, size_t count, Places &places) {
  if (!order && graph.getPartitionOf())
    return graph.emitError() << "is a partition without '" << attribute << "'";
  if (order && order.size() != static_cast<int64_t>(count))
    return graph.emitError() << "has the attribute '" << attribute << "' with "
                             << order.size() << " places for " << count;
  for (size_t i = 0; i < count; ++i)
    if (failed(places.add(graph, order ? order[i] : i)))
      return failure();
  return success();
}

LogicalResult verifyPartitionsOf(ArrayRef<GraphOp> parts) {
  Edges edges("partition");
  Places feeds("feed"), fetches("fetch");
  for (auto [number, part] : llvm::enumerate(parts)) {
    GraphOp graph = part;
    if (failed(addPlaces(graph, graph.getFeedOrderAttrName(),
                         graph.getFeedOrderAttr(), graph.getFeedNames().size(),
                         feeds)) ||
        failed(addPlaces(graph, graph.getFetchOrderAttrName(),
                         graph.getFetchOrderAttr(),
                         graph.getFetchNames().size(), fetches)))
      return failure();
    for (Operation &op : graph.getBlock()) {
      auto partition = static_cast<int64_t>(number);
      if (auto send = dyn_cast<SendOp>(op))
        edges.add({static_cast<int64_t>(send.getEdge()), partition,
                   static_cast<int64_t>(send.getTo()), /*isSend=*/true},
                  send, send.getValue().getType());
      else if (auto recv = dyn_cast<RecvOp>(op))
        edges.add({static_cast<int64_t>(recv.getEdge()), partition,
                   static_cast<int64_t>(recv.getFrom()), /*isSend=*/false},
                  recv, recv.getValue().getType());
    }
  }
  if (failed(feeds.verify()) || failed(fetches.verify()) ||
      failed(edges.verify()))
    return failure();
  return verifyAllReduces(parts);
}

/// Adds the edges that an instruction sends or receives.
void addEdges(exec::InstructionOpInterface op, int64_t program, Edges &edges) {
  auto add = [&](ArrayRef<int64_t> list, ArrayRef<Value> slots, bool isSend) {
    for (auto [edge, slot] : llvm::zip(list, slots))
      edges.add({edge, program, static_cast<int64_t>(*op.getPeer()), isSend},
                op, cast<exec::SlotType>(slot.getType()).getTensor());
  };
  add(op.getSentEdges(), op.getReadSlots(), true);
  add(op.getReceivedEdges(), op.getWrittenSlots(), false);
}

LogicalResult verifyProgramsOf(ArrayRef<exec::ProgramOp> programs) {
  Edges edges("program");
  Places feeds("feed"), fetches("fetch");
  for (auto [number, op] : llvm::enumerate(programs))
    for (Operation &inner : exec::ProgramOp(op).getBlock()) {
      LogicalResult result = success();
      if (auto feed = dyn_cast<exec::FeedOp>(inner))
        result = feeds.add(&inner, feed.getOrder());
      else if (auto fetch = dyn_cast<exec::FetchOp>(inner))
        result = fetches.add(&inner, fetch.getOrder());
      else if (auto each = dyn_cast<exec::InstructionOpInterface>(inner))
        addEdges(each, number, edges);
      if (failed(result))
        return failure();
    }
  if (failed(feeds.verify()) || failed(fetches.verify()) ||
      failed(edges.verify()))
    return failure();
  exec::ProgramOp first = programs.front();
  if (programs.size() > 1 && !first.getOrderAttr())
    return first.emitError()
           << "is the first of " << programs.size() << " programs and has no '"
           << first.getOrderAttrName().getValue() << "'";
  return verifyPlan(programs);
}

/// Calls `verify` with the parts of each graph.
template <typename Op>
LogicalResult verifyByGraph(ModuleOp module,
                            function_ref<Attribute(Op)> wholeOf,
                            function_ref<LogicalResult(ArrayRef<Op>)> verify) {
  llvm::MapVector<Attribute, SmallVector<Op>> graphs;
  Attribute last;
  for (Op part : module.getOps<Op>()) {
    Attribute whole = wholeOf(part);
    SmallVector<Op> &parts = graphs[whole];
    if (!parts.empty() && whole != last)
      return part.emitError()
             << "is a part of graph " << whole
             << ", whose other parts do not stand right before it";
    parts.push_back(part);
    last = whole;
  }
  for (auto &[whole, parts] : graphs)
    if (failed(verify(parts)))
      return failure();
  return success();
}

} // namespace

LogicalResult verifyPartitions(ModuleOp module) {
  return verifyByGraph<GraphOp>(
      module,
      [](GraphOp graph) -> Attribute { return graph.getWholeNameAttr(); },
      verifyPartitionsOf);
}

LogicalResult verifyPrograms(ModuleOp module) {
  return verifyByGraph<exec::ProgramOp>(
      module,
      [](exec::ProgramOp program) -> Attribute {
        return program.getGraphAttr();
      },
      verifyProgramsOf);
}

} // namespace graphc
