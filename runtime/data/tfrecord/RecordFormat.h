// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TFRecord files of tf.Example messages as a source, which stay on disk.
#ifndef GRAPHC_RUNTIME_DATA_TFRECORD_RECORDFORMAT_H
#define GRAPHC_RUNTIME_DATA_TFRECORD_RECORDFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

/// Several files follow each other in their order. A field is the feature of
/// its name, or of its key.
const SourceFormat *recordFormat();

} // namespace graphc::runtime

#endif
