// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/CopyTables.h"

namespace graphc::runtime {

using flatbuffers::Offset;

Offset<flatbuffers::String> TableCopier::text(const flatbuffers::String *text) {
  return text ? builder.CreateSharedString(text) : 0;
}

Offset<format::TensorType> TableCopier::copy(const format::TensorType &type) {
  return createWhole(format::CreateTensorType, builder, type.dtype(),
                     numbers(type.shape()));
}

Offset<format::Variable> TableCopier::copy(const format::Variable &variable) {
  return copy(variable, variable.mirror_of());
}

Offset<format::Variable> TableCopier::copy(const format::Variable &variable,
                                           uint32_t mirrorOf) {
  return createWhole(format::CreateVariable, builder, text(variable.name()),
                     copy(*variable.type()), variable.trainable(),
                     variable.location(), variable.device(), mirrorOf,
                     text(variable.part_of()), variable.part_row(),
                     variable.transient());
}

Offset<format::Device> TableCopier::copy(const format::Device &device) {
  return createWhole(format::CreateDevice, builder, text(device.name()));
}

Offset<format::DatasetField>
TableCopier::copy(const format::DatasetField &field) {
  return createWhole(format::CreateDatasetField, builder, text(field.name()),
                     copy(*field.type()));
}

Offset<format::Dataset> TableCopier::copy(const format::Dataset &dataset) {
  return copy(dataset, dataset.batch(), dataset.per_worker());
}

Offset<format::Dataset> TableCopier::copy(const format::Dataset &dataset,
                                          int64_t batch, bool perWorker) {
  return createWhole(format::CreateDataset, builder, text(dataset.name()),
                     tables(dataset.fields()), batch, dataset.shuffle_buffer(),
                     dataset.seed(), dataset.repeat(), dataset.prefetch(),
                     dataset.location(), perWorker, dataset.min_after_dequeue(),
                     dataset.shuffle_files(), dataset.cycle_length(),
                     dataset.block_length(), dataset.cache(), dataset.mask(),
                     tables(dataset.transforms()));
}

Offset<format::Transform>
TableCopier::copy(const format::Transform &transform) {
  return createWhole(format::CreateTransform, builder, text(transform.name()),
                     transform.field(), numbers(transform.numbers()));
}

Offset<format::Kernel> TableCopier::copy(const format::Kernel &kernel) {
  return createWhole(format::CreateKernel, builder, text(kernel.name()),
                     kernel.units(), kernel.scratch_bytes(), kernel.flops(),
                     kernel.bytes());
}

Offset<format::Port> TableCopier::copy(const format::Port &port) {
  return createWhole(format::CreatePort, builder, text(port.name()),
                     copy(*port.type()), port.program(), port.slot(),
                     port.location());
}

Offset<format::Summary> TableCopier::copy(const format::Summary &summary) {
  return createWhole(format::CreateSummary, builder, summary.kind(),
                     text(summary.tag()), summary.fetch(),
                     summary.max_outputs(), summary.thresholds(),
                     summary.sample_rate());
}

Offset<format::Edge> TableCopier::copy(const format::Edge &edge) {
  return createWhole(format::CreateEdge, builder, edge.source(), edge.target(),
                     edge.size(), text(edge.name()), edge.collective(),
                     edge.location());
}

Offset<format::Instance> TableCopier::copy(const format::Instance &instance) {
  return copy(instance, text(instance.apply()));
}

Offset<format::Instance> TableCopier::copy(const format::Instance &instance,
                                           Offset<flatbuffers::String> apply) {
  return createWhole(format::CreateInstance, builder, text(instance.of()),
                     instance.worker(), instance.workers(),
                     instance.coordination(), text(instance.coordinator()),
                     instance.staleness(), instance.quorum(), apply);
}

Offset<void> TableCopier::action(const format::Instruction &instruction) {
  if (const auto *dispatch = instruction.action_as_Dispatch())
    return createWhole(format::CreateDispatch, builder, dispatch->kernel(),
                       numbers(dispatch->slots()), numbers(dispatch->outputs()))
        .Union();
  if (const auto *copy = instruction.action_as_Copy())
    return createWhole(format::CreateCopy, builder, copy->source(),
                       copy->target())
        .Union();
  if (const auto *fill = instruction.action_as_Fill())
    return createWhole(format::CreateFill, builder, fill->target(),
                       numbers(fill->pattern()))
        .Union();
  if (const auto *call = instruction.action_as_HostCall())
    return createWhole(format::CreateHostCall, builder, call->function(),
                       call->index(), numbers(call->slots()), call->shard(),
                       call->shards(), call->value(), text(call->text()),
                       numbers(call->reads()))
        .Union();
  if (const auto *send = instruction.action_as_Send())
    return createWhole(format::CreateSend, builder, numbers(send->edges()),
                       numbers(send->slots()))
        .Union();
  if (const auto *reduce = instruction.action_as_AllReduce())
    return createWhole(format::CreateAllReduce, builder, reduce->collective(),
                       reduce->source(), reduce->target())
        .Union();
  const auto &recv = *instruction.action_as_Recv();
  return createWhole(format::CreateRecv, builder, numbers(recv.edges()),
                     numbers(recv.slots()))
      .Union();
}

Offset<format::Instruction>
TableCopier::copy(const format::Instruction &instruction) {
  return createWhole(format::CreateInstruction, builder,
                     instruction.action_type(), action(instruction),
                     numbers(instruction.waits()), text(instruction.name()),
                     instruction.location(), instruction.collective(),
                     instruction.ops() ? copy(*instruction.ops()) : 0);
}

Offset<format::FusedOps> TableCopier::copy(const format::FusedOps &ops) {
  std::vector<Offset<flatbuffers::String>> names;
  names.reserve(ops.names()->size());
  for (const flatbuffers::String *name : *ops.names())
    names.push_back(text(name));
  return createWhole(format::CreateFusedOps, builder,
                     builder.CreateVector(names), numbers(ops.lines()),
                     numbers(ops.work()));
}

Offset<format::Slot> TableCopier::copy(const format::Slot &slot, uint32_t index,
                                       const format::Blob *data) {
  return createWhole(format::CreateSlot, builder, slot.kind(),
                     text(slot.name()), copy(*slot.type()), slot.size(),
                     slot.offset(), index, data, slot.first(), slot.last(),
                     slot.location());
}

} // namespace graphc::runtime
