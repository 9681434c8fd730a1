// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events and replayable graphs of a GPU, destroyed with their owners.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDASTREAM_H
#define GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDASTREAM_H

#include "runtime/target/cuda/driver/CudaDevice.h"

#include <functional>

namespace graphc::runtime {

/// A point in a stream; a thread that waits for it sleeps.
/// Thread-safety: const.
class CudaEvent {
public:
  /// `device` must outlive the event.
  static StatusOr<std::shared_ptr<CudaEvent>> create(const CudaDevice &device);
  ~CudaEvent();
  CudaEvent(const CudaEvent &) = delete;
  CudaEvent &operator=(const CudaEvent &) = delete;

  cuda::Event handle() const { return event; }

private:
  explicit CudaEvent(const CudaDevice &device) : device(device) {}

  const CudaDevice &device;
  cuda::Event event = nullptr;
};

/// Work that was captured from a stream, to be replayed as a whole.
/// Thread-safety: as a value type.
class CudaGraph {
public:
  CudaGraph() = default;
  CudaGraph(CudaGraph &&other) noexcept { swap(other); }
  CudaGraph &operator=(CudaGraph &&other) noexcept {
    swap(other);
    return *this;
  }
  ~CudaGraph();

  /// Null: nothing was captured.
  cuda::GraphExec handle() const { return exec; }

private:
  friend class CudaStream;
  void swap(CudaGraph &other) noexcept;

  const CudaDevice *device = nullptr;
  cuda::GraphExec exec = nullptr;
};

/// A queue of work. Thread-safety: one call at a time.
class CudaStream {
public:
  /// `device` must outlive the stream.
  static StatusOr<std::unique_ptr<CudaStream>> create(const CudaDevice &device);
  /// Waits for the work.
  ~CudaStream();
  CudaStream(const CudaStream &) = delete;
  CudaStream &operator=(const CudaStream &) = delete;

  cuda::Stream handle() const { return stream; }

  /// Returns when all work is done; the thread sleeps meanwhile. The failure is
  /// the device's, and stays.
  Status await();

  /// Makes a graph of what `submit` puts into this stream, which is not done
  /// now.
  StatusOr<CudaGraph> capture(const std::function<Status()> &submit);

private:
  explicit CudaStream(const CudaDevice &device) : device(device) {}

  const CudaDevice &device;
  cuda::Stream stream = nullptr;
  std::shared_ptr<CudaEvent> end;
};

} // namespace graphc::runtime

#endif
