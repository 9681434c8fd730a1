// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the slots of a GPU's program are: on the device, and, for those that
// the host or another task gives or takes, in pinned memory of the host too.
#ifndef GRAPHC_RUNTIME_GPU_GPUSLOTS_H
#define GRAPHC_RUNTIME_GPU_GPUSLOTS_H

#include "runtime/device/cuda/CudaStream.h"
#include "runtime/gpu/GpuModel.h"

#include <map>
#include <set>
#include <span>
#include <vector>

namespace graphc::runtime {

/// A Send to another GPU of this process: each value is copied into the slot
/// that receives it, and the event says when.
struct GpuTransfer {
  struct Copy {
    cuda::Pointer target = 0, source = 0;
    size_t bytes = 0;
  };
  std::vector<Copy> copies;
  const CudaDevice *target = nullptr;
  std::shared_ptr<CudaEvent> event;
};

/// Thread-safety: const after linkGpuSlots().
class GpuSlots {
public:
  /// Memory for the step state of a replica, in bytes.
  static constexpr size_t kStateBytes = 64;

  static StatusOr<std::unique_ptr<GpuSlots>> create(const Model &model,
                                                    const format::Graph &graph,
                                                    uint32_t program,
                                                    const GpuModel &gpus);

  GpuUnit &unit() const { return *owner; }

  cuda::Pointer address(uint32_t slot) const { return addresses[slot]; }
  /// The start of the memory that kernels use one after the other.
  cuda::Pointer scratch() const { return scratchMemory.address(); }

  /// The slot's place on the host; null: it is on the device only.
  std::byte *hostPlace(uint32_t slot) const { return places[slot]; }
  /// Slots that the host writes before (feeds) or reads after a step (fetches).
  const std::vector<uint32_t> &feeds() const { return feedSlots; }
  const std::vector<uint32_t> &fetches() const { return fetchSlots; }
  /// Whether what the host put to a slot is still there after the step.
  bool keepsInput(uint32_t slot) const { return kept[slot]; }

  /// The step states on the host, by replica ascending, and on the device.
  std::span<std::byte> hostStates() const {
    return {stateStaging.data(), stateStaging.size()};
  }
  cuda::Pointer states() const { return stateMemory.address(); }

  /// What the Send at an instruction gives to another GPU; null: its values go
  /// over the host.
  const GpuTransfer *transfer(uint32_t instruction) const;
  /// What to wait for before values of an edge; null: they come over the host.
  const CudaEvent *arrival(uint32_t edge) const;

private:
  friend Status linkGpuSlots(const format::Graph &graph,
                             std::span<GpuSlots *const> programs);

  explicit GpuSlots(GpuUnit &unit) : owner(&unit) {}
  Status allocate(const format::Program &program);
  Status place(const Model &model, const format::Program &program,
               const GpuModel &gpus);
  Status stage(const format::Graph &graph, uint32_t program,
               const GpuModel &gpus);

  GpuUnit *owner;
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
Status linkGpuSlots(const format::Graph &graph,
                    std::span<GpuSlots *const> programs);

} // namespace graphc::runtime

#endif
