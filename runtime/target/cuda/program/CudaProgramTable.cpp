// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the flat table of a program on a GPU.
#include "runtime/target/cuda/program/CudaProgram.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"

#include <cstring>

namespace graphc::runtime {

namespace {

/// Repeats the pattern of a fill over `bytes` bytes.
std::vector<std::byte> repeated(const flatbuffers::Vector<uint8_t> &pattern,
                                size_t bytes) {
  std::vector<std::byte> values(bytes);
  for (size_t i = 0; i < bytes; ++i)
    values[i] = std::byte{pattern.Get(i % pattern.size())};
  return values;
}

/// The word that a pattern of 2, 4 or 8 bytes repeats in `bytes` bytes, if
/// there is one.
std::optional<uint32_t> wordOf(const flatbuffers::Vector<uint8_t> &pattern,
                               size_t bytes) {
  uint32_t first = 0, second = 0;
  if (bytes % sizeof(first))
    return std::nullopt;
  if (pattern.size() == sizeof(uint16_t)) {
    std::vector<std::byte> word = repeated(pattern, sizeof(first));
    std::memcpy(&first, word.data(), sizeof(first));
    return first;
  }
  std::memcpy(&first, pattern.data(), sizeof(first));
  std::memcpy(&second, pattern.data() + pattern.size() - sizeof(second),
              sizeof(second));
  return first == second ? std::optional(first) : std::nullopt;
}

bool isIn(const flatbuffers::Vector<uint32_t> &slots, uint32_t slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

GpuRange rangeAt(const std::byte *host, size_t bytes) {
  auto begin = reinterpret_cast<uint64_t>(host);
  return {begin, begin + bytes};
}

bool writes(const format::Instruction &instruction, uint32_t slot) {
  bool found = false;
  forEachWrite(instruction,
               [&](uint32_t written) { found |= written == slot; });
  return found;
}

} // namespace

StatusOr<std::unique_ptr<CudaProgram>>
CudaProgram::create(const CudaProgramSpec &spec) {
  std::unique_ptr<CudaProgram> made(new CudaProgram(spec));
  for (std::unique_ptr<CudaStream> &stream : made->streams) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<CudaStream> opened,
                            CudaStream::create(made->device()));
    stream = std::move(opened);
  }
  GRAPHC_TRY(made->addOps());
  GRAPHC_TRY(made->makeSegments());
  return made;
}

Status CudaProgram::addOps() {
  addPrologue();
  for (uint32_t i = 0; i < count(); ++i) {
    // The first instruction has the prologue, the last one the epilogue.
    firstOp.push_back(i == 0 ? 0 : ops.size());
    GRAPHC_TRY(addInstruction(i));
  }
  addEpilogue();
  firstOp.push_back(ops.size());
  // Pointers stay where they are from here on.
  for (cuda::Pointer &pointer : pointers)
    parameters.push_back(&pointer);
  return Status::ok();
}

void CudaProgram::addOp(const Op &op, GpuUses used) {
  ops.push_back(op);
  uses.push_back(std::move(used));
}

void CudaProgram::addUpload(std::byte *host, cuda::Pointer target,
                            size_t bytes) {
  if (bytes == 0)
    return;
  Op op;
  op.kind = Kind::Upload;
  op.stream = GpuStream::Upload;
  op.host = host;
  op.target = target;
  op.bytes = bytes;
  addOp(op, {{rangeAt(host, bytes)}, {{target, target + bytes}}});
}

void CudaProgram::addUpload(uint32_t slot) {
  addUpload(spec.slots->hostPlace(slot), spec.slots->address(slot),
            slotBytes(slot));
}

void CudaProgram::addDownload(uint32_t slot) {
  if (slotBytes(slot) == 0)
    return;
  Op op;
  op.kind = Kind::Download;
  op.stream = GpuStream::Download;
  op.host = spec.slots->hostPlace(slot);
  op.source = spec.slots->address(slot);
  op.bytes = slotBytes(slot);
  addOp(op, {{rangeOfSlot(slot)}, {rangeAt(op.host, op.bytes)}});
}

