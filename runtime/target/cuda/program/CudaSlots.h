// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of the slots of a GPU's program: on the device, and, for those that
// the host or another task gives or takes, in pinned memory of the host too.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDASLOTS_H
#define GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDASLOTS_H

#include "runtime/target/cuda/driver/CudaStream.h"
#include "runtime/target/cuda/program/CudaPlanDevice.h"

#include <map>
#include <set>
#include <span>
#include <vector>

namespace graphc::runtime {

/// A Send to another GPU of this process: each value is copied into the slot
/// that receives it, and the event marks that.
struct GpuTransfer {
  struct Copy {
    cuda::Pointer target = 0, source = 0;
    size_t bytes = 0;
  };
  std::vector<Copy> copies;
  const CudaDevice *target = nullptr;
  std::shared_ptr<CudaEvent> event;
};

/// Thread-safety: const after linkCudaSlots().
class CudaSlots final : public DeviceSlots {
public:
  static StatusOr<std::unique_ptr<CudaSlots>> create(const Model &model,
                                                     const format::Graph &graph,
                                                     uint32_t program,
                                                     const ModelDevices &gpus);

  CudaPlanDevice &planDevice() const { return *owner; }
  Device &device() const override { return *owner; }

  cuda::Pointer address(uint32_t slot) const { return addresses[slot]; }
  /// The start of the memory that kernels use one after the other.
  cuda::Pointer scratch() const { return scratchMemory.address(); }

  std::byte *hostPlace(uint32_t slot) const override { return places[slot]; }
  /// Slots that the host writes before (feeds) or reads after a step (fetches).
  const std::vector<uint32_t> &feeds() const { return feedSlots; }
  const std::vector<uint32_t> &fetches() const { return fetchSlots; }
  bool keepsInput(uint32_t slot) const override { return kept[slot]; }

  std::span<std::byte> hostStates() const override {
    return {stateStaging.data(), stateStaging.size()};
  }
  /// The same states on the device.
  cuda::Pointer states() const { return stateMemory.address(); }

  /// Transfer to another GPU by the Send at an instruction; null: its values go
  /// over the host.
  const GpuTransfer *transfer(uint32_t instruction) const;
  bool isSentByDevice(uint32_t instruction) const override {
    return transfer(instruction);
  }
  /// Event to wait for before values of an edge; null: they come over the host.
  const CudaEvent *arrival(uint32_t edge) const;

private:
  friend Status linkCudaSlots(const format::Graph &graph,
                              std::span<CudaSlots *const> programs);

  explicit CudaSlots(CudaPlanDevice &planDevice) : owner(&planDevice) {}
  Status allocate(const format::Program &program);
  Status place(const Model &model, const format::Program &program,
               const ModelDevices &gpus);
  Status stage(const format::Graph &graph, uint32_t program,
               const ModelDevices &gpus);

  CudaPlanDevice *owner;
  CudaBuffer arena, scratchMemory, stateMemory;
  PinnedBuffer staging, stateStaging;
  std::vector<cuda::Pointer> addresses;
  std::vector<std::byte *> places;
  std::vector<bool> kept;
  std::vector<uint32_t> feedSlots, fetchSlots;
  std::set<uint32_t> replicas;
  std::map<uint32_t, GpuTransfer> transfers;               ///< by instruction
  std::map<uint32_t, std::shared_ptr<CudaEvent>> arrivals; ///< by edge
};

/// Finds the transfers between the GPUs of this process; `programs` by number
/// in the graph, null for those that are not on one.
Status linkCudaSlots(const format::Graph &graph,
                     std::span<CudaSlots *const> programs);

} // namespace graphc::runtime

#endif
