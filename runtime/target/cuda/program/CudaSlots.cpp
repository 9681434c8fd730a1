// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/program/CudaSlots.h"

#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

constexpr size_t kAlignment = 64;

size_t padded(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Slots that the host writes to a program and reads from it.
struct HostSlots {
  std::set<uint32_t> given, taken;
};

HostSlots hostSlotsOf(const format::Graph &graph, uint32_t number,
                      const ModelDevices &gpus) {
  HostSlots slots;
  auto isOnGpu = [&](uint32_t program) {
    return CudaPlanDevice::find(gpus, *graph.programs()->Get(program));
  };
  for (const format::Port *feed : *graph.feeds())
    if (feed->program() == number)
      slots.given.insert(feed->slot());
  for (const format::Port *fetch : *graph.fetches())
    if (fetch->program() == number)
      slots.taken.insert(fetch->slot());
  for (const format::Instruction *instruction :
       *graph.programs()->Get(number)->instructions()) {
    if (const auto *call = instruction->action_as_HostCall())
      slots.given.insert(call->slots()->begin(), call->slots()->end());
    if (const auto *send = instruction->action_as_Send())
      for (uint32_t i = 0; i < send->edges()->size(); ++i)
        if (!isOnGpu(graph.edges()->Get(send->edges()->Get(i))->target()))
          slots.taken.insert(send->slots()->Get(i));
    if (const auto *recv = instruction->action_as_Recv())
      for (uint32_t i = 0; i < recv->edges()->size(); ++i)
        if (!isOnGpu(graph.edges()->Get(recv->edges()->Get(i))->source()))
          slots.given.insert(recv->slots()->Get(i));
  }
  return slots;
}

/// The slot that an edge is received in.
StatusOr<uint32_t> slotOfEdge(const format::Program &program, uint32_t edge) {
  for (const format::Instruction *instruction : *program.instructions())
    if (const auto *recv = instruction->action_as_Recv())
      for (uint32_t i = 0; i < recv->edges()->size(); ++i)
        if (recv->edges()->Get(i) == edge)
          return recv->slots()->Get(i);
  return dataLoss("edge " + std::to_string(edge) +
                  " is not received; compile the model again");
}

} // namespace

StatusOr<std::unique_ptr<CudaSlots>>
CudaSlots::create(const Model &model, const format::Graph &graph,
                  uint32_t program, const ModelDevices &gpus) {
  const format::Program &source = *graph.programs()->Get(program);
  std::unique_ptr<CudaSlots> slots(
      new CudaSlots(*CudaPlanDevice::find(gpus, source)));
  GRAPHC_TRY(slots->allocate(source));
  GRAPHC_TRY(slots->place(model, source, gpus));
  GRAPHC_TRY(slots->stage(graph, program, gpus));
  return slots;
}

Status CudaSlots::allocate(const format::Program &program) {
  const CudaDevice &device = owner->device();
  for (const format::Slot *slot : *program.slots())
    if (slot->kind() == format::SlotKind::StepState)
      replicas.insert(slot->index());
  size_t stateBytes = replicas.size() * kStateBytes;
  GRAPHC_ASSIGN_OR_RETURN(
      arena, CudaBuffer::allocate(device, program.arena_bytes(), "the values"));
  GRAPHC_ASSIGN_OR_RETURN(scratchMemory,
                          CudaBuffer::allocate(device,
                                               program.device_scratch_bytes(),
                                               "the kernels' scratch"));
  GRAPHC_ASSIGN_OR_RETURN(
      stateMemory, CudaBuffer::allocate(device, stateBytes, "the step state"));
  GRAPHC_ASSIGN_OR_RETURN(
      stateStaging,
      PinnedBuffer::allocate(device, stateBytes, "the step state"));
  return Status::ok();
}

