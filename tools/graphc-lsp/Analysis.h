// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that is known about one version of a text.
#ifndef GRAPHC_TOOLS_GRAPHC_LSP_ANALYSIS_H
#define GRAPHC_TOOLS_GRAPHC_LSP_ANALYSIS_H

#include "graphc/Options.h"
#include "lib/text/syntax/Lexer.h"
#include "lib/text/syntax/Tree.h"
#include "tools/graphc-lsp/Marks.h"
#include "tools/graphc-lsp/Meanings.h"
#include "tools/graphc-lsp/Placement.h"
#include "tools/graphc-lsp/SourceLines.h"

#include <memory>
#include <optional>

namespace graphc::lsp {

/// Error or warning with its places.
struct Problem {
  struct Part {
    std::string file;
    unsigned line = 0, column = 0; ///< from 1, in bytes; 0: no place
    std::string message;
  };
  Part main;
  std::vector<Part> notes;
  bool isError = true; ///< or a warning
};

/// A text that another one imports, and its names.
struct ImportedText {
  std::string path, source;
  text::Tree tree;
  std::unique_ptr<SourceLines> lines;
  std::unique_ptr<Marks> marks;
};

/// Options of the server for the phases behind the parser.
struct AnalysisOptions {
  CompileOptions compile; ///< devices and batch
  bool hasBatch = false;  ///< given by the user: shapes are shown with it
};

/// A version of a text. Thread-safety: const functions may run at the same
/// time.
class Analysis {
public:
  /// Parses, builds and places `text`, the file at `path`.
  Analysis(std::string text, std::string path, const AnalysisOptions &options);

  /// The operation or value that a place shows: its name is there.
  const MeaningsOfPlace *meaningAt(const char *place) const {
    return meanings->at(place);
  }
  /// The token at, or that ends at, a place; null in spaces.
  const text::TextToken *tokenAt(const char *place) const;
  /// The end of the block or brackets that open at `begin`; null without one.
  const char *endOfBlock(const char *begin) const;
  /// The import that has a symbol of the module; null when none has.
  const ImportedText *importOf(llvm::StringRef name) const;
  /// The graph or func around a place; null outside.
  const text::TextStatement *containerAt(const char *place) const;

  const std::string source, path;
  const AnalysisOptions options;
  const SourceLines lines;
  std::vector<text::TextToken> tokens; ///< with comments
  text::Tree tree;
  std::unique_ptr<Marks> marks;
  std::unique_ptr<Meanings> meanings;
  std::optional<PlacedModule> placed; ///< of a text without errors
  std::vector<Problem> problems;
  std::vector<std::unique_ptr<ImportedText>> imports;
  /// Places of brackets that are closed, and of what closes them, in order.
  std::vector<std::pair<const char *, const char *>> blocks;

private:
  void parse(mlir::MLIRContext &context);
  void parseImports(mlir::MLIRContext &context);
  void findBlocks();
};

} // namespace graphc::lsp

#endif
