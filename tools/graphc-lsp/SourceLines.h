// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of a source, with columns as the protocol counts them.
#ifndef GRAPHC_TOOLS_GRAPHC_LSP_SOURCELINES_H
#define GRAPHC_TOOLS_GRAPHC_LSP_SOURCELINES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <vector>

namespace graphc::lsp {

/// A place between two characters: from 0, the column in units of UTF-16.
struct Position {
  unsigned line = 0, character = 0;
};

/// Converts between offsets in a source of UTF-8 and positions. The source must
/// outlive it. Places behind the end are the end.
class SourceLines {
public:
  explicit SourceLines(llvm::StringRef text);

  Position positionOf(size_t offset) const;
  size_t offsetOf(Position position) const;

  /// `{"start": ..., "end": ...}` of bytes from `begin` up to `end`.
  llvm::json::Object range(size_t begin, size_t end) const;
  /// The same of a part of the source.
  llvm::json::Object range(llvm::StringRef part) const {
    size_t begin = part.data() - text.data();
    return range(begin, begin + part.size());
  }

  llvm::StringRef text;

private:
  std::vector<size_t> begins; ///< offset of each line
};

/// A position in JSON. Places at the source's begin where it has none.
llvm::json::Object toJson(Position position);
Position positionFrom(const llvm::json::Object *object);

} // namespace graphc::lsp

#endif
