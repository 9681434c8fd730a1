// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/pipeline/VerifyTransfers.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "lib/pipeline/VerifyAllReduces.h"
#include "lib/pipeline/VerifyPlan.h"

#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// One end of an edge.
struct End {
  Operation *op = nullptr;
  int64_t part = 0;  ///< which has the op
  int64_t other = 0; ///< which the op names
  Type type;
};

/// The edges of one graph.
class Edges {
public:
  explicit Edges(StringRef part) : part(part) {}

  LogicalResult addSend(int64_t edge, const End &end) {
    return add(sends, edge, end, "sent");
  }
  LogicalResult addRecv(int64_t edge, const End &end) {
    return add(recvs, edge, end, "received");
  }
  LogicalResult verify();

private:
  using Ends = std::map<int64_t, End>;

  LogicalResult add(Ends &ends, int64_t edge, const End &end, StringRef verb);

  StringRef part; ///< what a part is called
  Ends sends, recvs;
};

LogicalResult Edges::add(Ends &ends, int64_t edge, const End &end,
                         StringRef verb) {
  auto [it, isNew] = ends.try_emplace(edge, end);
  if (isNew)
    return success();
  InFlightDiagnostic error = end.op->emitError()
                             << "edge " << edge << " of the graph is " << verb
                             << " twice; each edge carries one value";
  error.attachNote(it->second.op->getLoc()) << "the first time is here";
  return error;
}

LogicalResult Edges::verify() {
  int64_t next = 0;
  for (auto &[edge, send] : sends) {
    if (edge != next++)
      return send.op->emitError()
             << "edge " << edge
             << " is out of order; the edges of a graph are numbered from 0 "
                "without gaps";
    auto it = recvs.find(edge);
    if (it == recvs.end())
      return send.op->emitError()
             << "sends edge " << edge << ", which nobody receives";
    const End &recv = it->second;
    if (send.other != recv.part)
      return send.op->emitError()
             << "sends edge " << edge << " to " << part << " " << send.other
             << ", but " << part << " " << recv.part << " receives it";
    if (recv.other != send.part)
      return recv.op->emitError() << "receives edge " << edge << " from "
                                  << part << " " << recv.other << ", but "
                                  << part << " " << send.part << " sends it";
    if (send.part == recv.part)
      return send.op->emitError() << "edge " << edge << " does not leave "
                                  << part << " " << send.part;
    if (send.type != recv.type)
      return recv.op->emitError()
             << "receives edge " << edge << " as " << recv.type
             << ", but it is sent as " << send.type;
  }
  for (auto &[edge, recv] : recvs)
    if (!sends.count(edge))
      return recv.op->emitError()
             << "waits for edge " << edge << ", which nobody sends";
  return success();
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
      End end{&op, static_cast<int64_t>(number), 0, {}};
      if (auto send = dyn_cast<SendOp>(op)) {
        end.other = send.getTo();
        end.type = send.getValue().getType();
        if (failed(edges.addSend(send.getEdge(), end)))
          return failure();
      } else if (auto recv = dyn_cast<RecvOp>(op)) {
        end.other = recv.getFrom();
        end.type = recv.getValue().getType();
        if (failed(edges.addRecv(recv.getEdge(), end)))
          return failure();
      }
    }
  }
  if (failed(feeds.verify()) || failed(fetches.verify()) ||
      failed(edges.verify()))
    return failure();
  return verifyAllReduces(parts);
}

/// Adds the edges that an instruction sends or receives.
LogicalResult addEdges(exec::InstructionOpInterface op, int64_t program,
                       Edges &edges) {
  auto add = [&](ArrayRef<int64_t> list, ArrayRef<Value> slots, bool isSend) {
    for (auto [edge, slot] : llvm::zip(list, slots)) {
      End end{op, program, static_cast<int64_t>(*op.getPeer()),
              cast<exec::SlotType>(slot.getType()).getTensor()};
      if (failed(isSend ? edges.addSend(edge, end) : edges.addRecv(edge, end)))
        return failure();
    }
    return success();
  };
  return success(
      succeeded(add(op.getSentEdges(), op.getReadSlots(), true)) &&
      succeeded(add(op.getReceivedEdges(), op.getWrittenSlots(), false)));
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
        result = addEdges(each, number, edges);
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
