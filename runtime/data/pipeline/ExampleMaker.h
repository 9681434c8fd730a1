// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of examples as a graph gets them, made of the rows of files.
#ifndef GRAPHC_RUNTIME_DATA_PIPELINE_EXAMPLEMAKER_H
#define GRAPHC_RUNTIME_DATA_PIPELINE_EXAMPLEMAKER_H

#include "runtime/data/ExampleRows.h"
#include "runtime/data/transforms/ExampleTransform.h"

#include <memory>
#include <optional>

namespace graphc::runtime {

/// Reads rows, keeps them where the dataset has a cache, changes them by its
/// transforms and writes its mask. Random number i of a transform is a function
/// of the seeds, the pass, the row and the transform's place in the list, so
/// examples do not depend on who makes them, or when.
/// Thread-safety: const calls may run at the same time.
class ExampleMaker {
public:
  /// Checks the transforms and opens the files: see openDataset().
  static StatusOr<std::unique_ptr<ExampleMaker>>
  open(const DatasetSpec &spec, std::string_view files, uint64_t runSeed);

  /// Of the files, in the range that was asked for.
  int64_t rows() const { return source->rows(); }
  std::vector<int64_t> fileEnds() const { return source->fileEnds(); }
  /// As ExampleRows::rowNanos(), with the transforms.
  int64_t rowNanos() const { return nanos; }
  /// Bytes of an example, by field.
  std::span<const size_t> exampleBytes() const { return bytes; }

  /// Writes the examples one after the other: fields[i] points to as many times
  /// field i's bytes. Rows of -1 stand behind the others: they are filled up
  /// with zeros.
  Status make(uint64_t pass, std::span<const int64_t> rows,
              std::span<std::byte *const> fields) const;

private:
  struct Field {
    /// In their order, with their places in the list of all.
    std::vector<std::pair<size_t, std::unique_ptr<ExampleTransform>>>
        transforms;
    size_t largest = 0; ///< bytes of any of its forms
  };

  ExampleMaker() = default;
  Status addTransforms(DatasetSpec &spec);
  Status readRow(uint64_t pass, int64_t row,
                 std::span<std::byte *const> places) const;
  void change(const Field &field, uint64_t pass, int64_t row,
              std::byte *buffers, std::byte *out) const;

  std::unique_ptr<ExampleRows> source; ///< all fields but the mask
  std::vector<Field> fields;
  std::vector<size_t> bytes; ///< of an example, by field
  std::optional<size_t> mask;
  DType maskType = DType::Float32;
  uint64_t key = 0;
  int64_t nanos = 0;
  bool hasTransforms = false;
};

} // namespace graphc::runtime

#endif
