// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of which each device does its rows:
//
//   tfir.apply @w, %g, %rate slots [@"w/Momentum"]
//     -> %g_c = rows of the sum of %g                 on every device c
//        tfir.assign @"w/shard_c", rows of @w
//        tfir.apply @"w/shard_c", %g_c, %rate slots [@"w/Momentum/part_c"]
//        tfir.assign @w, all rows                     on every device
#include "dialects/tfir/OpWork.h"
#include "dialects/tfir/Support.h"
#include "lib/replication/Towers.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

bool Towers::isSharded(Operation *op) const {
  auto apply = dyn_cast<ApplyOp>(op);
  return apply && !shards.of(apply.getVariableAttr()).empty();
}

SmallVector<ArrayRef<UpdateShard>>
Towers::shardsOf(ArrayRef<Operation *> updates) const {
  return llvm::map_to_vector(updates, [&](Operation *op) {
    return shards.of(cast<ApplyOp>(op).getVariableAttr());
  });
}

/// Rings: those within tasks and between them, unless one was asked for.
Reduce Towers::shardedReduce() const {
  return layout.reduce == Reduce::Ring ? Reduce::Ring : Reduce::Hierarchical;
}

/// The shards of the gradient, each on its device: from all towers, or, where
/// all have the same, out of it.
Towers::Values Towers::shardGradient(ApplyOp op) {
  Value gradient = op.getGradient();
  if (analysis.varies(gradient)) {
    if (!gradients.count(op))
      reduceGradientsFrom(op);
    return gradients.find(op)->second;
  }
  placed.enterScope("shards/" + op.getVariable());
  return llvm::map_to_vector(
      shards.of(op.getVariableAttr()), [&](const UpdateShard &shard) -> Value {
        placed.moveTo({layout.devices[shard.device].name, {}});
        return sliceRows(besideMirror(gradient, shard.device), shard);
      });
}

Value Towers::sliceRows(Value value, const UpdateShard &shard) {
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> begins(type.getRank(), 0), sizes(type.getShape());
  begins.front() = shard.begin;
  sizes.front() = shard.size;
  return SliceOp::create(builder, value.getLoc(), type.clone(sizes), value,
                         begins, sizes);
}

/// Makes an update one of a shard, whose rows it takes from the variable.
void Towers::updateShard(ApplyOp update, size_t number) {
  FlatSymbolRefAttr variable = update.getVariableAttr();
  const UpdateShard &shard = shards.of(variable)[number];
  DeviceAttr device = layout.devices[shard.device].name;
  placed.enterScope("shards/" + variable.getValue());
  placed.moveTo({device, {}});
  FlatSymbolRefAttr rows = shards.rowsOf(variable, number);
  Value whole =
      ReadOp::create(builder, update.getLoc(), update.getGradient().getType(),
                     mirrors.copyOf(variable, shard.device),
                     /*average=*/UnitAttr());
  AssignOp::create(builder, update.getLoc(), rows, sliceRows(whole, shard));
  update.setVariableAttr(rows);
  if (ArrayAttr slots = update.getSlotsAttr())
    update.setSlotsAttr(builder.getArrayAttr(llvm::map_to_vector(
        slots.getAsRange<FlatSymbolRefAttr>(),
        [&](FlatSymbolRefAttr slot) -> Attribute {
          return shards.slotOf(slot, number, shard.device, mirrors);
        })));
  NodeAttrList attrs(update);
  attrs.setRequestedDevice(device);
  if (StringAttr beside = attrs.getColocation())
    attrs.setColocation(
        mirrors.copyOf(FlatSymbolRefAttr::get(beside), shard.device).getAttr());
  update->setDiscardableAttrs(attrs.getDictionary());
}

