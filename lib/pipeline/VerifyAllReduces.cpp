// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/pipeline/VerifyAllReduces.h"

#include <map>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// The ops that add up together.
class Partners {
public:
  /// One of them, in a partition. Fails when the partition has one already.
  LogicalResult add(Operation *op, int64_t collective, int64_t index,
                    Type type) {
    auto [it, isNew] = all[collective].try_emplace(index, op, type);
    if (isNew)
      return success();
    InFlightDiagnostic error = op->emitError()
                               << "adds up collective " << collective
                               << " for the second time in one partition";
    error.attachNote(it->second.first->getLoc()) << "the first time is here";
    return error;
  }

  LogicalResult verify() {
    for (auto &[collective, ops] : all) {
      auto [first, type] = ops.begin()->second;
      if (ops.size() < 2)
        return first->emitError() << "adds up collective " << collective
                                  << ", which no other partition does";
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

private:
  std::map<int64_t, std::map<int64_t, std::pair<Operation *, Type>>> all;
};

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
  Partners partners;
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

} // namespace graphc
