// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/pipeline/VerifyAllReduces.h"

#include "llvm/ADT/MapVector.h"

#include <map>
#include <set>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// The ops that add up together.
class Partners {
public:
  explicit Partners(StringRef part) : part(part) {}

  /// One of them, in a part. Fails when the part has one already.
  LogicalResult add(Operation *op, int64_t collective, int64_t index,
                    Type type) {
    auto [it, isNew] = all[collective].try_emplace(index, op, type);
    if (isNew)
      return success();
    InFlightDiagnostic error = op->emitError()
                               << "adds up collective " << collective
                               << " for the second time in one " << part;
    error.attachNote(it->second.first->getLoc()) << "the first time is here";
    return error;
  }

  LogicalResult verify() {
    for (auto &[collective, ops] : all) {
      auto [first, type] = ops.begin()->second;
      if (ops.size() < 2)
        return first->emitError() << "adds up collective " << collective
                                  << ", which no other " << part << " does";
      for (auto &[index, each] : ops)
        if (each.second != type) {
          InFlightDiagnostic error = each.first->emitError()
                                     << "adds " << each.second
                                     << " to collective " << collective
                                     << ", to which others add " << type;
          error.attachNote(first->getLoc()) << "one of them is here";
          return error;
        }
    }
    return success();
  }

  bool empty() const { return all.empty(); }
  /// Counts the participants of a collective.
  size_t count(int64_t collective) { return all[collective].size(); }

private:
  StringRef part; ///< what a part is called
  std::map<int64_t, std::map<int64_t, std::pair<Operation *, Type>>> all;
};

bool isInstruction(Operation &op) {
  return !isa<exec::SlotOp, exec::FeedOp, exec::FetchOp>(op);
}

/// Finds deadlocks of the programs where a library makes all sums.
class LibraryWalk {
public:
  LibraryWalk(ArrayRef<exec::ProgramOp> programs, Partners &partners)
      : partners(partners) {
    for (exec::ProgramOp program : programs) {
      std::vector<Operation *> &list = left.emplace_back();
      for (Operation &op : llvm::reverse(program.getBlock()))
        if (isInstruction(op) && !op.hasAttr(exec::kServesAttr))
          list.push_back(&op);
    }
  }

  LogicalResult verify() {
    // Each round all go as far as they come; what can go on never stops to be
    // able to.
    for (bool goesOn = true; goesOn;) {
      goesOn = false;
      for (auto [index, list] : llvm::enumerate(left))
        while (!list.empty() && pass(list.back(), index)) {
          list.pop_back();
          goesOn = true;
        }
    }
    for (const std::vector<Operation *> &list : left)
      if (!list.empty())
        return list.back()->emitError(
            "is in a deadlock where a library makes the sums of all_reduce: "
            "other programs come to it only behind what waits for this one");
    return success();
  }

private:
  bool pass(Operation *op, int64_t program) {
    if (auto reduce = dyn_cast<exec::AllReduceOp>(op)) {
      std::set<int64_t> &here = arrived[reduce.getNumber()];
      here.insert(program);
      return here.size() == partners.count(reduce.getNumber());
    }
    if (auto send = dyn_cast<exec::SendOp>(op))
      sent.insert(send.getEdges().begin(), send.getEdges().end());
    auto recv = dyn_cast<exec::RecvOp>(op);
    return !recv || llvm::all_of(recv.getEdges(), [&](int64_t edge) {
      return sent.count(edge) != 0;
    });
  }

  Partners &partners;
  std::vector<std::vector<Operation *>> left; ///< by program, the next one last
  std::set<int64_t> sent;
  std::map<int64_t, std::set<int64_t>> arrived; ///< programs, by number
};

/// In a program, what serves an all_reduce stands before it, and so do both
/// ends of a transfer or none.
LogicalResult verifyServants(exec::ProgramOp program,
                             std::map<int64_t, Operation *> &servedEdges) {
  std::set<int64_t> coming;
  for (Operation &op : llvm::reverse(program.getBlock())) {
    auto serves = op.getAttrOfType<IntegerAttr>(exec::kServesAttr);
    if (serves && !coming.count(serves.getInt()))
      return op.emitError() << "serves all_reduce " << serves.getInt()
                            << ", which is not behind it in its program";
    if (auto reduce = dyn_cast<exec::AllReduceOp>(op))
      coming.insert(reduce.getNumber());
    ArrayRef<int64_t> edges;
    if (auto send = dyn_cast<exec::SendOp>(op))
      edges = send.getEdges();
    else if (auto recv = dyn_cast<exec::RecvOp>(op))
      edges = recv.getEdges();
    for (int64_t edge : edges) {
      auto [it, isNew] = servedEdges.try_emplace(edge, &op);
      if (!isNew && it->second->getAttr(exec::kServesAttr) != serves)
        return op.emitError()
               << "is one end of edge " << edge
               << ", whose other end does not serve the same all_reduce";
    }
  }
  return success();
}

} // namespace

LogicalResult verifyFallback(Operation *op) {
  if (!isFallback(op))
    return success();
  Attribute collective = getCollective(op);
  if (!collective)
    return op->emitError()
           << "has the attribute 'fallback' but no 'collective'";
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    bool isSum = isa<AllReduceOp>(user) && use.getOperandNumber() == 1;
    if ((isSum || isFallback(user)) && getCollective(user) == collective)
      continue;
    InFlightDiagnostic error =
        user->emitError() << "needs a value that is there for the all_reduce "
                             "of collective "
                          << collective << " alone, and only without a library";
    error.attachNote(op->getLoc()) << "the value is made here";
    return error;
  }
  return success();
}

LogicalResult verifyAllReduces(ArrayRef<GraphOp> parts) {
  Partners partners("partition");
  for (auto [index, part] : llvm::enumerate(parts))
    for (auto reduce : GraphOp(part).getBlock().getOps<AllReduceOp>()) {
      auto collective = getCollective(reduce);
      if (!collective)
        return reduce.emitError()
               << "has no 'collective', which says what adds up together";
      if (failed(partners.add(reduce, collective.getInt(), index,
                              reduce.getY().getType())))
        return failure();
    }
  return partners.verify();
}

LogicalResult verifyAllReduces(ArrayRef<exec::ProgramOp> programs) {
  Partners partners("program");
  std::map<int64_t, Operation *> servedEdges;
  for (auto [index, program] : llvm::enumerate(programs)) {
    for (auto reduce :
         exec::ProgramOp(program).getBlock().getOps<exec::AllReduceOp>())
      if (failed(partners.add(reduce, reduce.getNumber(), index,
                              reduce.getTarget().getType())))
        return failure();
    if (failed(verifyServants(program, servedEdges)))
      return failure();
  }
  if (partners.empty())
    return success();
  if (failed(partners.verify()))
    return failure();
  return LibraryWalk(programs, partners).verify();
}

} // namespace graphc
