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

StatusOr<VariableStore> VariableStore::create(const Model &model) {
  VariableStore store;
  size_t bytes = 0;
  for (const format::Variable *variable : *model.index().variables()) {
    size_t number = store.types.size();
    TensorType type = toTensorType(*variable->type());
    if (variable->mirror_of() != UINT32_MAX) {
      store.mirrors.push_back({number, variable->mirror_of()});
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
    store.types.push_back(std::move(type));
    bytes += paddedSize(store.types.back());
  }
  GRAPHC_ASSIGN_OR_RETURN(store.memory,
                          DeviceBuffer::allocate(bytes, "the variables"));
  std::byte *next = store.memory.data();
  for (const TensorType &type : store.types) {
    store.places.push_back(next);
    next += paddedSize(type);
  }
  return store;
}

StatusOr<size_t> VariableStore::find(std::string_view name) const {
  auto found = std::find(variableNames.begin(), variableNames.end(), name);
  if (found == variableNames.end())
    return notFound(unknownName("the model", "variable", name, variableNames));
  return static_cast<size_t>(found - variableNames.begin());
}

HostTensor VariableStore::valueOf(const Whole &whole) const {
  HostTensor value{whole.type, {}};
  value.bytes.reserve(whole.type.numBytes());
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i)
    value.bytes.insert(value.bytes.end(), places[i],
                       places[i] + types[i].numBytes());
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
  auto next = value.bytes.begin();
  for (size_t i = whole.first; i < whole.first + whole.parts; ++i) {
    auto end = next + static_cast<ptrdiff_t>(types[i].numBytes());
    std::copy(next, end, places[i]);
    next = end;
  }
  for (const Mirror &mirror : mirrors)
    if (mirror.variable == whole.first)
      updateMirror(mirror);
  return Status::ok();
}

void VariableStore::updateMirror(const Mirror &mirror) {
  std::memcpy(places[mirror.mirror], places[mirror.variable],
              types[mirror.variable].numBytes());
}

void VariableStore::updateMirrors() {
  for (const Mirror &mirror : mirrors)
    updateMirror(mirror);
}

std::vector<NamedTensor> VariableStore::readAll() const {
  std::vector<NamedTensor> values;
  for (size_t i = 0; i < wholes.size(); ++i)
    values.push_back({variableNames[i], valueOf(wholes[i])});
  return values;
}

Status VariableStore::writeAll(std::span<const NamedTensor> values) {
  std::vector<WholeVariable> variables;
  for (size_t i = 0; i < wholes.size(); ++i)
    variables.push_back({variableNames[i], wholes[i].type});
  GRAPHC_TRY(checkCheckpoint(variables, values));
  for (const NamedTensor &value : values)
    GRAPHC_TRY(write(value.name, value.tensor));
  return Status::ok();
}

} // namespace graphc::runtime
