// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code of earlier compilations.
#ifndef GRAPHC_LIB_TARGET_CACHE_CODECACHE_H
#define GRAPHC_LIB_TARGET_CACHE_CODECACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <mutex>
#include <optional>
#include <string>

namespace llvm {
class Module;
}

namespace graphc {

/// Files of a folder, each of which has the code of one key. Several processes
/// may use a folder at once. What cannot be read, or was cut short or changed,
/// is not found; what cannot be written is left out: a compilation goes on
/// without.
/// Thread-safe.
class CodeCache {
public:
  using Code = llvm::SmallVector<char, 0>;

  /// A cache in `folder`, which is made with the first code; of nothing if its
  /// name is empty.
  explicit CodeCache(llvm::StringRef folder) : folder(folder) {}
  CodeCache(const CodeCache &) = delete;
  CodeCache &operator=(const CodeCache &) = delete;

  /// A key for code that LLVM makes of `source` with certain settings: it knows
  /// this LLVM, too, and how graphc uses it.
  static std::string keyOf(llvm::ArrayRef<char> source,
                           llvm::StringRef settings);

  std::optional<Code> find(llvm::StringRef key);
  void add(llvm::StringRef key, llvm::ArrayRef<char> code);

  /// Takes out what was not used for a week, and the oldest of more than 2 GB;
  /// looks every twenty minutes at most.
  void prune() const;

  /// The reason that something could not be written; empty if all was.
  std::string failure() const;

private:
  std::string pathOf(llvm::StringRef key) const;
  void fail(std::string cause);

  std::string folder;
  mutable std::mutex mutex;
  std::string cause; ///< guarded by mutex
};

/// The source of a key: a module before LLVM changes it. The order of uses is
/// in it, since code may depend on it.
CodeCache::Code bitcodeOf(const llvm::Module &module);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CACHE_CODECACHE_H
