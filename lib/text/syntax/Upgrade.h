// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions of the text language, and rewriting of texts from one to the next.
#ifndef GRAPHC_LIB_TEXT_SYNTAX_UPGRADE_H
#define GRAPHC_LIB_TEXT_SYNTAX_UPGRADE_H

#include "lib/text/syntax/Diagnostics.h"
#include "lib/text/syntax/Lexer.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc::text {

/// The version that parsers and printers have.
inline constexpr int kLanguageVersion = 1;

/// Less than, equal to or greater than 0 for a version that is older than,
/// equal to or newer than kLanguageVersion. What is no whole number is newer.
int compareVersion(llvm::StringRef version);

/// Reports a version, at its place in a source, that the parser does not read.
/// Returns whether it reads it.
bool checkVersion(llvm::StringRef version, Diagnostics &diagnostics);

/// Replaces characters within one line of a source.
struct SourceEdit {
  llvm::StringRef replaced; ///< lies in the source; empty to insert
  std::string text;         ///< without an end of line
};

/// Turns texts of version `from` into texts of version `from + 1`.
struct Upgrader {
  int from;
  /// Gives the edits that a text needs, in its order, for its tokens, comments
  /// among them, behind the number of the version. What cannot be said in the
  /// next version is an error in `diagnostics`.
  std::vector<SourceEdit> (*edit)(llvm::ArrayRef<TextToken> tokens,
                                  Diagnostics &diagnostics);
};

/// The upgraders of the language, from its oldest version on.
llvm::ArrayRef<Upgrader> upgraders();

/// A source (isText() holds) in the newest version, by one upgrader after the
/// other: the same lines with the same comments. Nothing, with errors at lines
/// of `file`, when that cannot be done.
std::optional<std::string> upgradeText(llvm::StringRef source,
                                       llvm::StringRef file,
                                       llvm::ArrayRef<Upgrader> upgraders,
                                       mlir::MLIRContext &context);

} // namespace graphc::text

#endif
