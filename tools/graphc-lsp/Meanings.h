// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that the names and expressions of a text stood for when it was built.
#ifndef GRAPHC_TOOLS_GRAPHC_LSP_MEANINGS_H
#define GRAPHC_TOOLS_GRAPHC_LSP_MEANINGS_H

#include "lib/text/Observer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphc::lsp {

/// A value, variable or constant.
struct Meaning {
  std::string type;    ///< "f32[?, 10]"; empty for what has none
  std::string text;    ///< "the constant 12": what has no type
  std::string key;     ///< "train/h" or "@w" as placement names it, or empty
  unsigned result = 0; ///< of the operation

  bool operator==(const Meaning &other) const = default;
};

/// Those of a place, the first of each kind: a func is built for each call.
struct MeaningsOfPlace {
  llvm::SmallVector<Meaning, 1> first;
  size_t count = 0; ///< times that it was built
};

/// Collects meanings while parseText() builds a text.
class Meanings : public text::Observer {
public:
  /// Of the places in `source` only.
  explicit Meanings(llvm::StringRef source) : source(source) {}

  void observeName(const char *place, const text::Item &item) override;
  void observe(const text::Expr &expr, const text::Item &item) override;

  /// Null where nothing was built, or it has no value.
  const MeaningsOfPlace *at(const char *place) const;

private:
  void add(const char *place, const text::Item &item);

  llvm::StringRef source;
  llvm::DenseMap<const char *, MeaningsOfPlace> places;
};

} // namespace graphc::lsp

#endif
