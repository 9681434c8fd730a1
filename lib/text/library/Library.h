// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Funcs that every text may call: written in the language, and part of the
// compiler as the .tfir files of this folder.
#ifndef GRAPHC_LIB_TEXT_LIBRARY_LIBRARY_H
#define GRAPHC_LIB_TEXT_LIBRARY_LIBRARY_H

#include "lib/text/syntax/Diagnostics.h"
#include "lib/text/syntax/Tree.h"

#include <memory>
#include <string>
#include <vector>

namespace graphc::text {

/// A func as it is called.
struct LibraryFunc {
  std::string name;    ///< "metrics.mean"
  std::string call;    ///< "metrics.mean(values, weights=)"
  std::string summary; ///< the first sentence of its comment
  std::vector<std::string> operands;
  bool isInternal; ///< for other funcs of the library alone: a name with '_'
  size_t file;     ///< of the library that has it
};

/// All of them by name. Thread-safe.
const std::vector<LibraryFunc> &libraryFuncs();

/// Null: there is none of the name. Thread-safe.
const LibraryFunc *findLibraryFunc(llvm::StringRef name);

/// The trees of the library's texts, each parsed when a func of it is called
/// first.
class Library {
public:
  /// The tree of a func. Its places are known to `diagnostics`, which is the
  /// same in each call, from then on.
  const TextStatement &get(const LibraryFunc &func, Diagnostics &diagnostics);

private:
  std::vector<std::unique_ptr<Tree>> trees; ///< by file
};

} // namespace graphc::text

#endif
