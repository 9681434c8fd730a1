// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IDX files as a source: plain ones stay on disk, packed ones are loaded.
#ifndef GRAPHC_RUNTIME_DATA_IDX_IDXFORMAT_H
#define GRAPHC_RUNTIME_DATA_IDX_IDXFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *idxFormat();

} // namespace graphc::runtime

#endif
