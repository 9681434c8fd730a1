// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/verify/ProgramVerifier.h"

#include "runtime/format/FileHeader.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/verify/InstanceCheck.h"
#include "runtime/format/verify/VerifyTexts.h"

#include <cmath>

namespace graphc::runtime {

namespace {

constexpr uint64_t kStepStateBytes = 32;
constexpr uint64_t kMaxMillis = 86'400'000; // a day

} // namespace

/// Finds the executable that the program dispatches kernels of, and checks the
/// memory that its kernels have there: none, but where devices have memory of
/// their own.
Status ProgramVerifier::checkScratch() {
  std::string type = nameOfDevice(deviceOf(model, program)).type.value_or("");
  for (const VerifiedExecutable &executable : executables) {
    std::string_view its = executable.format->deviceType();
    // The host executes what no other target has code for.
    if (its == executableFormats().front()->deviceType() && !own)
      own = &executable;
    if (its == type && !graph.host())
      own = &executable;
  }
  if (program.device_scratch_bytes() > kMaxBytes)
    return dataLoss("its " + type + " scratch has " +
                    textOf(program.device_scratch_bytes()) +
                    " bytes; the limit is " + textOf(kMaxBytes));
  const ExecutableFormat *format = formatOfType(type);
  if (program.device_scratch_bytes() == 0 ||
      (format && format->hasDeviceMemory()))
    return Status::ok();
  std::string types;
  for (const ExecutableFormat *each : executableFormats())
    if (each->hasDeviceMemory())
      types += (types.empty() ? "" : " or ") + std::string(each->deviceType());
  return dataLoss("it has scratch memory of a " + types +
                  ", but is on another device");
}

Status ProgramVerifier::check() {
  if (program.device() >= model.devices()->size())
    return outOfBounds("device", program.device(), model.devices()->size());
  if (program.arena_bytes() > kMaxBytes)
    return dataLoss("its arena has " + textOf(program.arena_bytes()) +
                    " bytes; the limit is " + textOf(kMaxBytes));
  GRAPHC_TRY(checkScratch());
  for (uint32_t i = 0; i < slots.size(); ++i) {
    Status status = checkSlot(*slots[i]);
    if (!status.isOk())
      return status.annotate(labelOf("slot %", i, slots[i]->name()));
  }
  for (uint32_t i = 0; i < program.instructions()->size(); ++i) {
    Status status = checkInstruction(i);
    if (!status.isOk())
      return status.annotate(
          labelOf("instruction #", i, program.instructions()->Get(i)->name()));
  }
  return checkUpdates();
}

/// All writes to variables are behind all transfers, so that a program may
/// stand between them for as long as it is to.
Status ProgramVerifier::checkUpdates() {
  if (program.updates_from() == UINT32_MAX)
    return Status::ok();
  const auto &instructions = *program.instructions();
  if (program.updates_from() > instructions.size())
    return outOfBounds("instruction", program.updates_from(),
                       instructions.size());
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const format::Instruction &instruction = *instructions.Get(i);
    bool isUpdate = i >= program.updates_from(), writes = false;
    forEachWrite(instruction, [&](uint32_t slot) {
      writes |= slots[slot]->kind() == format::SlotKind::Variable;
    });
    if (writes && !isUpdate)
      return dataLoss("instruction #" + textOf(i) +
                      " writes a variable before the updates, which begin "
                      "with #" +
                      textOf(program.updates_from()));
    if (isUpdate && edgesOf(instruction).edges)
      return dataLoss("instruction #" + textOf(i) +
                      " is a transfer among the updates, which begin with #" +
                      textOf(program.updates_from()));
  }
  return Status::ok();
}

Status ProgramVerifier::checkSlot(const format::Slot &slot) {
  GRAPHC_ASSIGN_OR_RETURN(uint64_t bytes, checkedBytes(*slot.type()));
  if (slot.kind() == format::SlotKind::Constant)
    return checkConstant(slot, bytes);
  if (slot.type()->dtype() == format::DType::String)
    return dataLoss("only a constant may have the type string");
  if (slot.size() != bytes)
    return dataLoss("its size is " + textOf(slot.size()) +
                    " bytes but its type has " + textOf(bytes));
  switch (slot.kind()) {
  case format::SlotKind::Arena:
    return checkArena(slot);
  case format::SlotKind::Variable:
    return checkVariable(slot);
  case format::SlotKind::StepState:
    if (bytes != kStepStateBytes)
      return dataLoss("the state of a step has " + textOf(kStepStateBytes) +
                      " bytes, not " + textOf(bytes));
    if (slot.index() >= replicaCount(graph))
      return outOfBounds("replica", slot.index(), replicaCount(graph));
    return Status::ok();
  default:
    return dataLoss("slots of kind " +
                    textOf(static_cast<uint8_t>(slot.kind())) +
                    " are not known");
  }
}

