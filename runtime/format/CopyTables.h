// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies tables of a model's index to another FlatBuffer.
#ifndef GRAPHC_RUNTIME_FORMAT_COPYTABLES_H
#define GRAPHC_RUNTIME_FORMAT_COPYTABLES_H

#include "runtime/format/model_generated.h"

#include <type_traits>
#include <vector>

namespace graphc::runtime {

/// CreateXyz(builder, every field): a field that is new in the format does not
/// compile until it is given here, too, since a pointer to the function has no
/// defaults.
template <typename Table, typename... Fields>
flatbuffers::Offset<Table> createWhole(
    flatbuffers::Offset<Table> (*create)(flatbuffers::FlatBufferBuilder &,
                                         Fields...),
    flatbuffers::FlatBufferBuilder &builder,
    std::type_identity_t<Fields>... fields) {
  return create(builder, fields...);
}

/// Thread-safety: one thread.
class TableCopier {
public:
  template <typename T> using Offset = flatbuffers::Offset<T>;
  template <typename T> using Vector = flatbuffers::Vector<T>;

  explicit TableCopier(flatbuffers::FlatBufferBuilder &builder)
      : builder(builder) {}

  /// Equal texts are there once; null stays null.
  Offset<flatbuffers::String> text(const flatbuffers::String *text);

  template <typename T> Offset<Vector<T>> numbers(const Vector<T> *list) {
    return list ? builder.CreateVector(list->data(), list->size()) : 0;
  }

  /// Copies a list with `copy`, which gives the offset of a table's copy.
  template <typename T, typename Copy>
  Offset<Vector<Offset<T>>> tables(const Vector<Offset<T>> *list, Copy copy) {
    if (!list)
      return 0;
    std::vector<Offset<T>> copies;
    for (const T *each : *list)
      copies.push_back(copy(*each));
    return builder.CreateVector(copies);
  }
  template <typename T>
  Offset<Vector<Offset<T>>> tables(const Vector<Offset<T>> *list) {
    return tables(list, [&](const T &each) { return copy(each); });
  }

  Offset<format::TensorType> copy(const format::TensorType &type);
  Offset<format::Device> copy(const format::Device &device);
  Offset<format::Variable> copy(const format::Variable &variable);
  Offset<format::Variable> copy(const format::Variable &variable,
                                uint32_t mirrorOf);
  Offset<format::DatasetField> copy(const format::DatasetField &field);
  Offset<format::Dataset> copy(const format::Dataset &dataset);
  Offset<format::Dataset> copy(const format::Dataset &dataset, int64_t batch,
                               bool perWorker);
  Offset<format::Transform> copy(const format::Transform &transform);
  Offset<format::Kernel> copy(const format::Kernel &kernel);
  Offset<format::Port> copy(const format::Port &port);
  Offset<format::Summary> copy(const format::Summary &summary);
  Offset<format::Edge> copy(const format::Edge &edge);
  Offset<format::FusedOps> copy(const format::FusedOps &ops);
  Offset<format::Instance> copy(const format::Instance &instance);
  Offset<format::Instance> copy(const format::Instance &instance,
                                Offset<flatbuffers::String> apply);
  Offset<format::Instruction> copy(const format::Instruction &instruction);
  /// `index` and `data` stand in for the slot's own; null: no blob.
  Offset<format::Slot> copy(const format::Slot &slot, uint32_t index,
                            const format::Blob *data);

private:
  Offset<void> action(const format::Instruction &instruction);

  flatbuffers::FlatBufferBuilder &builder;
};

} // namespace graphc::runtime

#endif
