// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/lowering/KernelCode.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

std::string kernelCode(func::FuncOp kernel) {
  func::FuncOp copy = kernel.clone();
  copy.setSymName("kernel");
  copy.walk([](Operation *op) {
    if (!isa<func::FuncOp>(op))
      op->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  });
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy.print(stream, OpPrintingFlags().useLocalScope().assumeVerified());
  copy.erase();
  return text;
}

} // namespace graphc
