// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one style of texts.
#ifndef GRAPHC_LIB_TEXT_SYNTAX_FORMAT_H
#define GRAPHC_LIB_TEXT_SYNTAX_FORMAT_H

#include "lib/text/syntax/Diagnostics.h"

#include <optional>
#include <string>

namespace graphc::text {

/// The source with lines indented by their blocks, one space where spaces help
/// and none elsewhere, and at most one empty line in a row. Lines and comments
/// stay; what is formatted once stays as it is. Nothing, with its errors in
/// `diagnostics`, for a source that cannot be parsed. The source must be known
/// to `diagnostics`.
std::optional<std::string> formatText(llvm::StringRef source,
                                      Diagnostics &diagnostics);

} // namespace graphc::text

#endif