Status ProgramVerifier::checkArena(const format::Slot &slot) {
  uint64_t arena = program.arena_bytes();
  if (slot.offset() % format::kAlignment != 0)
    return dataLoss("its offset " + textOf(slot.offset()) +
                    " is not a multiple of " + textOf(format::kAlignment));
  if (slot.offset() > arena || slot.size() > arena - slot.offset())
    return dataLoss("its " + textOf(slot.size()) + " bytes at offset " +
                    textOf(slot.offset()) + " do not fit into the arena of " +
                    textOf(arena) + " bytes");
  if (slot.first() > slot.last() ||
      slot.last() > program.instructions()->size())
    return dataLoss("its lifetime #" + textOf(slot.first()) + " to #" +
                    textOf(slot.last()) + " is no range of instructions");
  return Status::ok();
}

Status ProgramVerifier::checkVariable(const format::Slot &slot) {
  if (slot.index() >= model.variables()->size())
    return outOfBounds("variable", slot.index(), model.variables()->size());
  const format::Variable &variable = *model.variables()->Get(slot.index());
  if (!sameType(*slot.type(), *variable.type()))
    return dataLoss("its type is " + toTensorType(*slot.type()).toString() +
                    " but variable " + quote(variable.name()->string_view()) +
                    " has " + toTensorType(*variable.type()).toString());
  if (variable.device() != UINT32_MAX && variable.device() != program.device())
    return dataLoss("variable " + quote(variable.name()->string_view()) +
                    " is on " + quote(deviceOf(model, variable)) +
                    ", out of the program's reach");
  return Status::ok();
}

Status ProgramVerifier::checkConstant(const format::Slot &slot,
                                      uint64_t bytes) {
  if (slot.type()->dtype() == format::DType::String)
    GRAPHC_TRY(blobs.checkStrings(slot.data(), countElements(*slot.type())));
  else
    GRAPHC_TRY(blobs.check(slot.data()));
  if (slot.size() != slot.data()->size())
    return dataLoss("its size is " + textOf(slot.size()) +
                    " bytes but its blob has " + textOf(slot.data()->size()));
  if (slot.type()->dtype() != format::DType::String && slot.size() != bytes)
    return dataLoss("its size is " + textOf(slot.size()) +
                    " bytes but its type has " + textOf(bytes));
  return Status::ok();
}

Status ProgramVerifier::checkInstruction(uint32_t index) {
  const format::Instruction &instruction = *program.instructions()->Get(index);
  GRAPHC_TRY(checkWaits(instruction, index));
  if (instruction.ops())
    GRAPHC_TRY(checkOps(*instruction.ops()));
  switch (instruction.action_type()) {
  case format::Action::Dispatch:
    return checkDispatch(*instruction.action_as_Dispatch(), index);
  case format::Action::Copy:
    return checkCopy(*instruction.action_as_Copy());
  case format::Action::Fill:
    return checkFill(*instruction.action_as_Fill());
  case format::Action::HostCall:
    return checkHostCall(*instruction.action_as_HostCall());
  case format::Action::Send:
    return checkTransfer(*instruction.action_as_Send()->edges(),
                         *instruction.action_as_Send()->slots(), false);
  case format::Action::Recv:
    return checkTransfer(*instruction.action_as_Recv()->edges(),
                         *instruction.action_as_Recv()->slots(), true);
  case format::Action::AllReduce:
    return checkAllReduce(*instruction.action_as_AllReduce());
  default:
    return dataLoss("instructions of kind " +
                    textOf(static_cast<uint8_t>(instruction.action_type())) +
                    " are not known");
  }
}

Status ProgramVerifier::checkWaits(const format::Instruction &instruction,
                                   uint32_t index) {
  if (!instruction.waits())
    return Status::ok();
  GRAPHC_TRY(charge(*instruction.waits()));
  for (uint32_t wait : *instruction.waits())
    if (wait >= index)
      return dataLoss("it waits for #" + textOf(wait) +
                      ", which does not come before it");
  return Status::ok();
}

/// Nothing is computed from them but shares of a time.
Status ProgramVerifier::checkOps(const format::FusedOps &ops) {
  GRAPHC_TRY(runtime::charge(budget, ops.names()->size()));
  GRAPHC_TRY(charge(*ops.lines()));
  GRAPHC_TRY(runtime::charge(budget, ops.work()->size()));
  if (ops.lines()->size() != ops.names()->size() ||
      ops.work()->size() != ops.names()->size())
    return dataLoss("it has " + textOf(ops.names()->size()) + " ops, " +
                    textOf(ops.lines()->size()) + " lines and " +
                    textOf(ops.work()->size()) + " amounts of work of them");
  for (float work : *ops.work())
    if (!(work >= 0) || std::isinf(work)) // a NaN fails, too
      return dataLoss("the work of its ops is no finite positive number");
  return Status::ok();
}

