// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/driver/CudaStream.h"

namespace graphc::runtime {

StatusOr<std::shared_ptr<CudaEvent>>
CudaEvent::create(const CudaDevice &device) {
  std::shared_ptr<CudaEvent> made(new CudaEvent(device));
  GRAPHC_TRY(device.makeCurrent());
  GRAPHC_TRY(device.check(
      device.api().eventCreate(&made->event, cuda::kEventBlockingSync |
                                                 cuda::kEventDisableTiming),
      "making an event"));
  return made;
}

CudaEvent::~CudaEvent() {
  if (event && device.makeCurrent().isOk())
    device.api().eventDestroy(event);
}

CudaGraph::~CudaGraph() {
  if (exec && device->makeCurrent().isOk())
    device->api().graphExecDestroy(exec);
}

void CudaGraph::swap(CudaGraph &other) noexcept {
  std::swap(device, other.device);
  std::swap(exec, other.exec);
}

StatusOr<std::unique_ptr<CudaStream>>
CudaStream::create(const CudaDevice &device) {
  std::unique_ptr<CudaStream> made(new CudaStream(device));
  GRAPHC_TRY(device.makeCurrent());
  GRAPHC_TRY(device.check(
      device.api().streamCreate(&made->stream, cuda::kStreamNonBlocking),
      "making a stream"));
  GRAPHC_ASSIGN_OR_RETURN(made->end, CudaEvent::create(device));
  return made;
}

CudaStream::~CudaStream() {
  if (!stream || !device.makeCurrent().isOk())
    return;
  device.api().streamSynchronize(stream);
  device.api().streamDestroy(stream);
}

Status CudaStream::await() {
  GRAPHC_TRY(device.makeCurrent());
  const CudaApi &api = device.api();
  // Waiting for the stream itself would keep the thread's core busy.
  GRAPHC_TRY(device.check(api.eventRecord(end->handle(), stream), "the work"));
  return device.check(api.eventSynchronize(end->handle()), "the work");
}

StatusOr<CudaGraph> CudaStream::capture(const std::function<Status()> &submit) {
  GRAPHC_TRY(device.makeCurrent());
  const CudaApi &api = device.api();
  GRAPHC_TRY(
      device.check(api.streamBeginCapture(stream, cuda::kCaptureThreadLocal),
                   "beginning a graph"));
  Status submitted = submit();
  cuda::Graph graph = nullptr;
  // The capture must end in any case.
  Status ended =
      device.check(api.streamEndCapture(stream, &graph), "ending a graph");
  CudaGraph made;
  made.device = &device;
  if (submitted.isOk() && ended.isOk())
    ended = device.check(api.graphInstantiate(&made.exec, graph, 0),
                         "making a graph executable");
  if (graph)
    api.graphDestroy(graph);
  GRAPHC_TRY(submitted);
  GRAPHC_TRY(ended);
  return made;
}

} // namespace graphc::runtime
