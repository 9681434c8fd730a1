// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/Transfers.h"

#include <cstring>

namespace graphc::emulator {

namespace {

std::string rangeText(uint64_t address, uint64_t bytes) {
  return std::to_string(bytes) + " bytes at " + hex(address);
}

/// The allocation that holds the whole range, or why there is none.
Allocation *holder(Memory &memory, uint64_t address, uint64_t bytes,
                   Failure &failure) {
  Allocation *found = memory.find(address);
  if (found && !found->isFreed &&
      bytes <= found->bytes - (address - found->base))
    return found;
  failure.code = CUDA_ERROR_ILLEGAL_ADDRESS;
  failure.text =
      rangeText(address, bytes) +
      (found && !found->isFreed ? " reach beyond the end of " + found->name
                                : " are " + memory.describe(address));
  return nullptr;
}

/// The same for an argument of a call that must be memory of a device.
CUresult requireDevice(Call &call, CUdeviceptr address, size_t bytes) {
  Failure failure;
  return holder(call.driver.memory, address, bytes, failure)
             ? CUDA_SUCCESS
             : call.fail(CUDA_ERROR_INVALID_VALUE, failure.text);
}

/// Host memory may be pageable, where nothing is known about it.
CUresult requireHost(Call &call, const void *pointer, size_t bytes,
                     const Stream &stream) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  Allocation *found = call.driver.memory.find(address);
  if ((found && found->kind == Allocation::Kind::Device) || address >> 47 ||
      !address)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     hex(address) + " is no pointer to host memory");
  bool isPinned = found && !found->isFreed;
  if (isPinned && bytes > found->bytes - (address - found->base))
    return call.fail(CUDA_ERROR_INVALID_VALUE, rangeText(address, bytes) +
                                                   " reach beyond the end of " +
                                                   found->name);
  if (!isPinned && stream.capture) {
    stream.capture->isInvalid = true;
    return call.fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     rangeText(address, bytes) +
                         " are pageable host memory, which a captured copy "
                         "must not use; take memory of cuMemHostAlloc");
  }
  return CUDA_SUCCESS;
}

/// The allocation of pinned memory; null: the memory is pageable.
Allocation *pinned(Memory &memory, const void *pointer) {
  Allocation *found = memory.find(reinterpret_cast<uint64_t>(pointer));
  return found && !found->isFreed ? found : nullptr;
}

/// Notes the use of host memory if it is pinned.
Failure useHost(Memory &memory, const void *pointer, size_t bytes,
                AccessKind kind, const Actor &actor, const std::string &who) {
  Allocation *found = pinned(memory, pointer);
  if (!found)
    return {};
  auto address = reinterpret_cast<uint64_t>(pointer);
  found->shadow->markInitialised(address - found->base, bytes);
  uint8_t *data = nullptr;
  return useRange(memory, address, bytes, kind, actor, who, data);
}

/// Bytes that nobody has written may be moved, but stay what they are.
void moveInitialised(Allocation &to, uint64_t toOffset, const Allocation &from,
                     uint64_t fromOffset, size_t bytes) {
  if (from.shadow->isInitialised(fromOffset, bytes))
    return to.shadow->markInitialised(toOffset, bytes);
  for (size_t i = 0; i < bytes; ++i)
    if (from.shadow->isInitialised(fromOffset + i, 1))
      to.shadow->markInitialised(toOffset + i, 1);
}

} // namespace

Failure useRange(Memory &memory, uint64_t address, uint64_t bytes,
                 AccessKind kind, const Actor &actor, const std::string &who,
                 uint8_t *&data) {
  Failure failure;
  Allocation *found = holder(memory, address, bytes, failure);
  if (!found) {
    failure.text = who + ": " + failure.text;
    return failure;
  }
  uint64_t offset = address - found->base;
  data = found->data + offset;
  if (found->kind != Allocation::Kind::Device)
    memory.inFlight.settle({data, bytes});
  Conflict conflict = found->shadow->use(offset, bytes, actor, kind);
  if (conflict.race == Race::None)
    return {};
  return {CUDA_ERROR_LAUNCH_FAILED,
          who + (kind == AccessKind::Read ? " reads " : " writes ") +
              rangeText(address, bytes) + " of " + found->name + ", which " +
              actor.timeline->name(conflict.other.operation) +
              (conflict.otherWrote ? " writes" : " reads") +
              ": no event or stream orders the two"};
}

