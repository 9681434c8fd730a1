// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runner of a program on a device: the host submits instructions and awaits
// them.
#ifndef GRAPHC_RUNTIME_TARGET_DEVICEPROGRAM_H
#define GRAPHC_RUNTIME_TARGET_DEVICEPROGRAM_H

#include "runtime/target/Collectives.h"
#include "runtime/target/DeviceSlots.h"

namespace graphc::runtime {

/// Inputs of a program on a device; all of it must outlive the program.
struct DeviceProgramSpec {
  const Model *model = nullptr;
  const format::Graph *graph = nullptr;
  uint32_t program = 0;
  const DeviceSlots *slots = nullptr; ///< linked
  /// The first instruction that a step may end before.
  uint32_t firstUpdate = 0;
  Collectives *collectives = nullptr; ///< null: a library makes no sums
};

/// The host walks over the instructions and tells of each one that its turn has
/// come: its own part is done (a batch is in its place), its semaphore is open.
/// The device may begin later, when it knows of more instructions. Nothing is
/// allocated in a step.
/// Thread-safety: one call at a time, from any thread.
class DeviceProgram {
public:
  virtual ~DeviceProgram() = default;

  /// Submit each instruction alone and wait for it, so that failures and times
  /// are those of an instruction.
  virtual void setStepwise(bool isOn) = 0;
  virtual bool stepwise() const = 0;

  /// Makes what is replayed in further steps of what has been submitted call by
  /// call. A first step must be over, in which libraries finish loading.
  virtual void capture() = 0;

  virtual void beginStep() = 0;

  /// The turn of the next instruction has come; nothing if it was told before.
  virtual Status submit(uint32_t instruction) = 0;

  /// Does an instruction again, but for the host's part of it, and waits.
  virtual Status repeat(uint32_t instruction) = 0;

  /// Returns when the values of a Send that was submitted are on the host.
  virtual Status awaitSent(uint32_t instruction) = 0;
  /// True when submit() for this instruction writes values of earlier Sends on
  /// the host again, which therefore must have been passed on.
  virtual bool overwritesSent(uint32_t instruction) const = 0;

  /// Returns when all that was submitted is done. A failure is that of an
  /// instruction in [waitedFor(), submitted()).
  virtual Status await() = 0;
  virtual uint32_t waitedFor() const = 0;
  virtual uint32_t submitted() const = 0;

  /// Brings the fetches to the host and waits. A step may end early.
  virtual Status finish() = 0;

  /// Current contents of a slot. Empty after a failure.
  virtual std::span<const std::byte> contents(uint32_t slot) = 0;

  /// True when what the instruction writes was made when its turn came: a
  /// library makes a sum when all programs have come to it, and others are left
  /// out.
  virtual bool isDone(uint32_t instruction) const = 0;
};

} // namespace graphc::runtime

#endif
