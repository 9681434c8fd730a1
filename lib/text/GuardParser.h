// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser of both forms of a source, in every tool that parses one.
#ifndef GRAPHC_LIB_TEXT_GUARDPARSER_H
#define GRAPHC_LIB_TEXT_GUARDPARSER_H

namespace graphc {

/// Makes this process parse texts of the text language wherever it calls MLIR's
/// parser, and check others by checkText() before that one sees them. A tool
/// calls it before it parses anything.
void guardParser();

} // namespace graphc

#endif
