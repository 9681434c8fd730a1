// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks before MLIR's parser, in every tool that parses texts.
#ifndef GRAPHC_LIB_FRONTEND_GUARDPARSER_H
#define GRAPHC_LIB_FRONTEND_GUARDPARSER_H

namespace graphc {

/// Makes this process check each text by checkText() before MLIR parses it,
/// wherever that is called from. A tool calls it before it parses anything.
void guardParser();

} // namespace graphc

#endif
