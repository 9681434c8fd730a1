// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/FindContraction.h"

using namespace mlir;

namespace graphc {

tfir::ContractionInterface findContraction(func::FuncOp kernel) {
  auto contractions =
      kernel.getBody().front().getOps<tfir::ContractionInterface>();
  return contractions.empty() ? nullptr : *contractions.begin();
}

} // namespace graphc