Status ProgramVerifier::checkDispatch(const format::Dispatch &dispatch,
                                      uint32_t index) {
  if (dispatch.kernel() >= model.kernels()->size())
    return outOfBounds("kernel", dispatch.kernel(), model.kernels()->size());
  GRAPHC_TRY(charge(*dispatch.slots()));
  GRAPHC_TRY(charge(*dispatch.outputs()));
  for (uint32_t slot : *dispatch.slots()) {
    GRAPHC_TRY(checkSlotIndex(slot));
    mentioned[slot] = index + 1;
  }
  for (uint32_t output : *dispatch.outputs()) {
    GRAPHC_TRY(checkWritable(output));
    if (mentioned[output] != index + 1)
      return dataLoss("its output %" + textOf(output) +
                      " is not one of its slots");
  }
  return own ? own->format->checkDispatch(own->code, model, program, dispatch,
                                          budget)
             : Status::ok();
}

Status ProgramVerifier::checkCopy(const format::Copy &copy) {
  GRAPHC_TRY(checkSlotIndex(copy.source()));
  GRAPHC_TRY(checkWritable(copy.target()));
  uint64_t source = slots[copy.source()]->size();
  uint64_t target = slots[copy.target()]->size();
  if (source != target)
    return dataLoss("it copies " + textOf(source) + " bytes to a slot of " +
                    textOf(target));
  return Status::ok();
}

Status ProgramVerifier::checkFill(const format::Fill &fill) {
  GRAPHC_TRY(checkWritable(fill.target()));
  uint64_t pattern = fill.pattern()->size();
  if (pattern != 1 && pattern != 2 && pattern != 4 && pattern != 8)
    return dataLoss("its pattern has " + textOf(pattern) +
                    " bytes; 1, 2, 4 and 8 are possible");
  if (slots[fill.target()]->size() % pattern != 0)
    return dataLoss("its pattern of " + textOf(pattern) +
                    " bytes does not divide the slot's " +
                    textOf(slots[fill.target()]->size()));
  return Status::ok();
}

Status ProgramVerifier::checkHostCall(const format::HostCall &call) {
  bool isReport = call.function() == format::HostFunction::Check ||
                  call.function() == format::HostFunction::Print;
  if (!isReport && call.reads() && call.reads()->size() != 0)
    return dataLoss("it reads slots, which it has no use for");
  switch (call.function()) {
  case format::HostFunction::NextBatch:
    return checkNextBatch(call);
  case format::HostFunction::Sleep:
  case format::HostFunction::Fail:
    return checkDebugCall(call);
  case format::HostFunction::Check:
  case format::HostFunction::Print:
    return checkReport(call);
  }
  return dataLoss("host function " +
                  textOf(static_cast<uint8_t>(call.function())) +
                  " is not known");
}

/// Sleep and Fail touch nothing; readers look at no other field of theirs.
Status ProgramVerifier::checkDebugCall(const format::HostCall &call) {
  if (call.slots()->size() != 0 || call.index() != 0 || call.shard() != 0 ||
      call.shards() != 1)
    return dataLoss("it sleeps or fails but names slots or a dataset");
  if (call.value() > kMaxMillis)
    return dataLoss("it sleeps " + textOf(call.value()) + " ms; " +
                    textOf(kMaxMillis) + " are possible");
  return Status::ok();
}

/// The host reads the slot, which has to be in its memory, then.
Status ProgramVerifier::checkReport(const format::HostCall &call) {
  if (call.slots()->size() != 0 || call.index() != 0 || call.shard() != 0 ||
      call.shards() != 1)
    return dataLoss("it checks or prints but names slots to write or a "
                    "dataset");
  if (!call.reads() || call.reads()->size() != 1)
    return dataLoss("it checks or prints, but not one slot");
  GRAPHC_TRY(charge(*call.reads()));
  uint32_t index = call.reads()->Get(0);
  GRAPHC_TRY(checkSlotIndex(index));
  const format::Slot &slot = *slots[index];
  const ExecutableFormat *format =
      formatOfType(nameOfDevice(deviceOf(model, program)).type.value_or(""));
  if (format && format->hasDeviceMemory() && !graph.host())
    return dataLoss("it reads slot %" + textOf(index) +
                    ", which is in the memory of a device");
  if (call.function() == format::HostFunction::Check) {
    if (slot.type()->dtype() != format::DType::Bool || slot.size() != 1)
      return dataLoss("it checks slot %" + textOf(index) +
                      ", which is not one bool");
    return call.value() == 0 ? Status::ok()
                             : dataLoss("it checks, but has a number");
  }
  if (slot.type()->dtype() == format::DType::String)
    return dataLoss("it prints slot %" + textOf(index) + ", which has strings");
  uint64_t elements = countElements(*slot.type());
  if (call.value() > elements)
    return dataLoss("it prints " + textOf(call.value()) +
                    " elements of slot %" + textOf(index) + ", which has " +
                    textOf(elements));
  return Status::ok();
}

