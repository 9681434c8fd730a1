// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of a file; runtime/base/Texts.h shows them to a person.
#ifndef GRAPHC_RUNTIME_FORMAT_QUOTE_H
#define GRAPHC_RUNTIME_FORMAT_QUOTE_H

#include "runtime/base/Texts.h"

#include "flatbuffers/flatbuffers.h"

#include <string_view>

namespace graphc::runtime {

/// The text of a field that may be missing; missing is empty.
std::string_view viewOf(const flatbuffers::String *text);

} // namespace graphc::runtime

#endif
