// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Examples that are made, not read: for benchmarks and trials.
#ifndef GRAPHC_RUNTIME_DATA_GENERATE_GENERATEFORMAT_H
#define GRAPHC_RUNTIME_DATA_GENERATE_GENERATEFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *generateFormat();

} // namespace graphc::runtime

#endif
