// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver API: streams, events, capture.
#include "test/cuda/emulator/Driver.h"

using namespace graphc::emulator;

namespace {

/// Refuses a call that must not be made during capture, and ends the capture.
CUresult refuseCaptured(const Call &call, Stream &stream) {
  stream.capture->isInvalid = true;
  return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                   "the stream is being captured; end the capture first");
}

CUresult failureOf(const Stream &stream) {
  return static_cast<CUresult>(stream.context->failure.code);
}

} // namespace

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  Call call("cuStreamCreate");
  if (call.error())
    return call.error();
  auto made = std::make_unique<Stream>();
  made->context = call.context;
  made->waitsForDefault = !(flags & CU_STREAM_NON_BLOCKING);
  made->lane = call.driver.timeline.addLane();
  *stream = call.driver.streams.add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  Call call("cuStreamDestroy");
  if (call.error())
    return call.error();
  return call.driver.streams.destroy(stream) ? CUDA_SUCCESS
                                             : call.noSuch("stream");
}

CUresult cuStreamSynchronize(CUstream stream) {
  StreamCall call("cuStreamSynchronize", stream);
  if (call.error())
    return call.error();
  if (call.stream->capture)
    return refuseCaptured(call, *call.stream);
  call.driver.catchUp(*call.stream);
  if (CUresult tooEarly = call.driver.hostWaits(call.stream->clock))
    return tooEarly;
  return failureOf(*call.stream);
}

CUresult cuStreamQuery(CUstream stream) {
  StreamCall call("cuStreamQuery", stream);
  if (call.error())
    return call.error();
  if (call.stream->capture)
    return refuseCaptured(call, *call.stream);
  // That all is done is known to the host from here on.
  if (CUresult tooEarly = call.driver.hostWaits(call.stream->clock))
    return tooEarly;
  return failureOf(*call.stream);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  StreamCall call("cuStreamWaitEvent", stream);
  if (call.error())
    return call.error();
  if (!call.driver.events.has(event))
    return call.noSuch("event");
  if (event->capture) {
    if (call.stream->capture && call.stream->capture != event->capture)
      return call.fail(CUDA_ERROR_STREAM_CAPTURE_MERGE,
                       "the event is of another capture");
    joinCapture(*call.stream, *event);
    return CUDA_SUCCESS;
  }
  if (call.stream->capture)
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                     "a captured stream cannot wait for an event that was "
                     "recorded outside of the capture");
  // An event that was never recorded is waited for by nobody.
  call.stream->clock.join(event->clock);
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  StreamCall call("cuStreamBeginCapture", stream);
  if (call.error())
    return call.error();
  Stream &target = *call.stream;
  if (&target == call.context->defaultStream.get())
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     "the default stream cannot be captured");
  if (target.capture)
    return call.fail(CUDA_ERROR_ILLEGAL_STATE,
                     "the stream is being captured already");
  target.capture = std::make_shared<Capture>();
  target.capture->origin = &target;
  target.capture->graph.context = call.context;
  target.capture->graph.branches = 1;
  target.branch = 0;
  target.front.clear();
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  StreamCall call("cuStreamEndCapture", stream);
  if (call.error())
    return call.error();
  *graph = nullptr;
  if (!call.stream->capture)
    return call.fail(CUDA_ERROR_ILLEGAL_STATE,
                     "the stream is not being captured");
  std::shared_ptr<Capture> capture = call.stream->capture;
  if (capture->origin != call.stream)
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                     "the capture began in another stream");
  bool isWhole = isJoined(*capture);
  call.driver.streams.each([&](Stream &each) {
    if (each.capture == capture)
      each.capture.reset();
  });
  if (capture->isInvalid)
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                     "an earlier error ended the capture: " +
                         call.driver.lastError);
  if (!isWhole)
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                     "the work of another stream is not waited for by the one "
                     "that began the capture; record an event there and wait "
                     "for it here");
  *graph = call.driver.graphs.add(
      std::make_unique<Graph>(std::move(capture->graph)));
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  StreamCall call("cuStreamIsCapturing", stream);
  if (call.error())
    return call.error();
  *status = !call.stream->capture ? CU_STREAM_CAPTURE_STATUS_NONE
            : call.stream->capture->isInvalid
                ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  Call call("cuEventCreate");
  if (call.error())
    return call.error();
  auto made = std::make_unique<Event>();
  made->context = call.context;
  made->hasTime = !(flags & CU_EVENT_DISABLE_TIMING);
  *event = call.driver.events.add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  Call call("cuEventDestroy");
  if (call.error())
    return call.error();
  return call.driver.events.destroy(event) ? CUDA_SUCCESS
                                           : call.noSuch("event");
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  StreamCall call("cuEventRecord", stream);
  if (call.error())
    return call.error();
  if (!call.driver.events.has(event))
    return call.noSuch("event");
  if (event->context != call.stream->context)
    return call.fail(CUDA_ERROR_INVALID_HANDLE,
                     "event and stream are of different devices");
  event->capture = call.stream->capture;
  event->front = call.stream->front;
  if (call.stream->capture)
    return CUDA_SUCCESS;
  call.driver.catchUp(*call.stream);
  event->isRecorded = true;
  event->clock = call.stream->clock;
  event->time = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
  Call call("cuEventSynchronize");
  if (call.error())
    return call.error();
  if (!call.driver.events.has(event))
    return call.noSuch("event");
  if (event->capture)
    return call.fail(CUDA_ERROR_CAPTURED_EVENT,
                     "the event was recorded in a captured stream");
  if (CUresult tooEarly = call.driver.hostWaits(event->clock))
    return tooEarly;
  return static_cast<CUresult>(event->context->failure.code);
}

CUresult cuEventQuery(CUevent event) { return cuEventSynchronize(event); }

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent begin,
                               CUevent end) {
  Call call("cuEventElapsedTime");
  if (call.error())
    return call.error();
  for (CUevent event : {begin, end})
    if (!call.driver.events.has(event) || !event->isRecorded || !event->hasTime)
      return call.fail(CUDA_ERROR_INVALID_HANDLE,
                       "both events must be recorded, with time");
  *milliseconds =
      std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, begin, end);
}