Status CudaSlots::place(const Model &model, const format::Program &program,
                        const ModelDevices &gpus) {
  places.resize(program.slots()->size());
  for (uint32_t i = 0; i < program.slots()->size(); ++i) {
    const format::Slot &slot = *program.slots()->Get(i);
    cuda::Pointer address = 0;
    switch (slot.kind()) {
    case format::SlotKind::Arena:
      address = arena.address() + slot.offset();
      break;
    case format::SlotKind::Variable:
      address = gpus.variable(slot.index());
      break;
    case format::SlotKind::Constant: {
      GRAPHC_ASSIGN_OR_RETURN(address, owner->constant(model, *slot.data()));
      // Whoever takes a constant finds it in the file.
      places[i] = const_cast<std::byte *>(model.blob(*slot.data()).data());
      break;
    }
    case format::SlotKind::StepState:
      address =
          stateMemory.address() +
          kStateBytes * static_cast<size_t>(std::distance(
                            replicas.begin(), replicas.find(slot.index())));
      break;
    }
    addresses.push_back(address);
  }
  return Status::ok();
}

/// Gives pinned memory to the slots that the host sees.
Status CudaSlots::stage(const format::Graph &graph, uint32_t number,
                        const ModelDevices &gpus) {
  const format::Program &program = *graph.programs()->Get(number);
  HostSlots host = hostSlotsOf(graph, number, gpus);
  std::set<uint32_t> staged = host.given;
  for (uint32_t slot : host.taken)
    if (!places[slot])
      staged.insert(slot);
  size_t bytes = 0;
  for (uint32_t slot : staged)
    bytes += padded(program.slots()->Get(slot)->size());
  GRAPHC_ASSIGN_OR_RETURN(
      staging,
      PinnedBuffer::allocate(owner->device(), bytes, "values for the host"));
  std::byte *next = staging.data();
  for (uint32_t slot : staged) {
    places[slot] = next;
    next += padded(program.slots()->Get(slot)->size());
  }
  kept.resize(places.size());
  for (uint32_t slot : host.given)
    kept[slot] = !host.taken.contains(slot);
  for (const format::Port *feed : *graph.feeds())
    if (feed->program() == number)
      feedSlots.push_back(feed->slot());
  for (const format::Port *fetch : *graph.fetches())
    if (fetch->program() == number && staged.contains(fetch->slot()))
      fetchSlots.push_back(fetch->slot());
  for (std::vector<uint32_t> *slots : {&feedSlots, &fetchSlots}) {
    std::sort(slots->begin(), slots->end());
    slots->erase(std::unique(slots->begin(), slots->end()), slots->end());
  }
  return Status::ok();
}

const GpuTransfer *CudaSlots::transfer(uint32_t instruction) const {
  auto found = transfers.find(instruction);
  return found == transfers.end() ? nullptr : &found->second;
}

const CudaEvent *CudaSlots::arrival(uint32_t edge) const {
  auto found = arrivals.find(edge);
  return found == arrivals.end() ? nullptr : found->second.get();
}

Status linkCudaSlots(const format::Graph &graph,
                     std::span<CudaSlots *const> programs) {
  for (uint32_t p = 0; p < programs.size(); ++p) {
    if (!programs[p])
      continue;
    const auto &instructions = *graph.programs()->Get(p)->instructions();
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const auto *send = instructions.Get(i)->action_as_Send();
      if (!send || send->edges()->size() == 0)
        continue;
      // All edges of a Send go to one program.
      uint32_t to = graph.edges()->Get(send->edges()->Get(0))->target();
      CudaSlots *receiver = programs[to];
      if (!receiver)
        continue;
      GpuTransfer &transfer = programs[p]->transfers[i];
      const CudaDevice &source = programs[p]->planDevice().device();
      transfer.target = &receiver->planDevice().device();
      GRAPHC_ASSIGN_OR_RETURN(transfer.event, CudaEvent::create(source));
      if (transfer.target->facts().number != source.facts().number)
        GRAPHC_TRY(source.enablePeer(*transfer.target));
      for (uint32_t at = 0; at < send->edges()->size(); ++at) {
        uint32_t edge = send->edges()->Get(at);
        GRAPHC_ASSIGN_OR_RETURN(uint32_t slot,
                                slotOfEdge(*graph.programs()->Get(to), edge));
        transfer.copies.push_back(
            {receiver->address(slot),
             programs[p]->address(send->slots()->Get(at)),
             graph.programs()->Get(to)->slots()->Get(slot)->size()});
        receiver->arrivals[edge] = transfer.event;
      }
    }
  }
  return Status::ok();
}

} // namespace graphc::runtime
