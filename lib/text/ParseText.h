// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a text to the operations of a module.
#ifndef GRAPHC_LIB_TEXT_PARSETEXT_H
#define GRAPHC_LIB_TEXT_PARSETEXT_H

#include "lib/text/syntax/Lexer.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <utility>
#include <vector>

namespace graphc::text {

/// Constants that a user sets in place of those of a text: name and value.
using Definitions = std::vector<std::pair<std::string, std::string>>;

class Observer;

/// Options of parseText().
struct ParseSettings {
  llvm::StringRef whole; ///< text of the file, where the source is a part of it
  /// Operations, statements and values that a text may make.
  size_t maxWork = 4'000'000;
  Observer *observer = nullptr;
};

/// Builds what `source` (isText() holds) declares at the end of `module`, and
/// gives it the name that the text has. All errors are reported, at places of
/// `file`; the module is good, and verified, only without one. Single-threaded,
/// as MLIR's parser is.
llvm::LogicalResult parseText(llvm::StringRef source, llvm::StringRef file,
                              mlir::ModuleOp module,
                              const ParseSettings &settings = {});

/// Sets constants for all texts that this process parses: name and value, as
/// flags have them.
void setDefinitions(Definitions given);

} // namespace graphc::text

#endif
