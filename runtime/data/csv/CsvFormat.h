// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CSV and TSV files as a source: lines that are found by an index of 8 bytes
// each, and parsed when they are read.
#ifndef GRAPHC_RUNTIME_DATA_CSV_CSVFORMAT_H
#define GRAPHC_RUNTIME_DATA_CSV_CSVFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *csvFormat();

} // namespace graphc::runtime

#endif
