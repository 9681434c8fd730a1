// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers to what an editor asks about a text, in the protocol's JSON.
//
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17
// has their forms. Each is null, or an empty list, where there is nothing.
#ifndef GRAPHC_TOOLS_GRAPHC_LSP_ANSWERS_H
#define GRAPHC_TOOLS_GRAPHC_LSP_ANSWERS_H

#include "tools/graphc-lsp/Analysis.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace graphc::lsp {

using Json = llvm::json::Value;

// Hover.cpp
Json hover(const Analysis &text, const char *place);
/// Types of names that are bound without one, between two places.
Json inlayHints(const Analysis &text, const char *begin, const char *end);

// Completion.cpp
Json completion(const Analysis &text, const char *place);
Json signatureHelp(const Analysis &text, const char *place);

// Navigation.cpp
Json definition(const Analysis &text, const char *place);
Json references(const Analysis &text, const char *place, bool withDefinitions);
Json highlights(const Analysis &text, const char *place);
/// The range of a name that can be renamed.
llvm::Expected<Json> prepareRename(const Analysis &text, const char *place);
llvm::Expected<Json> rename(const Analysis &text, const char *place,
                            llvm::StringRef name);
Json documentSymbols(const Analysis &text);
Json foldingRanges(const Analysis &text);

// Tokens.cpp
/// Kinds of words, as the server announces them.
llvm::json::Object tokenLegend();
Json semanticTokens(const Analysis &text);

// Problems.cpp
/// Parameters of textDocument/publishDiagnostics.
Json diagnostics(const Analysis &text, llvm::StringRef uri);
/// Corrections of a problem in the range that is suggested in its error.
Json codeActions(const Analysis &text, const char *begin, const char *end);
llvm::Expected<Json> formatting(const Analysis &text);

/// The URI of a file.
std::string uriOf(llvm::StringRef path);
/// The path of a URI `file://...`; of others what is behind the scheme.
std::string pathOf(llvm::StringRef uri);

} // namespace graphc::lsp

#endif