Failure checkUninitialised(Memory &memory, uint64_t address, uint64_t bytes,
                           const std::string &who) {
  Allocation *found = memory.find(address);
  uint64_t offset = address - found->base;
  if (found->kind != Allocation::Kind::Device ||
      found->shadow->isInitialised(offset, bytes))
    return {};
  while (found->shadow->isInitialised(offset, 1))
    ++offset;
  return {CUDA_ERROR_LAUNCH_FAILED,
          who + " reads byte " + std::to_string(offset) + " of " + found->name +
              ", which nobody has written"};
}

CUresult copyToDevice(Call &call, CUdeviceptr to, const void *from,
                      size_t bytes, Stream &stream) {
  if (!bytes)
    return CUDA_SUCCESS;
  if (CUresult error = requireDevice(call, to, bytes))
    return error;
  if (CUresult error = requireHost(call, from, bytes, stream))
    return error;
  const std::string who = "a copy to the device";
  Memory *memory = &call.driver.memory;
  return call.driver.submit(
      stream,
      {who, stream.context, [=](const Actor &actor) {
         Failure failure =
             useHost(*memory, from, bytes, AccessKind::Read, actor, who);
         if (failure.code)
           return failure;
         uint8_t *data = nullptr;
         failure =
             useRange(*memory, to, bytes, AccessKind::Write, actor, who, data);
         if (failure.code)
           return failure;
         std::memcpy(data, from, bytes);
         if (pinned(*memory, from))
           memory->inFlight.take(actor.operation,
                                 {static_cast<const uint8_t *>(from), bytes});
         Allocation *found = memory->find(to);
         found->shadow->markInitialised(to - found->base, bytes);
         return failure;
       }});
}

CUresult copyToHost(Call &call, void *to, CUdeviceptr from, size_t bytes,
                    Stream &stream) {
  if (!bytes)
    return CUDA_SUCCESS;
  if (CUresult error = requireDevice(call, from, bytes))
    return error;
  if (CUresult error = requireHost(call, to, bytes, stream))
    return error;
  const std::string who = "a copy to the host";
  Memory *memory = &call.driver.memory;
  return call.driver.submit(
      stream,
      {who, stream.context, [=](const Actor &actor) {
         uint8_t *data = nullptr;
         Failure failure =
             useRange(*memory, from, bytes, AccessKind::Read, actor, who, data);
         if (!failure.code)
           failure = checkUninitialised(*memory, from, bytes, who);
         if (!failure.code)
           failure = useHost(*memory, to, bytes, AccessKind::Write, actor, who);
         if (failure.code)
           return failure;
         if (pinned(*memory, to))
           memory->inFlight.bring(actor.operation, static_cast<uint8_t *>(to),
                                  {data, bytes});
         else
           std::memcpy(to, data, bytes);
         return failure;
       }});
}

CUresult copyOnDevices(Call &call, CUdeviceptr to, CUdeviceptr from,
                       size_t bytes, Stream &stream) {
  if (!bytes)
    return CUDA_SUCCESS;
  for (CUdeviceptr address : {to, from})
    if (CUresult error = requireDevice(call, address, bytes))
      return error;
  const std::string who = "a copy between buffers of devices";
  Memory *memory = &call.driver.memory;
  return call.driver.submit(
      stream, {who, stream.context, [=](const Actor &actor) {
                 uint8_t *source = nullptr, *result = nullptr;
                 Failure failure =
                     useRange(*memory, from, bytes, AccessKind::Read, actor,
                              who, source);
                 if (!failure.code)
                   failure = useRange(*memory, to, bytes, AccessKind::Write,
                                      actor, who, result);
                 if (failure.code)
                   return failure;
                 std::memmove(result, source, bytes);
                 Allocation *a = memory->find(from), *b = memory->find(to);
                 moveInitialised(*b, to - b->base, *a, from - a->base, bytes);
                 return failure;
               }});
}

CUresult fill(Call &call, CUdeviceptr to, uint32_t value, size_t valueBytes,
              size_t count, Stream &stream) {
  size_t bytes = count * valueBytes;
  if (!bytes)
    return CUDA_SUCCESS;
  if (CUresult error = requireDevice(call, to, bytes))
    return error;
  if (to % valueBytes)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     hex(to) + " is no multiple of the value's size");
  const std::string who = "a fill";
  Memory *memory = &call.driver.memory;
  return call.driver.submit(
      stream, {who, stream.context, [=](const Actor &actor) {
                 uint8_t *data = nullptr;
                 Failure failure = useRange(
                     *memory, to, bytes, AccessKind::Write, actor, who, data);
                 if (failure.code)
                   return failure;
                 for (size_t i = 0; i < count; ++i)
                   std::memcpy(data + i * valueBytes, &value, valueBytes);
                 Allocation *found = memory->find(to);
                 found->shadow->markInitialised(to - found->base, bytes);
                 return failure;
               }});
}

} // namespace graphc::emulator
