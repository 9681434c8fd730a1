// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dependencies of an all_reduce, which a library may do in the place of the
// decomposed one.
#include "dialects/tfir/Support.h"
#include "lib/lowering/Views.h"
#include "lib/schedule/Launches.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

/// The users of the bytes of the sum, but for the all_reduce itself; nothing
/// when one of them needs them for something else.
static std::optional<SmallVector<Operation *>> otherUsers(AllReduceOp reduce) {
  SmallVector<Operation *> users;
  for (Value view : viewsOf(storageOf(reduce.getSum())))
    for (OpOperand &use : view.getUses()) {
      Operation *user = use.getOwner();
      bool isSum = user == reduce.getOperation() && use.getOperandNumber() == 1;
      if (isSum || readsNothing(user))
        continue;
      if (!isFallback(user) || getCollective(user) != getCollective(reduce))
        return std::nullopt;
      users.push_back(user);
    }
  return users;
}

bool StepGraph::isInPlace(AllReduceOp reduce) const {
  Value storage = storageOf(reduce.getSum());
  bool isWhole = exec::tensorBytes(tensorType(storage)) ==
                 exec::tensorBytes(tensorType(reduce.getSum()));
  return isWhole &&
         isa_and_present<exec::LaunchOp, RecvOp>(storage.getDefiningOp()) &&
         !inPlaceOf(storage) && otherUsers(reduce);
}

/// Unites the dependencies of each collective's all_reduces: where a library
/// does them, they synchronize all their programs.
void StepGraph::connectAllReduces() {
  llvm::MapVector<Attribute, SmallVector<unsigned>> members;
  for (auto [number, node] : llvm::enumerate(all))
    if (auto reduce = dyn_cast<AllReduceOp>(node.op)) {
      members[getCollective(reduce)].push_back(number);
      if (!isInPlace(reduce))
        continue;
      std::optional<SmallVector<Operation *>> users = otherUsers(reduce);
      node.before.insert_range(*users);
    }
  for (auto &[collective, numbers] : members) {
    llvm::SetVector<Operation *> before;
    for (unsigned number : numbers)
      before.insert_range(all[number].before);
    for (unsigned number : numbers)
      all[number].before = before;
  }
}

} // namespace graphc