void CudaProgram::addPrologue() {
  std::span<std::byte> states = spec.slots->hostStates();
  addUpload(states.data(), spec.slots->states(), states.size());
  for (uint32_t slot : spec.slots->feeds())
    addUpload(slot);
}

void CudaProgram::addEpilogue() {
  epilogue.begin = ops.size();
  for (uint32_t slot : spec.slots->fetches()) {
    uint32_t ready = count();
    while (ready > 0 &&
           !writes(*program().instructions()->Get(ready - 1), slot))
      --ready;
    size_t before = ops.size();
    addDownload(slot);
    if (ops.size() > before)
      readyAfter.push_back(ready);
  }
  epilogue.end = ops.size();
}

Status CudaProgram::addInstruction(uint32_t number) {
  const format::Instruction &instruction =
      *program().instructions()->Get(number);
  addUsedSums(number);
  if (isLeftOut(number))
    return Status::ok();
  if (const auto *dispatch = instruction.action_as_Dispatch())
    return addDispatch(*dispatch);
  if (const auto *fill = instruction.action_as_Fill())
    return addFill(*fill);
  if (const auto *copy = instruction.action_as_Copy()) {
    Op op;
    op.kind = Kind::Copy;
    op.target = spec.slots->address(copy->target());
    op.source = spec.slots->address(copy->source());
    op.bytes = slotBytes(copy->target());
    if (op.bytes > 0 && op.target != op.source)
      addOp(op, {{rangeOfSlot(copy->source())}, {rangeOfSlot(copy->target())}});
  } else if (const auto *call = instruction.action_as_HostCall()) {
    for (uint32_t slot : *call->slots())
      addUpload(slot);
  } else if (const auto *send = instruction.action_as_Send()) {
    addSend(number, *send);
  } else if (const auto *recv = instruction.action_as_Recv()) {
    addRecv(*recv);
  } else if (isOwnSum(number)) {
    addEvent(Kind::Record, GpuStream::Compute,
             spec.collectives->ready(spec.program, number), usesOfSum(number));
  }
  return Status::ok();
}

bool CudaProgram::isLeftOut(uint32_t instruction) const {
  return spec.collectives && spec.collectives->leavesOut(
                                 *program().instructions()->Get(instruction));
}

/// True when the instruction is an AllReduce that a library does.
bool CudaProgram::isOwnSum(uint32_t instruction) const {
  return spec.collectives &&
         program().instructions()->Get(instruction)->action_as_AllReduce();
}

/// Ranges of an AllReduce's slots that a library reads and writes.
GpuUses CudaProgram::usesOfSum(uint32_t reduce) const {
  const format::AllReduce &sum =
      *program().instructions()->Get(reduce)->action_as_AllReduce();
  return {{rangeOfSlot(sum.source())}, {rangeOfSlot(sum.target())}};
}

/// Lets the streams that the instruction is done in wait for sums.
void CudaProgram::addUsedSums(uint32_t instruction) {
  if (!spec.collectives)
    return;
  const format::Instruction &user = *program().instructions()->Get(instruction);
  bool mayUpload = user.action_as_HostCall() || user.action_as_Recv();
  for (uint32_t reduce : spec.collectives->usedAt(spec.program, instruction)) {
    cuda::Event done = spec.collectives->done(spec.program, reduce);
    if (mayUpload)
      addEvent(Kind::Await, GpuStream::Upload, done, usesOfSum(reduce));
    addEvent(Kind::Await, GpuStream::Compute, done, usesOfSum(reduce));
  }
}

void CudaProgram::addEvent(Kind kind, GpuStream stream, cuda::Event event,
                           GpuUses used) {
  Op op;
  op.kind = kind;
  op.stream = stream;
  op.event = event;
  addOp(op, std::move(used));
}

Status CudaProgram::addDispatch(const format::Dispatch &dispatch) {
  const auto *stages =
      cudaExecutable(*spec.model)->kernels()->Get(dispatch.kernel())->stages();
  for (uint32_t stage = 0; stages && stage < stages->size(); ++stage)
    GRAPHC_TRY(addStage(dispatch, stage));
  return Status::ok();
}

