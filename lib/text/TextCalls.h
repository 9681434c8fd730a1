// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the text language that are no operations of their own, but stand for
// others.
#ifndef GRAPHC_LIB_TEXT_TEXTCALLS_H
#define GRAPHC_LIB_TEXT_TEXTCALLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphc::text {

struct TextCall {
  llvm::StringLiteral name;
  llvm::StringLiteral call; ///< as describe() shows operations
  llvm::StringLiteral summary;
};

/// All of them by name.
llvm::ArrayRef<TextCall> textCalls();
/// Null when there is none of the name.
const TextCall *findTextCall(llvm::StringRef name);

} // namespace graphc::text

#endif
