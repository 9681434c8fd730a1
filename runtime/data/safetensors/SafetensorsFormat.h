// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// safetensors files as a source: tensors named as the fields, which stay in the
// file.
#ifndef GRAPHC_RUNTIME_DATA_SAFETENSORS_SAFETENSORSFORMAT_H
#define GRAPHC_RUNTIME_DATA_SAFETENSORS_SAFETENSORSFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *safetensorsFormat();

} // namespace graphc::runtime

#endif
