// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InitialValueAttrInterface: the op that gives a variable its initial value.
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

using namespace mlir;
using namespace graphc::tfir;

/// 0 stands for no seed: the stream follows from the name.
static IntegerAttr seedAttr(Builder &builder, int64_t seed) {
  return seed ? builder.getI64IntegerAttr(seed) : IntegerAttr();
}

Value FillAttr::buildInitialValue(OpBuilder &b, Location loc,
                                  RankedTensorType type) const {
  return splat(b, loc, type, getValue());
}

bool FillAttr::isRandom() const { return false; }

Value RandomNormalInitAttr::buildInitialValue(OpBuilder &b, Location loc,
                                              RankedTensorType type) const {
  return RandomNormalOp::create(b, loc, type, APFloat(getMean()),
                                APFloat(getStddev()), seedAttr(b, getSeed()));
}

Value TruncatedNormalInitAttr::buildInitialValue(OpBuilder &b, Location loc,
                                                 RankedTensorType type) const {
  return TruncatedNormalOp::create(b, loc, type, APFloat(getMean()),
                                   APFloat(getStddev()),
                                   seedAttr(b, getSeed()));
}

Value RandomUniformInitAttr::buildInitialValue(OpBuilder &b, Location loc,
                                               RankedTensorType type) const {
  return RandomUniformOp::create(b, loc, type, APFloat(getMinval()),
                                 APFloat(getMaxval()), seedAttr(b, getSeed()));
}