LogicalResult Towers::visitSharded(ApplyOp op) {
  FlatSymbolRefAttr variable = op.getVariableAttr();
  RankedTensorType type = tensorType(op.getGradient());
  ArrayRef<UpdateShard> own = shards.of(variable);
  builder.setInsertionPoint(op);
  SmallVector<Values> operands{shardGradient(op)}; // [operand]
  for (OpOperand &operand : llvm::drop_begin(op->getOpOperands())) {
    FailureOr<Values> values = reduceOperand(op, operand, layout.copies());
    if (failed(values))
      return failure();
    operands.push_back(std::move(*values));
  }
  SmallVector<ApplyOp> updates{op};
  for (size_t number = 1; number < own.size(); ++number) {
    auto clone = cast<ApplyOp>(op->clone());
    NodeAttrList attrs(clone);
    setName(attrs, "shard_" + std::to_string(number));
    clone->setDiscardableAttrs(attrs.getDictionary());
    updates.back()->getBlock()->getOperations().insertAfter(
        updates.back()->getIterator(), clone);
    updates.push_back(clone);
  }
  for (auto [number, update] : llvm::enumerate(updates)) {
    builder.setInsertionPoint(update);
    updateShard(update, number);
    update->setOperand(0, operands[0][number]);
    for (size_t i = 1; i < operands.size(); ++i)
      update->setOperand(i, operands[i][own[number].device]);
  }
  Updated result{variable, type, op.getLoc(), {}};
  builder.setInsertionPointAfter(updates.back());
  for (ApplyOp update : updates) {
    placed.enterScope("shards/" + variable.getValue());
    placed.moveTo({getRequestedDevice(update), {}});
    result.shards.push_back(
        ReadOp::create(builder, op.getLoc(), update.getGradient().getType(),
                       update.getVariableAttr(), /*average=*/UnitAttr()));
  }
  // As gradients travel: large ones alone, small ones together.
  if (bytesOf(type) >= kBucketBytes) {
    gatherTogether(result);
    return success();
  }
  updated.push_back(std::move(result));
  int64_t bytes = 0;
  for (const Updated &other : updated)
    bytes += bytesOf(other.type);
  if (bytes >= kBucketBytes)
    gather();
  return success();
}

/// Before something that reads or assigns a variable whose shards are updated.
void Towers::gatherBefore(Operation *op) {
  SmallVector<FlatSymbolRefAttr> touched = variablesOf(op);
  if (!llvm::any_of(updated, [&](const Updated &other) {
        return llvm::is_contained(touched, other.variable);
      }))
    return;
  builder.setInsertionPoint(op);
  gather();
}

/// Brings what was updated to every device.
void Towers::gather() {
  while (!updated.empty()) {
    Type element = updated.front().type.getElementType();
    SmallVector<Updated> bucket, others;
    for (Updated &variable : updated)
      (variable.type.getElementType() == element ? bucket : others)
          .push_back(std::move(variable));
    updated = std::move(others);
    gatherTogether(bucket);
  }
}

/// Of one element type.
void Towers::gatherTogether(ArrayRef<Updated> bucket) {
  placed.enterScope("all_gather/" + (bucket.size() > 1
                                         ? "bucket"
                                         : bucket.front().variable.getValue()));
  SmallVector<RankedTensorType> types;
  SmallVector<Values> parts;
  SmallVector<ArrayRef<UpdateShard>> own;
  for (const Updated &variable : bucket) {
    types.push_back(variable.type);
    parts.push_back(variable.shards);
    own.push_back(shards.of(variable.variable));
  }
  SmallVector<Values> whole =
      sums.allGather(shardedReduce(), bucket.front().loc, types, parts, own);
  for (auto [variable, values] : llvm::zip_equal(bucket, whole))
    for (auto [number, value] : llvm::enumerate(values)) {
      unsigned device = static_cast<unsigned>(number);
      placed.moveTo({layout.devices[device].name, {}});
      AssignOp::create(builder, variable.loc,
                       mirrors.copyOf(variable.variable, device), value);
    }
}

} // namespace graphc
