// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that devices may address: allocations on devices, and host memory that is
// pinned.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_MEMORY_H
#define GRAPHC_TEST_CUDA_EMULATOR_MEMORY_H

#include "test/cuda/emulator/InFlight.h"

#include <map>

namespace graphc::emulator {

/// Freed ones are kept, without their memory, so that whoever still uses one
/// can be told which it was. Addresses are not used twice.
struct Allocation {
  enum class Kind { Device, PinnedHost, RegisteredHost };

  uint64_t base = 0, bytes = 0;
  uint8_t *data = nullptr;
  Kind kind = Kind::Device;
  int device = 0; ///< whose context made it
  bool isFreed = false;
  bool isOfModule = false;
  std::string name; ///< "allocation 3 (400 bytes on GPU 0)"
  std::unique_ptr<Shadow> shadow;
};

/// Thread-safety: none; the driver's lock is held.
class Memory {
public:
  ~Memory();

  /// Null where the host has no more.
  Allocation *allocate(int device, uint64_t bytes);
  Allocation *allocateHost(int device, uint64_t bytes);
  Allocation *registerHost(int device, void *data, uint64_t bytes);
  void free(Allocation &allocation);

  /// The allocation that holds the address, freed or not; null if none does.
  Allocation *find(uint64_t address);

  /// Describes the address, for someone who expected memory of the device.
  std::string describe(uint64_t address);

  /// Allocations by contexts of a device that nobody freed.
  std::vector<Allocation *> living(int device);

  InFlight inFlight;

private:
  Allocation *add(Allocation allocation);

  std::map<uint64_t, Allocation> allocations;
  std::map<int, uint64_t> nextAddress;
  unsigned count = 0;
};

std::string hex(uint64_t address);

} // namespace graphc::emulator

#endif
