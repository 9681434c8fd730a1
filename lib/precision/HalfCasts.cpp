// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/precision/HalfCasts.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

bool isHalfTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isHalf(tensor.getElementType());
}

bool isSingleTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

Value castLike(OpBuilder &b, Value x, Type element, Operation *like,
               UniqueNames &names) {
  auto cast = CastOp::create(b, x.getLoc(), tensorType(x).clone(element), x);
  copyNodeAttrs(like, cast);
  StringAttr name = getNodeName(like);
  std::string base = (name ? name.str() : kindName(like)) + "/Cast";
  setNodeName(cast, b.getStringAttr(names.take(base)));
  return cast.getY();
}

} // namespace graphc
