// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of a program on a GPU.
#include "runtime/target/cuda/program/CudaProgram.h"

#include <algorithm>

namespace graphc::runtime {

CudaProgram::~CudaProgram() {
  // What the streams use goes before them.
  if (awaitSums().isOk())
    (void)await().isOk();
}

void CudaProgram::beginStep() {
  // What a step left that was given up must not see this one's values; its
  // failure was told.
  if (awaitSums().isOk())
    (void)await().isOk();
  hasSums = false;
  next = waited = 0;
  if (spec.collectives)
    spec.collectives->beginStep(spec.program);
}

cuda::Result CudaProgram::call(const Op &op, cuda::Stream queue) {
  const CudaApi &api = device().api();
  switch (op.kind) {
  case Kind::Launch:
    return api.launchKernel(op.function, op.grid, 1, 1, op.block, 1, 1, 0,
                            queue, parameters.data() + op.first, nullptr);
  case Kind::Copy:
    return api.copyOnDeviceAsync(op.target, op.source, op.bytes, queue);
  case Kind::FillBytes:
    return api.fillBytesAsync(op.target, static_cast<unsigned char>(op.pattern),
                              op.bytes, queue);
  case Kind::FillWords:
    return api.fillWordsAsync(op.target, op.pattern,
                              op.bytes / sizeof(op.pattern), queue);
  case Kind::Upload:
    return api.copyToDeviceAsync(op.target, op.host, op.bytes, queue);
  case Kind::Download:
    return api.copyToHostAsync(op.host, op.source, op.bytes, queue);
  case Kind::CopyToPeer:
    return api.copyToPeerAsync(op.target, op.peer, op.source,
                               device().context(), op.bytes, queue);
  case Kind::Record:
    return api.eventRecord(op.event, queue);
  case Kind::Await:
    return api.streamWaitEvent(queue, op.event, 0);
  case Kind::Library:
    break; // see submitOp
  }
  return cuda::kSuccess;
}

Status CudaProgram::submitOp(const Op &op, GpuStream stream) {
  isBusy[static_cast<size_t>(stream)] = true;
  cuda::Stream queue = streams[static_cast<size_t>(stream)]->handle();
  if (op.kind == Kind::Library)
    return calls[op.call]->enqueue(queue, pointers.data() + op.first);
  return device().check(call(op, queue), "the work");
}

/// In one stream, where nothing has to wait.
Status CudaProgram::submitAlone(Range range) {
  GRAPHC_TRY(device().makeCurrent());
  for (uint32_t i = range.begin; i < range.end; ++i)
    GRAPHC_TRY(submitOp(ops[i], GpuStream::Compute));
  return Status::ok();
}

Status CudaProgram::submitScript(const Script &script) {
  for (uint32_t op : script)
    GRAPHC_TRY(submitOp(ops[op], ops[op].stream));
  return Status::ok();
}

Status CudaProgram::submitSegment(const Segment &segment) {
  GRAPHC_TRY(submitScript(segment.before));
  if (segment.graph.handle()) {
    // What the other streams do in it is done when the graph is.
    constexpr auto kStream = static_cast<size_t>(GpuStream::Compute);
    isBusy[kStream] = true;
    GRAPHC_TRY(
        device().check(device().api().graphLaunch(segment.graph.handle(),
                                                  streams[kStream]->handle()),
                       "the work"));
  } else {
    GRAPHC_TRY(submitScript(segment.body));
  }
  return submitScript(segment.after);
}

Status CudaProgram::submit(uint32_t instruction) {
  if (instruction < next)
    return Status::ok();
  next = instruction + 1;
  if (isStepwise)
    return repeat(instruction);
  bool isSegmentWhole = segmentEnding[instruction] != kNoSegment;
  if (early[instruction].empty() && !isSegmentWhole)
    return Status::ok();
  GRAPHC_TRY(device().makeCurrent());
  GRAPHC_TRY(submitScript(early[instruction]));
  if (!isSegmentWhole)
    return Status::ok();
  GRAPHC_TRY(submitSegment(segments[segmentEnding[instruction]]));
  return arrive(instruction);
}

Status CudaProgram::repeat(uint32_t instruction) {
  GRAPHC_TRY(submitAlone(rangeOf(instruction)));
  GRAPHC_TRY(await());
  return arrive(instruction);
}

/// Arrives at a sum that other programs make with this one.
Status CudaProgram::arrive(uint32_t instruction) {
  if (!isOwnSum(instruction))
    return Status::ok();
  GRAPHC_TRY(spec.collectives->arrive(spec.program, instruction));
  hasSums = true;
  if (!isStepwise || !isDone(instruction))
    return Status::ok();
  // Its failures are known by its op in the program that came last.
  GRAPHC_TRY(awaitSums());
  return await();
}

/// Sums that were submitted and that no instruction waited for.
Status CudaProgram::awaitSums() {
  if (!hasSums)
    return Status::ok();
  constexpr auto kStream = static_cast<size_t>(GpuStream::Compute);
  GRAPHC_TRY(device().makeCurrent());
  isBusy[kStream] = true;
  for (cuda::Event event : spec.collectives->allDone(spec.program))
    GRAPHC_TRY(device().check(
        device().api().streamWaitEvent(streams[kStream]->handle(), event, 0),
        "waiting"));
  return Status::ok();
}

Status CudaProgram::awaitSent(uint32_t instruction) {
  const Segment &segment = segments[segmentEnding[instruction]];
  if (!segment.sent)
    return Status::ok();
  GRAPHC_TRY(device().makeCurrent());
  GRAPHC_TRY(device().check(device().api().eventSynchronize(segment.sent),
                            "the work"));
  waited = std::max(waited, segment.doneThen);
  return Status::ok();
}

bool CudaProgram::overwritesSent(uint32_t instruction) const {
  uint32_t segment = segmentEnding[instruction];
  return segment != kNoSegment && segments[segment].overwritesSent;
}

Status CudaProgram::await() {
  bool hasWaited = false;
  for (size_t stream = 0; stream < kGpuStreams; ++stream) {
    if (!isBusy[stream])
      continue;
    GRAPHC_TRY(streams[stream]->await());
    isBusy[stream] = false;
    hasWaited = true;
  }
  if (hasWaited)
    waited = next;
  return Status::ok();
}

Status CudaProgram::finish() {
  if (count() == 0) {
    GRAPHC_TRY(submitAlone({0, epilogue.end}));
  } else if (next < count()) {
    GRAPHC_TRY(awaitSums());
    GRAPHC_TRY(await());
    GRAPHC_TRY(device().makeCurrent());
    for (uint32_t i = epilogue.begin; i < epilogue.end; ++i)
      if (readyAfter[i - epilogue.begin] <= next)
        GRAPHC_TRY(submitOp(ops[i], GpuStream::Compute));
  }
  GRAPHC_TRY(await());
  // Here or by those that use them, all sums were waited for.
  hasSums = false;
  return Status::ok();
}

std::span<const std::byte> CudaProgram::contents(uint32_t slot) {
  if (!awaitSums().isOk() || !await().isOk())
    return {};
  seen.resize(slotBytes(slot));
  if (!download(device(), seen, spec.slots->address(slot)).isOk())
    return {};
  return seen;
}

bool CudaProgram::isDone(uint32_t instruction) const {
  if (isOwnSum(instruction))
    return spec.collectives->isSubmitted(spec.program, instruction);
  return !isLeftOut(instruction);
}

size_t CudaProgram::graphs() const {
  size_t count = 0;
  for (const Segment &segment : segments)
    count += segment.graph.handle() ? 1 : 0;
  return count;
}

} // namespace graphc::runtime
