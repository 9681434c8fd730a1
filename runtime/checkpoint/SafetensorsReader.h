// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One safetensors file, whose tensors are read where they are wanted.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_SAFETENSORSREADER_H
#define GRAPHC_RUNTIME_CHECKPOINT_SAFETENSORSREADER_H

#include "runtime/data/File.h"
#include "runtime/data/TensorReader.h"
#include "runtime/data/safetensors/SafetensorsHeader.h"

#include <array>
#include <map>
#include <memory>

namespace graphc::runtime {

/// XXH3-128 of a tensor's bytes, low half first.
using TensorDigest = std::array<uint64_t, 2>;

/// Thread-safety: const calls may run at the same time.
class SafetensorsReader final : public TensorReader {
public:
  /// NOT_FOUND, DATA_LOSS for a damaged header, INVALID_ARGUMENT for types that
  /// we do not have.
  static StatusOr<std::unique_ptr<SafetensorsReader>>
  open(const std::string &path);

  std::string place() const override { return path; }
  std::span<const NamedType> entries() const override { return types; }
  const Texts &texts() const override { return header.metadata; }
  Status read(size_t entry,
              std::span<const std::span<std::byte>> parts) const override;

  /// From now on read() verifies these tensors.
  void expect(std::map<std::string, TensorDigest> digests) {
    expected = std::move(digests);
  }
  uint64_t fileSize() const { return file.size(); }
  const std::string &headerText() const { return header.text; }

private:
  SafetensorsReader(std::string path, InputFile file, SafetensorsHeader header);

  std::string path;
  InputFile file;
  SafetensorsHeader header;
  std::vector<NamedType> types; ///< of the header's entries
  std::map<std::string, TensorDigest> expected;
};

} // namespace graphc::runtime

#endif
