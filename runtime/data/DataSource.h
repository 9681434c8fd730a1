// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches of examples from files: what a dataset of a model reads at run time.
#ifndef GRAPHC_RUNTIME_DATA_DATASOURCE_H
#define GRAPHC_RUNTIME_DATA_DATASOURCE_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"
#include "runtime/data/BatchObserver.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// Declaration of a dataset in a model (Dataset of model.fbs).
struct DatasetSpec {
  struct Field {
    std::string name;
    TensorType type; ///< of one example
  };
  std::string name;
  std::vector<Field> fields;
  int64_t batch = 1;         ///< examples per step, >= 1
  int64_t shuffleBuffer = 0; ///< examples to draw from; 0: the files' order
  uint64_t seed = 0;         ///< of the shuffle, together with the run's
  int64_t repeat = 1;        ///< passes over the data; 0: without end
  int64_t prefetch = 2;      ///< batches made ahead of their use; 0: none
  /// See RowOrder; -1: the buffer is filled after each draw.
  int64_t minAfterDequeue = -1;
  bool shufflesFiles = false; ///< each pass has the files in another order
  int64_t cycleLength = 1;    ///< files that are read side by side,
  int64_t blockLength = 1;    ///< so many examples of each in turn
  int64_t cacheMib = 0;       ///< decoded examples that are kept, at most
  /// The field that no file has: 1 for an example, 0 for what fills up the last
  /// batch of a pass. -1: there is none, and that batch is left out.
  int64_t mask = -1;
  /// Done to each example, in their order; see ExampleTransform.
  struct Transform {
    std::string name;
    uint32_t field = 0;
    std::vector<double> numbers;
  };
  std::vector<Transform> transforms{};
  /// Threads that read and decode, at most 8 of them; 0: as many as cores.
  int64_t readerThreads = 0;
  /// Batches to pass over, for a training that goes on; OUT_OF_RANGE where
  /// there are not so many.
  uint64_t skip = 0;
};

/// A stream of batches. Thread-safety: one caller at a time.
class DataSource {
public:
  virtual ~DataSource() = default;

  /// Writes the next batch: fields[i] points to batch x field i's bytes.
  /// OUT_OF_RANGE at the end of the data; a failure stays for later calls.
  /// Allocates nothing but the text of a failure.
  virtual Status next(std::span<std::byte *const> fields) = 0;

  /// Success where next() would give a batch, else what it would fail with.
  /// May wait for the batch; takes nothing.
  virtual Status ready() = 0;

  /// Goes on with the batch after the first `batches`, as a source that is
  /// opened anew with such a `skip`: after a failure and at the end of the
  /// data, too. What is read already stays so. OUT_OF_RANGE where there are not
  /// so many; the next batch is the first one then.
  virtual Status rewind(uint64_t batches) = 0;

  /// Examples of one pass, after the row range was applied.
  virtual int64_t examples() const = 0;

  /// Batches of one pass: whole ones, and the last one where a mask says what
  /// of it are examples.
  virtual int64_t batchesPerEpoch() const = 0;

  /// Examples that each pass leaves over because they fill no batch: shapes
  /// are static, and no batch crosses the end of a pass.
  virtual int64_t droppedPerEpoch() const = 0;

  /// Tells of batches that threads of the source make ahead; null: nobody.
  virtual void observe(std::shared_ptr<BatchObserver> observer) {}
};

/// Opens the files of a dataset. Where that saves time (batches of megabytes,
/// or rows that are decoded), threads of its own keep spec.prefetch batches
/// ready.
///
/// `files` is "FILE[,FILE...][?FIELD=KEY...][@BEGIN:END]": one file per field
/// in their order, or one .npz (arrays named as the fields), or one CSV, for
/// all fields; or TFRecord files of tf.Example messages, whose features KEY are
/// the fields. A '*' in a name fits any files. BEGIN:END are the rows to use,
/// END exclusive, either may be left out. Kinds are told by content: .npy,
/// .npz, IDX and TFRecord (plain or gzip); a CSV file is told by its name's
/// ending
/// ".csv".
///
/// A file's elements per row and dtype must be the declared ones; the shape may
/// group them otherwise, and integers widen without loss. TFRecord files stay
/// on disk, with 4 bytes per record in memory; others, and what is packed, are
/// read completely here, so they must fit in memory.
///
/// The order of the examples is a function of the files, the spec and
/// `runSeed`; it does not depend on the machine or on timing.
StatusOr<std::unique_ptr<DataSource>>
openDataset(const DatasetSpec &spec, std::string_view files, uint64_t runSeed);

} // namespace graphc::runtime

#endif
