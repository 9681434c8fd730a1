// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of a program on a GPU.
#include "runtime/gpu/GpuProgram.h"

namespace graphc::runtime {

GpuProgram::~GpuProgram() = default;

void GpuProgram::beginStep() {
  // What a step left that was given up must not see this one's values; its
  // failure was told.
  if (isBusy)
    (void)await().isOk();
  next = waited = 0;
}

cuda::Result GpuProgram::call(const Op &op) {
  const CudaApi &api = device().api();
  cuda::Stream queue = stream->handle();
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

Status GpuProgram::submitOp(const Op &op) {
  isBusy = true;
  if (op.kind == Kind::Library)
    return calls[op.call]->enqueue(stream->handle(),
                                   pointers.data() + op.first);
  return device().check(call(op), "the work");
}

Status GpuProgram::submitBody(Range range) {
  for (uint32_t i = range.begin; i < range.end; ++i)
    if (ops[i].kind != Kind::Record && ops[i].kind != Kind::Await)
      GRAPHC_TRY(submitOp(ops[i]));
  return Status::ok();
}

Status GpuProgram::submitAll(Range range) {
  GRAPHC_TRY(device().makeCurrent());
  for (uint32_t i = range.begin; i < range.end; ++i)
    GRAPHC_TRY(submitOp(ops[i]));
  return Status::ok();
}

Status GpuProgram::submitPiece(const Piece &piece) {
  const CudaApi &api = device().api();
  GRAPHC_TRY(device().makeCurrent());
  isBusy = true;
  for (cuda::Event event : piece.awaited)
    GRAPHC_TRY(device().check(api.streamWaitEvent(stream->handle(), event, 0),
                              "waiting"));
  if (piece.graph.handle())
    GRAPHC_TRY(device().check(
        api.graphLaunch(piece.graph.handle(), stream->handle()), "the work"));
  else
    GRAPHC_TRY(submitBody(piece.range));
  for (cuda::Event event : piece.recorded)
    GRAPHC_TRY(
        device().check(api.eventRecord(event, stream->handle()), "the work"));
  return Status::ok();
}

Status GpuProgram::submit(uint32_t instruction) {
  if (instruction < next)
    return Status::ok();
  next = instruction + 1;
  if (isStepwise) {
    GRAPHC_TRY(submitAll(rangeOf(instruction)));
    return await();
  }
  if (pieceEnding[instruction] == kNoPiece)
    return Status::ok();
  return submitPiece(pieces[pieceEnding[instruction]]);
}

Status GpuProgram::repeat(uint32_t instruction) {
  GRAPHC_TRY(submitAll(rangeOf(instruction)));
  return await();
}

Status GpuProgram::await() {
  if (!isBusy)
    return Status::ok();
  GRAPHC_TRY(stream->await());
  isBusy = false;
  waited = next;
  return Status::ok();
}

Status GpuProgram::finish() {
  if (count() == 0) {
    GRAPHC_TRY(submitAll({0, static_cast<uint32_t>(ops.size())}));
  } else if (next < count()) {
    GRAPHC_TRY(device().makeCurrent());
    for (uint32_t i = epilogue.begin; i < epilogue.end; ++i)
      if (readyAfter[i - epilogue.begin] <= next)
        GRAPHC_TRY(submitOp(ops[i]));
  }
  return await();
}

std::span<const std::byte> GpuProgram::contents(uint32_t slot) {
  if (!await().isOk())
    return {};
  seen.resize(slotBytes(slot));
  if (!download(device(), seen, spec.slots->address(slot)).isOk())
    return {};
  return seen;
}

size_t GpuProgram::graphs() const {
  size_t count = 0;
  for (const Piece &piece : pieces)
    count += piece.graph.handle() ? 1 : 0;
  return count;
}

} // namespace graphc::runtime
