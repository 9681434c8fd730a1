// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of TFRecord files of tf.Example messages, which stay on disk.
#ifndef GRAPHC_RUNTIME_DATA_TFRECORD_RECORDROWS_H
#define GRAPHC_RUNTIME_DATA_TFRECORD_RECORDROWS_H

#include "runtime/data/ExampleRows.h"
#include "runtime/data/tfrecord/RecordFile.h"

namespace graphc::runtime {

/// All files are TFRecord files; their records follow each other in the order
/// of the files. A field is the feature of its name, or of files.keys.
StatusOr<std::unique_ptr<ExampleRows>>
openRecordRows(const DatasetSpec &spec, const DatasetFiles &files);

} // namespace graphc::runtime

#endif