Status CudaProgram::addStage(const format::Dispatch &dispatch,
                             uint32_t number) {
  const format::GpuKernel &kernel =
      *cudaExecutable(*spec.model)->kernels()->Get(dispatch.kernel());
  const format::GpuStage &stage = *kernel.stages()->Get(number);
  Op op;
  op.first = pointers.size();
  // Scratch is of one stream alone.
  GpuUses used;
  uint64_t lastBytes = 0;
  for (uint32_t buffer : *stage.buffers()) {
    if (buffer < kernel.buffers()) {
      uint32_t slot = dispatch.slots()->Get(buffer);
      pointers.push_back(spec.slots->address(slot));
      lastBytes = slotBytes(slot);
      (isIn(*dispatch.outputs(), slot) ? used.writes : used.reads)
          .push_back(rangeOfSlot(slot));
    } else {
      const format::GpuExtent &part =
          *kernel.scratch()->Get(buffer - kernel.buffers());
      pointers.push_back(spec.slots->scratch() + part.offset());
      lastBytes = part.size();
    }
  }
  CudaPlanDevice &planDevice = spec.slots->planDevice();
  if (const auto *launch = stage.call_as_GpuLaunch()) {
    op.function = planDevice.module().function(dispatch.kernel(), number);
    op.grid = launch->grid();
    op.block = launch->block();
  } else {
    // The last buffer of a library's call is its workspace.
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<GpuLibraryCall> call,
                            planDevice.libraries().prepare(stage, lastBytes));
    op.kind = Kind::Library;
    op.call = calls.size();
    calls.push_back(std::move(call));
  }
  addOp(op, std::move(used));
  return Status::ok();
}

Status CudaProgram::addFill(const format::Fill &fill) {
  const auto &pattern = *fill.pattern();
  Op op;
  op.target = spec.slots->address(fill.target());
  op.bytes = slotBytes(fill.target());
  if (op.bytes == 0)
    return Status::ok();
  if (pattern.size() == 1) {
    op.kind = Kind::FillBytes;
    op.pattern = pattern.Get(0);
  } else if (std::optional<uint32_t> word = wordOf(pattern, op.bytes)) {
    op.kind = Kind::FillWords;
    op.pattern = *word;
  } else {
    // The driver fills with four bytes at most, and with whole words.
    GRAPHC_ASSIGN_OR_RETURN(
        CudaBuffer values,
        CudaBuffer::allocate(device(), op.bytes, "the values of a fill"));
    GRAPHC_TRY(upload(device(), values.address(), repeated(pattern, op.bytes)));
    op.kind = Kind::Copy;
    op.source = values.address();
    patterns.push_back(std::move(values));
  }
  addOp(op, {{}, {rangeOfSlot(fill.target())}});
  return Status::ok();
}

void CudaProgram::addSend(uint32_t instruction, const format::Send &send) {
  const GpuTransfer *transfer = spec.slots->transfer(instruction);
  if (!transfer) {
    for (uint32_t slot : *send.slots())
      if (program().slots()->Get(slot)->kind() != format::SlotKind::Constant)
        addDownload(slot);
    return;
  }
  for (const GpuTransfer::Copy &copy : transfer->copies) {
    Op op;
    op.kind = Kind::CopyToPeer;
    op.target = copy.target;
    op.source = copy.source;
    op.bytes = copy.bytes;
    op.peer = transfer->target->context();
    if (op.bytes > 0)
      addOp(op, {{{op.source, op.source + op.bytes}}, {}});
  }
  addEvent(Kind::Record, GpuStream::Compute, transfer->event->handle(), {});
}

void CudaProgram::addRecv(const format::Recv &recv) {
  const CudaEvent *last = nullptr;
  for (uint32_t i = 0; i < recv.edges()->size(); ++i) {
    uint32_t slot = recv.slots()->Get(i);
    const CudaEvent *event = spec.slots->arrival(recv.edges()->Get(i));
    if (!event) {
      addUpload(slot);
      continue;
    }
    if (event != last) {
      addEvent(Kind::Await, GpuStream::Compute, event->handle(), {});
      last = event;
    }
    // The other GPU wrote this.
    uses.back().writes.push_back(rangeOfSlot(slot));
  }
}

} // namespace graphc::runtime
