// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of a session: memory that outlives steps and that all graphs of
// the model share.
#ifndef GRAPHC_RUNTIME_STATE_VARIABLESTORE_H
#define GRAPHC_RUNTIME_STATE_VARIABLESTORE_H

#include "runtime/data/TensorReader.h"
#include "runtime/format/Model.h"
#include "runtime/state/SnapshotCopy.h"
#include "runtime/target/ModelDevices.h"
#include "runtime/target/cpu/DeviceBuffer.h"

#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Mirrors of a variable have no names here: what is written to the variable is
/// written to them, too. Nor have transient variables, which no checkpoint has.
/// Parts of a variable go by the name of the whole: values do not depend on how
/// a model divides them. Thread-safety: const calls may run at the same time.
class VariableStore {
public:
  /// All variables of the model, side by side and zero. Those on accelerators
  /// are in `devices`, which may be null and must outlive the store.
  static StatusOr<VariableStore> create(const Model &model,
                                        const ModelDevices *devices = nullptr);

  /// Address of variable i of the model, mirrors among them; stays the same.
  /// Null: on an accelerator.
  std::span<std::byte *const> addresses() const { return places; }

  const std::vector<std::string> &names() const { return variableNames; }

  StatusOr<HostTensor> read(std::string_view name) const;

  /// INVALID_ARGUMENT when the type is not the variable's.
  Status write(std::string_view name, const HostTensor &value);

  /// Gives all mirrors the values of their variables.
  Status updateMirrors();

  StatusOr<std::vector<NamedTensor>> readAll() const;

  /// The variables with their types, for who copies them with readInto().
  std::vector<NamedType> types() const;
  /// Copies the value of the i-th of names() to `to`, which takes just that.
  Status readInto(size_t variable, std::span<std::byte> to) const;
  /// Adds that copy to `copy`; false: the variable, or a part of it, is on an
  /// accelerator.
  bool addTo(SnapshotCopy &copy, size_t variable,
             std::span<std::byte> to) const;

  /// Writes all variables: every one must be an entry of `values` with its own
  /// type, and nothing else may, unless it `isPartial`. INVALID_ARGUMENT lists
  /// all that is wrong, and nothing was written; after another failure, of
  /// reading, some variables have new values.
  Status writeAll(const TensorReader &values, bool isPartial = false);

private:
  struct Mirror {
    size_t mirror, variable; ///< numbers in the model
  };
  struct Whole {
    TensorType type;
    size_t first = 0; ///< number in the model
    size_t parts = 1; ///< that follow each other there, by rows
  };

  StatusOr<size_t> find(std::string_view name) const;
  StatusOr<HostTensor> valueOf(const Whole &whole) const;
  Status writeFrom(const TensorReader &values, size_t entry,
                   const Whole &whole);
  Status updateMirror(const Mirror &mirror);
  bool isOnDevice(size_t variable) const {
    return devices && devices->variable(static_cast<uint32_t>(variable));
  }
  Status readBytes(size_t variable, std::span<std::byte> to) const;
  Status writeBytes(size_t variable, std::span<const std::byte> from);

  const ModelDevices *devices = nullptr;
  DeviceBuffer memory;
  std::vector<std::byte *> places;
  std::vector<TensorType> partTypes; ///< of the model's variables
  std::vector<Mirror> mirrors;
  std::vector<size_t> transients; ///< zero after writeAll(), else unknown here
  std::vector<std::string> variableNames; ///< without mirrors
  std::vector<Whole> wholes;              ///< of those names
};

} // namespace graphc::runtime

#endif
