// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npy files as a source: an array that stays in its file.
#ifndef GRAPHC_RUNTIME_DATA_NPY_NPYFORMAT_H
#define GRAPHC_RUNTIME_DATA_NPY_NPYFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *npyFormat();

} // namespace graphc::runtime

#endif
