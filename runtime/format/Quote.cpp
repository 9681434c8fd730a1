// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/Quote.h"

namespace graphc::runtime {

std::string_view viewOf(const flatbuffers::String *text) {
  return text ? text->string_view() : std::string_view();
}

} // namespace graphc::runtime
