// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state/VariableStore.h"

#include "runtime/base/Suggest.h"
#include "runtime/data/TypeCheck.h"
#include "runtime/state/WholeVariables.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

namespace {
constexpr size_t kAlignment = 64;

size_t paddedSize(const TensorType &type) {
  return (type.numBytes() + kAlignment - 1) / kAlignment * kAlignment;
}
} // namespace

StatusOr<VariableStore> VariableStore::create(const Model &model,
                                              const ModelDevices *devices) {
  VariableStore store;
  store.devices = devices;
  size_t bytes = 0;
  for (const format::Variable *variable : *model.index().variables()) {
    size_t number = store.partTypes.size();
    TensorType type = toTensorType(*variable->type());
    if (variable->mirror_of() != UINT32_MAX) {
      store.mirrors.push_back({number, variable->mirror_of()});
    } else if (variable->transient()) {
      store.transients.push_back(number);
    } else if (variable->part_of() && variable->part_row() != 0) {
      Whole &whole = store.wholes.back(); // parts follow each other
      whole.type.shape[0] += type.shape[0];
      ++whole.parts;
    } else {
      store.variableNames.push_back(
          (variable->part_of() ? variable->part_of() : variable->name())
              ->str());
      store.wholes.push_back({type, number});
    }
    store.partTypes.push_back(std::move(type));
    if (!store.isOnDevice(number))
      bytes += paddedSize(store.partTypes.back());
  }
  GRAPHC_ASSIGN_OR_RETURN(store.memory,
                          DeviceBuffer::allocate(bytes, "the variables"));
  std::byte *next = store.memory.data();
  for (size_t i = 0; i < store.partTypes.size(); ++i) {
    store.places.push_back(store.isOnDevice(i) ? nullptr : next);
    if (!store.isOnDevice(i))
      next += paddedSize(store.partTypes[i]);
  }
  return store;
}

StatusOr<size_t> VariableStore::find(std::string_view name) const {
  auto found = std::find(variableNames.begin(), variableNames.end(), name);
  if (found == variableNames.end())
    return notFound(unknownName("the model", "variable", name, variableNames));
  return static_cast<size_t>(found - variableNames.begin());
}

Status VariableStore::readBytes(size_t variable,
                                std::span<std::byte> to) const {
  if (isOnDevice(variable))
    return devices->readVariable(static_cast<uint32_t>(variable), to);
  std::memcpy(to.data(), places[variable], to.size());
  return Status::ok();
}

Status VariableStore::writeBytes(size_t variable,
                                 std::span<const std::byte> from) {
  if (isOnDevice(variable))
    return devices->writeVariable(static_cast<uint32_t>(variable), from);
  std::memcpy(places[variable], from.data(), from.size());
  return Status::ok();
}

StatusOr<HostTensor> VariableStore::valueOf(const Whole &whole) const {
  HostTensor value{whole.type, std::vector<std::byte>(whole.type.numBytes())};
  std::span<std::byte> rest = value.bytes;
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i) {
    GRAPHC_TRY(readBytes(i, rest.first(partTypes[i].numBytes())));
    rest = rest.subspan(partTypes[i].numBytes());
  }
  return value;
}

StatusOr<HostTensor> VariableStore::read(std::string_view name) const {
  GRAPHC_ASSIGN_OR_RETURN(size_t index, find(name));
  return valueOf(wholes[index]);
}

Status VariableStore::write(std::string_view name, const HostTensor &value) {
  GRAPHC_ASSIGN_OR_RETURN(size_t index, find(name));
  const Whole &whole = wholes[index];
  if (value.type != whole.type || value.bytes.size() != whole.type.numBytes())
    return invalidArgument("variable '" + std::string(name) + "' is " +
                           whole.type.toString() + ", but the value is " +
                           value.type.toString());
  GRAPHC_TRY(checkBools(value, name));
  std::span<const std::byte> rest = value.bytes;
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i) {
    GRAPHC_TRY(writeBytes(i, rest.first(partTypes[i].numBytes())));
    rest = rest.subspan(partTypes[i].numBytes());
  }
  for (const Mirror &mirror : mirrors)
    if (mirror.variable == whole.first)
      GRAPHC_TRY(updateMirror(mirror));
  return Status::ok();
}

Status VariableStore::updateMirror(const Mirror &mirror) {
  std::vector<std::byte> bytes(partTypes[mirror.variable].numBytes());
  GRAPHC_TRY(readBytes(mirror.variable, bytes));
  return writeBytes(mirror.mirror, bytes);
}

Status VariableStore::updateMirrors() {
  for (const Mirror &mirror : mirrors)
    GRAPHC_TRY(updateMirror(mirror));
  return Status::ok();
}

StatusOr<std::vector<NamedTensor>> VariableStore::readAll() const {
  std::vector<NamedTensor> values;
  for (size_t i = 0; i < wholes.size(); ++i) {
    GRAPHC_ASSIGN_OR_RETURN(HostTensor value, valueOf(wholes[i]));
    values.push_back({variableNames[i], std::move(value)});
  }
  return values;
}

std::vector<NamedType> VariableStore::types() const {
  std::vector<NamedType> all;
  for (size_t i = 0; i < wholes.size(); ++i)
    all.push_back({variableNames[i], wholes[i].type});
  return all;
}

Status VariableStore::readInto(size_t variable, std::span<std::byte> to) const {
  const Whole &whole = wholes[variable];
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i) {
    GRAPHC_TRY(readBytes(i, to.first(partTypes[i].numBytes())));
    to = to.subspan(partTypes[i].numBytes());
  }
  return Status::ok();
}

bool VariableStore::addTo(SnapshotCopy &copy, size_t variable,
                          std::span<std::byte> to) const {
  const Whole &whole = wholes[variable];
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i)
    if (isOnDevice(i))
      return false;
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i) {
    size_t bytes = partTypes[i].numBytes();
    copy.add({places[i], bytes}, to.first(bytes));
    to = to.subspan(bytes);
  }
  return true;
}

Status VariableStore::writeFrom(const TensorReader &values, size_t entry,
                                const Whole &whole) {
  bool isAnyOnDevice = false;
  std::vector<std::span<std::byte>> parts;
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i) {
    isAnyOnDevice |= isOnDevice(i);
    parts.push_back({places[i], partTypes[i].numBytes()});
  }
  if (!isAnyOnDevice) // straight to where it belongs
    return values.read(entry, parts);
  GRAPHC_ASSIGN_OR_RETURN(HostTensor value, readTensor(values, entry));
  std::span<const std::byte> rest = value.bytes;
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i) {
    GRAPHC_TRY(writeBytes(i, rest.first(partTypes[i].numBytes())));
    rest = rest.subspan(partTypes[i].numBytes());
  }
  return Status::ok();
}

Status VariableStore::writeAll(const TensorReader &values, bool isPartial) {
  GRAPHC_TRY(checkCheckpoint(types(), values.entries(), isPartial));
  uint64_t bytes = 0;
  for (const NamedType &named : values.entries())
    bytes +=
        devices ? 0 : named.type.numBytes(); // whose calls are one thread's
  GRAPHC_TRY(
      readEach(values.entries().size(), bytes, [&](size_t entry) -> Status {
        GRAPHC_ASSIGN_OR_RETURN(size_t index,
                                find(values.entries()[entry].name));
        return writeFrom(values, entry, wholes[index]);
      }));
  for (size_t transient : transients) {
    std::vector<std::byte> zero(partTypes[transient].numBytes());
    GRAPHC_TRY(writeBytes(transient, zero));
  }
  return updateMirrors();
}

} // namespace graphc::runtime
