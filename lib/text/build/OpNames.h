// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the operations of a graph: the left side of an assignment within its
// scopes.
#ifndef GRAPHC_LIB_TEXT_BUILD_OPNAMES_H
#define GRAPHC_LIB_TEXT_BUILD_OPNAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace graphc::text {

/// Names that are taken, as TensorFlow's graphs have them: the second `h` is
/// `h_1`.
class TakenNames {
public:
  /// `name`, or `name` with the next free number; it is taken from then on.
  std::string take(llvm::StringRef name) {
    if (taken.insert(name).second)
      return name.str();
    for (unsigned &number = numbers[name];;) {
      std::string next = name.str() + "_" + std::to_string(++number);
      if (taken.insert(next).second)
        return next;
    }
  }

private:
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> numbers; ///< the last one of each name
};

} // namespace graphc::text

#endif
