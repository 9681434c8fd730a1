// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Budgets; custom ops and transfers need no code.
#include "dialects/tfir/Tfir.h"
#include "runtime/base/DeviceName.h"

using namespace mlir;
using namespace graphc::tfir;

LogicalResult BudgetOp::verify() {
  StringRef kind = getKind();
  if (kind != "link" && kind != "messages" && kind != "peak") // (C1)
    return emitOpError() << "bounds '" << kind
                         << "'; expected \"link\", \"messages\" or \"peak\"";
  if (kind == "peak" && !getTarget().empty())
    return emitOpError()
           << "bounds the memory of devices, which has no 'to'; name them "
              "with 'from'";
  if (static_cast<int64_t>(getLimit()) < 0) // (C2)
    return emitOpError() << "has the limit " << static_cast<int64_t>(getLimit())
                         << ", expected at least 0";
  for (StringRef name : {getSource(), getTarget()}) { // (C3)
    auto parsed = graphc::runtime::DeviceName::parse(name);
    if (!parsed.isOk())
      return emitOpError() << parsed.status().message();
  }
  return success();
}
