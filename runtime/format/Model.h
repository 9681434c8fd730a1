// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled model, verified and ready to be read.
#ifndef GRAPHC_RUNTIME_FORMAT_MODEL_H
#define GRAPHC_RUNTIME_FORMAT_MODEL_H

#include "runtime/base/Status.h"
#include "runtime/format/ExecutableFormat.h"
#include "runtime/format/Mapping.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/model_generated.h"

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The content of a model.bin. What verifyModel() promises holds for it, so
/// readers follow indices and offsets without checking them again.
/// Thread-safety: immutable; any number of threads.
class Model {
public:
  /// Maps and verifies the file `path`. The message of a failure names the
  /// file, what is wrong with it and the fix.
  static StatusOr<std::shared_ptr<const Model>> open(const std::string &path);

  /// The same for bytes in memory; `name` stands for the file in messages.
  static StatusOr<std::shared_ptr<const Model>>
  fromBytes(std::vector<std::byte> bytes, std::string name);

  const format::Model &index() const;

  /// The bytes of a blob that the index names, at a multiple of 64 in memory,
  /// too; valid as long as the model. A blob outside the file gives no bytes.
  std::span<const std::byte> blob(const format::Blob &blob) const;

  /// The code of the executable for a target; no bytes: there is none.
  ExecutableCode executable(std::string_view target) const;

  /// The path, or the name given to fromBytes().
  const std::string &name() const { return label; }

  /// XXH3-128 (low, high) of the file without its header: names the content.
  std::array<uint64_t, 2> digest() const;

  /// The graph of that name, or null.
  const format::Graph *findGraph(std::string_view name) const;

  /// Size of the file in bytes.
  size_t size() const { return mapping.bytes().size(); }

private:
  Model(Mapping mapping, std::string name)
      : mapping(std::move(mapping)), label(std::move(name)) {}
  static StatusOr<std::shared_ptr<const Model>>
  verified(StatusOr<Mapping> mapping, std::string name);

  Mapping mapping;
  std::string label;
};

} // namespace graphc::runtime

#endif
