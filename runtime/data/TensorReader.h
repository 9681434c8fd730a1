// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named tensors that are read one by one, straight to where they are wanted.
#ifndef GRAPHC_RUNTIME_DATA_TENSORREADER_H
#define GRAPHC_RUNTIME_DATA_TENSORREADER_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A tensor with its name, without its elements.
struct NamedType {
  std::string name;
  TensorType type;
  bool operator==(const NamedType &) const = default;
};

/// A checkpoint, whatever form it has. Thread-safety: const calls may run at
/// the same time.
class TensorReader {
public:
  using Texts = std::map<std::string, std::string>;

  virtual ~TensorReader() = default;

  /// For people: the file or folder.
  virtual std::string place() const = 0;
  /// Sorted by name.
  virtual std::span<const NamedType> entries() const = 0;
  /// Texts that the writer put beside the tensors.
  virtual const Texts &texts() const = 0;

  /// Writes the bytes of an entry to `parts`, which take exactly these, one
  /// part after the other. Verifies what the checkpoint has digests for, and
  /// that bools are 0 or 1: DATA_LOSS, and what `parts` hold is of no use then.
  virtual Status read(size_t entry,
                      std::span<const std::span<std::byte>> parts) const = 0;
};

/// An entry with its elements; RESOURCE_EXHAUSTED where memory does not
/// suffice.
StatusOr<HostTensor> readTensor(const TensorReader &reader, size_t entry);

/// All entries.
StatusOr<std::vector<NamedTensor>> readTensors(const TensorReader &reader);

/// Calls `read` with each number below `count`, on several threads where they
/// are `bytes` enough; the first failure, after which no more are begun.
Status readEach(size_t count, uint64_t bytes,
                const std::function<Status(size_t)> &read);

/// Tensors in memory.
class TensorList final : public TensorReader {
public:
  /// The tensors must outlive this.
  explicit TensorList(std::span<const NamedTensor> tensors,
                      std::string place = "memory");

  std::string place() const override { return origin; }
  std::span<const NamedType> entries() const override { return types; }
  const Texts &texts() const override { return noTexts; }
  Status read(size_t entry,
              std::span<const std::span<std::byte>> parts) const override;

private:
  std::string origin;
  std::vector<const HostTensor *> values; ///< of the entries
  std::vector<NamedType> types;
  Texts noTexts;
};

} // namespace graphc::runtime

#endif
