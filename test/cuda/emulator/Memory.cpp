// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/Memory.h"

#include "test/cuda/emulator/AddressSpace.h"

#include <cinttypes>
#include <cstdio>
#include <sys/mman.h>

namespace graphc::emulator {

namespace {

/// Gap between allocations, so that to leave one is not to enter another.
constexpr uint64_t kGap = 1 << 16;
/// cuMemAlloc aligns to 256 bytes at least.
constexpr uint64_t kAlignment = 512;

uint8_t *map(uint64_t bytes) {
  void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<uint8_t *>(data);
}

} // namespace

std::string hex(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%" PRIx64, address);
  return text;
}

Memory::~Memory() {
  for (auto &[base, allocation] : allocations)
    free(allocation);
}

Allocation *Memory::add(Allocation allocation) {
  allocation.name = "allocation " + std::to_string(++count) + " (" +
                    std::to_string(allocation.bytes) + " bytes ";
  if (allocation.kind == Allocation::Kind::Device)
    allocation.name += "on GPU " + std::to_string(allocation.device) + ")";
  else
    allocation.name += "of pinned host memory)";
  allocation.shadow = std::make_unique<Shadow>(allocation.bytes, false);
  // Addresses of the host are used again, for other sizes, too.
  std::erase_if(allocations, [&](const auto &entry) {
    const Allocation &old = entry.second;
    return old.isFreed && old.base < allocation.base + allocation.bytes &&
           allocation.base < old.base + old.bytes;
  });
  Allocation &slot = allocations[allocation.base];
  slot = std::move(allocation);
  return &slot;
}

Allocation *Memory::allocate(int device, uint64_t bytes) {
  Allocation allocation;
  allocation.device = device;
  allocation.bytes = bytes;
  allocation.data = map(bytes);
  uint64_t &next = nextAddress[device];
  allocation.base = kDeviceMemory +
                    static_cast<uint64_t>(device) * kDeviceStride + kGap + next;
  next += (bytes + kGap + kAlignment - 1) / kAlignment * kAlignment;
  return allocation.data ? add(std::move(allocation)) : nullptr;
}

Allocation *Memory::allocateHost(int device, uint64_t bytes) {
  Allocation allocation;
  allocation.device = device;
  allocation.kind = Allocation::Kind::PinnedHost;
  allocation.bytes = bytes;
  allocation.data = map(bytes);
  allocation.base = reinterpret_cast<uint64_t>(allocation.data);
  return allocation.data ? add(std::move(allocation)) : nullptr;
}

Allocation *Memory::registerHost(int device, void *data, uint64_t bytes) {
  Allocation allocation;
  allocation.device = device;
  allocation.kind = Allocation::Kind::RegisteredHost;
  allocation.bytes = bytes;
  allocation.data = static_cast<uint8_t *>(data);
  allocation.base = reinterpret_cast<uint64_t>(data);
  return add(std::move(allocation));
}

void Memory::free(Allocation &allocation) {
  if (!allocation.isFreed)
    inFlight.forget({allocation.data, allocation.bytes});
  if (!allocation.isFreed &&
      allocation.kind != Allocation::Kind::RegisteredHost)
    munmap(allocation.data, allocation.bytes);
  allocation.isFreed = true;
  allocation.data = nullptr;
  allocation.shadow.reset();
}

Allocation *Memory::find(uint64_t address) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  Allocation &allocation = std::prev(after)->second;
  return address - allocation.base < allocation.bytes ? &allocation : nullptr;
}

std::string Memory::describe(uint64_t address) {
  if (address == 0)
    return "a null pointer";
  if (Allocation *allocation = find(address))
    return (allocation->isFreed ? "in the freed " : "in ") + allocation->name;
  auto after = allocations.upper_bound(address);
  if (address < kDeviceMemory)
    return address >> 47 ? "no address of the device"
                         : "a pointer to host memory that is not pinned";
  if (after != allocations.begin()) {
    const Allocation &before = std::prev(after)->second;
    uint64_t behind = address - before.base - before.bytes;
    if (behind < kGap / 2)
      return std::to_string(behind) + " bytes behind the end of " + before.name;
  }
  if (after != allocations.end() && after->first - address < kGap / 2)
    return std::to_string(after->first - address) + " bytes before " +
           after->second.name;
  return "in no allocation";
}

std::vector<Allocation *> Memory::living(int device) {
  std::vector<Allocation *> result;
  for (auto &[base, allocation] : allocations)
    if (!allocation.isFreed && !allocation.isOfModule &&
        allocation.device == device)
      result.push_back(&allocation);
  return result;
}

} // namespace graphc::emulator