Status ProgramVerifier::checkNextBatch(const format::HostCall &call) {
  if (call.index() >= model.datasets()->size())
    return outOfBounds("dataset", call.index(), model.datasets()->size());
  const format::Dataset &dataset = *model.datasets()->Get(call.index());
  GRAPHC_TRY(charge(*call.slots()));
  if (call.slots()->size() != dataset.fields()->size())
    return dataLoss("it has " + textOf(call.slots()->size()) +
                    " slots but dataset " +
                    quote(dataset.name()->string_view()) + " has " +
                    textOf(dataset.fields()->size()) + " fields");
  auto batch = static_cast<uint64_t>(dataset.batch());
  if (dataset.per_worker())
    batch *= graph.member();
  if (batch == 0)
    return dataLoss(
        "it takes a batch per worker, but is for no number of them");
  if (call.shard() >= call.shards() || batch % call.shards() != 0)
    return dataLoss("it takes shard " + textOf(call.shard()) + " of " +
                    textOf(call.shards()) + " of a batch of " + textOf(batch));
  uint64_t rows = batch / call.shards();
  for (uint32_t i = 0; i < call.slots()->size(); ++i) {
    uint32_t index = call.slots()->Get(i);
    GRAPHC_TRY(checkWritable(index));
    const format::DatasetField &field = *dataset.fields()->Get(i);
    GRAPHC_ASSIGN_OR_RETURN(uint64_t example, checkedBytes(*field.type()));
    if (slots[index]->size() != rows * example ||
        slots[index]->type()->dtype() != field.type()->dtype())
      return dataLoss("slot %" + textOf(index) + " does not hold a batch of " +
                      textOf(rows) + " of field " +
                      quote(field.name()->string_view()));
  }
  return Status::ok();
}

Status ProgramVerifier::checkTransfer(const Indices &edges,
                                      const Indices &slotList, bool writes) {
  GRAPHC_TRY(charge(edges));
  GRAPHC_TRY(charge(slotList));
  uint64_t count = graph.edges() ? graph.edges()->size() : 0;
  for (uint32_t edge : edges)
    if (edge >= count)
      return outOfBounds("edge", edge, count);
  for (uint32_t slot : slotList)
    GRAPHC_TRY(writes ? checkWritable(slot) : checkSlotIndex(slot));
  return Status::ok();
}

Status ProgramVerifier::checkAllReduce(const format::AllReduce &reduce) {
  GRAPHC_TRY(checkSlotIndex(reduce.source()));
  GRAPHC_TRY(checkWritable(reduce.target()));
  const format::Slot &source = *slots[reduce.source()];
  const format::Slot &target = *slots[reduce.target()];
  for (const format::Slot *slot : {&source, &target})
    if (slot->type()->dtype() != format::DType::Float32)
      return dataLoss("it adds up " + toTensorType(*slot->type()).toString() +
                      "; only float32 is possible");
  if (source.size() != target.size())
    return dataLoss("it adds up " + textOf(source.size()) +
                    " bytes to a slot of " + textOf(target.size()));
  bool shareBytes = reduce.source() == reduce.target() ||
                    (source.kind() == format::SlotKind::Arena &&
                     target.kind() == format::SlotKind::Arena &&
                     source.offset() < target.offset() + target.size() &&
                     target.offset() < source.offset() + source.size());
  if (shareBytes)
    return dataLoss("slots %" + textOf(reduce.source()) + " and %" +
                    textOf(reduce.target()) +
                    " share bytes; an AllReduce needs its terms and its sum "
                    "apart");
  return Status::ok();
}

Status ProgramVerifier::checkSlotIndex(uint32_t index) {
  if (index >= slots.size())
    return outOfBounds("slot", index, slots.size());
  return Status::ok();
}

Status ProgramVerifier::checkWritable(uint32_t index) {
  GRAPHC_TRY(checkSlotIndex(index));
  format::SlotKind kind = slots[index]->kind();
  if (kind == format::SlotKind::Arena || kind == format::SlotKind::Variable)
    return Status::ok();
  return dataLoss("it writes slot %" + textOf(index) + ", which is read-only");
}

// One list of a FlatBuffer may be named from many places, so a small file can
// describe a walk that takes hours; the budget ends it.
Status ProgramVerifier::charge(const Indices &list) {
  return runtime::charge(budget, list.size());
}

} // namespace graphc::runtime
