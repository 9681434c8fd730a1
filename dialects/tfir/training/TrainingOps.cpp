// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the ops that train: gradients, minimize and ema.
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/training/TfirOptimizers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace graphc::tfir;

LogicalResult GradientsOp::verify() {
  if (getXs().size() != getGradients().size())
    return emitOpError() << "gives " << getGradients().size()
                         << " gradients for " << getXs().size() << " values";
  for (auto [x, gradient] : llvm::zip(getXs(), getGradients()))
    if (x.getType() != gradient.getType()) // (C1)
      return emitOpError() << "gives " << gradient.getType()
                           << " as gradient of a value of type " << x.getType();
  return success();
}

/// The number when it is given.
static std::optional<double> numberOf(std::optional<APFloat> attr) {
  if (!attr)
    return std::nullopt;
  return attr->convertToDouble();
}

LogicalResult MinimizeOp::verify() {
  auto optimizer = dyn_cast<OptimizerAttrInterface>(getOptimizer());
  if (!optimizer) // (C1)
    return emitOpError()
           << "cannot use " << getOptimizer()
           << " as optimizer; expected #tfir.sgd, #tfir.momentum, "
              "#tfir.adam or another one of docs/ops.md";
  unsigned clips = 0;
  for (auto [name, limit] :
       {std::pair("clip_value", numberOf(getClipValue())),
        std::pair("clip_norm", numberOf(getClipNorm())),
        std::pair("clip_global_norm", numberOf(getClipGlobalNorm()))}) {
    clips += limit.has_value();
    if (limit && !(*limit > 0)) // (C2)
      return emitOpError() << name << " is " << *limit
                           << ", expected a number above 0";
  }
  if (clips > 1) // (C2)
    return emitOpError() << "clips in " << clips
                         << " ways; keep one of clip_value, clip_norm and "
                            "clip_global_norm";
  if (std::optional<double> l2 = numberOf(getL2()); l2 && !(*l2 >= 0)) // (C3)
    return emitOpError() << "l2 is " << *l2 << ", expected at least 0";
  if (getAccumulate() && static_cast<int64_t>(*getAccumulate()) < 1) // (C4)
    return emitOpError() << "accumulate is "
                         << static_cast<int64_t>(*getAccumulate())
                         << ", expected at least 1";
  std::optional<double> scale = numberOf(getLossScale());
  if (scale && !(*scale > 0)) // (C5)
    return emitOpError() << "loss_scale is " << *scale
                         << ", expected a number above 0";
  if (auto growth = getLossScaleGrowth()) {
    if (static_cast<int64_t>(*growth) < 1) // (C5)
      return emitOpError() << "loss_scale_growth is "
                           << static_cast<int64_t>(*growth)
                           << ", expected at least 1";
    if (!scale)
      return emitOpError() << "has loss_scale_growth without a scale to begin "
                              "with; add loss_scale, such as 32768.0";
  }
  ArrayAttr chosen = getDecayVariablesAttr();
  if (!chosen)
    return success();
  if (!getL2() && optimizer.withoutDecay() == optimizer) // (C6)
    return emitOpError() << "has decay_variables, but nothing decays; give l2, "
                            "or an optimizer with weight_decay";
  llvm::SmallDenseSet<Attribute> seen;
  for (auto name : chosen.getAsRange<FlatSymbolRefAttr>())
    if (!seen.insert(name).second) // (C6)
      return emitOpError() << "has '" << name.getValue()
                           << "' twice among its decay_variables";
  return success();
}

LogicalResult EmaOp::verify() {
  double decay = getDecay().convertToDouble();
  if (!(decay >= 0 && decay <= 1)) // (C1)
    return emitOpError() << "decay is " << decay << ", expected [0, 1]";
  return success();
}
