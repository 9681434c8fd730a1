// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of text as a source.
#ifndef GRAPHC_RUNTIME_DATA_TEXT_TEXTFORMAT_H
#define GRAPHC_RUNTIME_DATA_TEXT_TEXTFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *textFormat();

} // namespace graphc::runtime

#endif
