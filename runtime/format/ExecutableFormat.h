// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interface to the part of a target that knows the form of its executables:
// checks and prints what is in Executable.code of model.fbs.
#ifndef GRAPHC_RUNTIME_FORMAT_EXECUTABLEFORMAT_H
#define GRAPHC_RUNTIME_FORMAT_EXECUTABLEFORMAT_H

#include "runtime/base/Status.h"
#include "runtime/format/model_generated.h"

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The code of an executable. Its bytes start at a multiple of 64 in memory.
struct ExecutableCode {
  std::span<const std::byte> bytes; ///< empty: the model has none
  uint64_t offset = 0;              ///< in the file
};

/// The form of one target's executables. Code is trusted in no method but
/// verify(): it must have been called, with success, before any other.
/// Thread-safety: const; any number of threads.
class ExecutableFormat {
public:
  virtual ~ExecutableFormat() = default;

  /// Executable.target.
  virtual std::string_view target() const = 0;

  /// The type of the target's devices in names: TYPE of "/device:TYPE:0".
  virtual std::string_view deviceType() const = 0;

  /// True when devices have memory of their own: the arena, and what kernels
  /// need beside it.
  virtual bool hasDeviceMemory() const = 0;

  /// Checks all of the code, in time linear in its size. The kernels of `model`
  /// are checked.
  virtual Status verify(const ExecutableCode &code,
                        const format::Model &model) const = 0;

  /// Checks that a program on a device of the target can do a dispatch whose
  /// kernel and slots exist; `budget` is what may be walked of lists that are
  /// named from many places.
  virtual Status checkDispatch(const ExecutableCode &code,
                               const format::Model &model,
                               const format::Program &program,
                               const format::Dispatch &dispatch,
                               uint64_t &budget) const {
    return Status::ok();
  }

  /// True when there is code for kernel `index`.
  virtual bool hasKernel(const ExecutableCode &code, uint32_t index) const {
    return true;
  }

  /// The size of kernel `index` per image: name of the image, bytes.
  virtual std::vector<std::pair<std::string, uint64_t>>
  codeSizes(const ExecutableCode &code, uint32_t index) const {
    return {};
  }

  /// Prints the work of devices for kernel `index`, lines below that of the
  /// kernel; sizes of memory with `layout`.
  virtual void printKernel(const ExecutableCode &code, uint32_t index,
                           std::ostream &out, bool layout) const {}

  /// A line per image; its extent in the file with `layout`.
  virtual void printImages(const ExecutableCode &code, std::ostream &out,
                           bool layout) const = 0;

  /// The texts for assemblers in the code; none where it is machine code alone.
  virtual std::vector<std::string_view>
  assembly(const ExecutableCode &code) const {
    return {};
  }
};

/// One per target of this build, the host's first. Defined where targets are
/// listed: runtime/target/Targets.def.
std::span<const ExecutableFormat *const> executableFormats();

/// Null: this build does not know the target.
const ExecutableFormat *findFormat(std::string_view target);

/// Null: no target of this build is for devices of that type.
const ExecutableFormat *formatOfType(std::string_view deviceType);

/// Offset in the file of a list of the code.
inline uint64_t fileOffset(const ExecutableCode &code,
                           const flatbuffers::Vector<uint8_t> &list) {
  return code.offset + static_cast<uint64_t>(
                           reinterpret_cast<const std::byte *>(list.data()) -
                           code.bytes.data());
}

/// Bound on the bytes of references that are followed in a buffer of so many
/// bytes. What is the same in many places is there once, so an honest buffer is
/// walked several times over; the bound keeps tables that are named again and
/// again from not ending.
constexpr uint64_t walkBudget(uint64_t bytes) { return 64 * bytes; }

/// Takes `count` from the budget; fails where it is spent.
Status charge(uint64_t &budget, uint64_t count);

/// True when `verify`, VerifyXyzBuffer() of generated code, accepts the bytes.
bool isValidBuffer(std::span<const std::byte> bytes,
                   bool (*verify)(flatbuffers::Verifier &));

} // namespace graphc::runtime

#endif
