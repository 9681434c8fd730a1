// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npz files as a source: arrays named as the fields. Those that are stored
// stay in the file, those that are deflated are loaded.
#ifndef GRAPHC_RUNTIME_DATA_NPZ_NPZFORMAT_H
#define GRAPHC_RUNTIME_DATA_NPZ_NPZFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *npzFormat();

} // namespace graphc::runtime

#endif
