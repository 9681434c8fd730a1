// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every access of a kernel to memory, with the checks that a GPU does not make.
#include "test/cuda/emulator/AddressSpace.h"
#include "test/cuda/emulator/BlockRun.h"
#include "test/cuda/emulator/api/DriverApi.h"

#include <algorithm>

namespace graphc::emulator {

namespace {

uint32_t bytesOf(const Instruction &instruction) {
  return uint32_t{instruction.elements} * instruction.bytes;
}

/// "reads 4 bytes at 0x...", for the texts of errors.
std::string deed(AccessKind kind, uint64_t bytes) {
  const char *verb = kind == AccessKind::Read    ? "reads "
                     : kind == AccessKind::Write ? "writes "
                                                 : "updates ";
  return verb + std::to_string(bytes) + " bytes at ";
}

} // namespace

uint8_t *BlockRun::access(Warp &warp, const Instruction &instruction,
                          uint32_t lane, uint64_t address, AccessKind kind) {
  uint32_t bytes = bytesOf(instruction);
  if (address % bytes) {
    fail(warp, instruction, lane,
         deed(kind, bytes) + hex(address) + ", which is no multiple of " +
             std::to_string(bytes),
         CUDA_ERROR_MISALIGNED_ADDRESS);
    return nullptr;
  }
  switch (instruction.space) {
  case StateSpace::Shared:
    return shared(warp, instruction, lane, address, kind);
  case StateSpace::Local:
    return local(warp, instruction, lane, address, kind);
  case StateSpace::Param:
    if (address + bytes <= launch.parameters.size())
      return launch.parameters.data() + address;
    fail(warp, instruction, lane, "reads behind the parameters of the kernel",
         CUDA_ERROR_ILLEGAL_ADDRESS);
    return nullptr;
  case StateSpace::Generic:
    if (address - kSharedWindow < kWindowBytes)
      return shared(warp, instruction, lane, address - kSharedWindow, kind);
    if (address - kLocalWindow < kWindowBytes)
      return local(warp, instruction, lane, address - kLocalWindow, kind);
    [[fallthrough]];
  default:
    return global(warp, instruction, lane, address, kind);
  }
}

/// Notes the use, and refuses bytes that nobody wrote and races.
bool BlockRun::check(Warp &warp, const Instruction &instruction, uint32_t lane,
                     Shadow &shadow, uint64_t offset, AccessKind kind,
                     const std::string &where) {
  uint32_t bytes = bytesOf(instruction);
  Actor actor = launch.actor;
  actor.block = block;
  actor.epoch = barriers << 12 | std::min(warp.syncs(), 0xfffu);
  actor.thread = warp.firstThread() + lane;
  actor.line = instruction.line;
  if (kind != AccessKind::Write && !shadow.isInitialised(offset, bytes))
    return fail(warp, instruction, lane,
                deed(kind, bytes) + "byte " + std::to_string(offset) + " of " +
                    where + ", which nobody has written");
  if (kind != AccessKind::Read)
    shadow.markInitialised(offset, bytes);
  Conflict conflict = shadow.use(offset, bytes, actor, kind);
  if (conflict.race == Race::None)
    return true;
  return fail(warp, instruction, lane,
              deed(kind, bytes) + "byte " + std::to_string(offset) + " of " +
                  where + ", " + conflictText(conflict));
}

std::string BlockRun::conflictText(const Conflict &conflict) const {
  std::string verb = conflict.otherWrote ? " writes" : " reads";
  std::string line =
      " (line " + std::to_string(conflict.other.line) + " of the PTX)";
  switch (conflict.race) {
  case Race::Threads:
    return "which " + threadName(conflict.other.thread) + " of the same block" +
           verb + line + ": no barrier is between the two";
  case Race::Blocks:
    return "which block " + std::to_string(conflict.other.block) + verb + line +
           ": the blocks of a launch are not ordered";
  default:
    return "which " + launch.actor.timeline->name(conflict.other.operation) +
           verb + ": no event or stream orders the two";
  }
}

Allocation *BlockRun::allocationAt(Warp &warp, const Instruction &instruction,
                                   uint32_t lane, uint64_t address,
                                   AccessKind kind) {
  uint32_t bytes = bytesOf(instruction);
  Allocation *found = launch.memory->find(address);
  std::string problem;
  if (!found || found->isFreed)
    problem = launch.memory->describe(address);
  else if (found->kind == Allocation::Kind::Device &&
           found->device != launch.device && !launch.hasPeer(found->device))
    problem = "in the " + found->name + ", to which GPU " +
              std::to_string(launch.device) + " has no peer access";
  if (problem.empty()) {
    lastUsed[instruction.number] = found;
    return found;
  }
  fail(warp, instruction, lane,
       deed(kind, bytes) + hex(address) + ", " + problem,
       CUDA_ERROR_ILLEGAL_ADDRESS);
  return nullptr;
}

uint8_t *BlockRun::global(Warp &warp, const Instruction &instruction,
                          uint32_t lane, uint64_t address, AccessKind kind) {
  Allocation *allocation = lastUsed[instruction.number];
  if (!allocation || address - allocation->base >= allocation->bytes)
    allocation = allocationAt(warp, instruction, lane, address, kind);
  if (!allocation)
    return nullptr;
  uint64_t offset = address - allocation->base;
  if (offset + bytesOf(instruction) > allocation->bytes) {
    fail(warp, instruction, lane,
         deed(kind, bytesOf(instruction)) + hex(address) +
             ", beyond the end of " + allocation->name,
         CUDA_ERROR_ILLEGAL_ADDRESS);
    return nullptr;
  }
  // The host writes its memory without telling anyone.
  if (allocation->kind != Allocation::Kind::Device) {
    allocation->shadow->markInitialised(offset, bytesOf(instruction));
    launch.memory->inFlight.settle(
        {allocation->data + offset, bytesOf(instruction)});
  }
  return check(warp, instruction, lane, *allocation->shadow, offset, kind,
               allocation->name)
             ? allocation->data + offset
             : nullptr;
}

uint8_t *BlockRun::shared(Warp &warp, const Instruction &instruction,
                          uint32_t lane, uint64_t offset, AccessKind kind) {
  uint32_t bytes = bytesOf(instruction);
  if (offset + bytes > sharedData.size() || offset + bytes < bytes) {
    fail(warp, instruction, lane,
         deed(kind, bytes) + "byte " +
             std::to_string(static_cast<int64_t>(offset)) +
             " of the shared memory of its block, which has " +
             std::to_string(sharedData.size()),
         CUDA_ERROR_ILLEGAL_ADDRESS);
    return nullptr;
  }
  static const std::string where = "shared memory";
  return check(warp, instruction, lane, sharedShadow, offset, kind, where)
             ? sharedData.data() + offset
             : nullptr;
}

uint8_t *BlockRun::local(Warp &warp, const Instruction &instruction,
                         uint32_t lane, uint64_t offset, AccessKind kind) {
  uint32_t bytes = bytesOf(instruction);
  uint64_t size = launch.kernel->localBytes;
  if (offset + bytes > size || offset + bytes < bytes) {
    fail(warp, instruction, lane,
         deed(kind, bytes) + "byte " +
             std::to_string(static_cast<int64_t>(offset)) +
             " of its local memory, which has " + std::to_string(size),
         CUDA_ERROR_ILLEGAL_ADDRESS);
    return nullptr;
  }
  uint8_t *flags = warp.localInitialised.data() + lane * size + offset;
  if (kind == AccessKind::Read &&
      !std::all_of(flags, flags + bytes, [](auto f) { return f; })) {
    fail(warp, instruction, lane,
         deed(kind, bytes) + "byte " + std::to_string(offset) +
             " of local memory, which nobody has written");
    return nullptr;
  }
  std::fill_n(flags, bytes, 1);
  return warp.local.data() + lane * size + offset;
}

} // namespace graphc::emulator
