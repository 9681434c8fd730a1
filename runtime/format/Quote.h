// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of a file as they may be shown to a person.
#ifndef GRAPHC_RUNTIME_FORMAT_QUOTE_H
#define GRAPHC_RUNTIME_FORMAT_QUOTE_H

#include "flatbuffers/flatbuffers.h"

#include <string>
#include <string_view>

namespace graphc::runtime {

/// The text without quotes; control characters become "\xNN", so that a file
/// cannot steer a terminal or break a line.
std::string escape(std::string_view text);

/// 'text', escaped as above.
std::string quote(std::string_view text);

/// The text of a field that may be missing; missing is empty.
std::string_view viewOf(const flatbuffers::String *text);

} // namespace graphc::runtime

#endif
