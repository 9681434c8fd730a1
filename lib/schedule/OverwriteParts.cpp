// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that take the place of a part of a value that nobody needs any more:
// in a ring, a chunk of the sum that of the task's own gradient.
#include "dialects/tfir/Support.h"
#include "lib/lowering/Views.h"
#include "lib/schedule/Launches.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

/// True when two views of one storage have bytes in common.
static bool overlap(Value a, Value b) {
  int64_t aFirst = viewOf(a).offset, bFirst = viewOf(b).offset;
  return aFirst < bFirst + exec::tensorBytes(tensorType(b)) &&
         bFirst < aFirst + exec::tensorBytes(tensorType(a));
}

/// Writes the result over the operand if all that use its bytes may come
/// before.
bool StepGraph::overwrite(exec::LaunchOp launch, unsigned result,
                          unsigned index) {
  Value part = launch->getOperand(index);
  Value storage = storageOf(part);
  if (!storage.getDefiningOp<exec::LaunchOp>() || inPlaceOf(storage) ||
      !canWriteOver(kernelOf(launch), index, result))
    return false;
  llvm::SetVector<Operation *> users;
  for (Value view : viewsOf(storage)) {
    if (!overlap(view, part))
      continue;
    for (OpOperand &use : view.getUses()) {
      Operation *user = use.getOwner();
      if (readsNothing(user))
        continue;
      bool isSelf = user == launch && use.getOperandNumber() == index;
      // Other ops need the value to the end of the step.
      if (!isSelf && (!isa<exec::LaunchOp, SendOp>(user) ||
                      user == launch.getOperation() || reaches(launch, user)))
        return false;
      if (!isSelf)
        users.insert(user);
    }
  }
  StepNode &node = all[numberOf(launch)];
  node.before.insert(users.begin(), users.end());
  written[launch].push_back(result);
  written[launch].push_back(index);
  return true;
}

void StepGraph::overwriteParts() {
  for (size_t i = 0; i < all.size(); ++i) {
    auto launch = dyn_cast<exec::LaunchOp>(all[i].op);
    if (!launch || written.count(launch))
      continue;
    for (auto [number, operand] : llvm::enumerate(launch->getOperands())) {
      bool isPart = viewOf(operand).storage.getType() != operand.getType() &&
                    exec::tensorBytes(tensorType(storageOf(operand))) !=
                        exec::tensorBytes(tensorType(operand));
      if (isPart && launch->getNumResults() == 1 &&
          !inPlaceOf(launch->getResult(0)) && overwrite(launch, 0, number))
        break;
    }
  }
}

} // namespace graphc
