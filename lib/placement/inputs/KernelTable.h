// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On which kinds of device the ops of a user's own have kernels:
//
//   [{"op": "Lookup", "dtypes": ["f32", "i64"], "devices": {"CPU": 10, "GPU":
//   5},
//     "refs": [0], "resources": [1], "resource_results": [0],
//     "metadata": false}, ...]
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_KERNELTABLE_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_KERNELTABLE_H

#include "runtime/json/JsonFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// One kind of device that has a kernel.
struct KernelKind {
  std::string type;            ///< "GPU"
  std::optional<int> priority; ///< instead of the devices' own

  bool operator==(const KernelKind &) const = default;
};

/// Properties of one op, whatever its types.
struct KernelOp {
  llvm::SmallVector<unsigned> refs;            ///< operands that are references
  llvm::SmallVector<unsigned> resources;       ///< operands that are resources
  llvm::SmallVector<unsigned> resourceResults; ///< results that are resources
  /// Reads no more than the shape of its operand, like Shape, Size and Rank.
  bool metadata = false;
};

/// Thread-safety: immutable once made.
class KernelTable {
public:
  /// Knows no op.
  KernelTable() = default;

  static runtime::StatusOr<KernelTable> parse(const runtime::TextFile &file);

  bool knows(llvm::StringRef op) const { return ops.count(op) != 0; }

  /// The op's operands and results, or null if the table does not know it.
  const KernelOp *info(llvm::StringRef op) const;

  /// The kinds, by name, with a kernel for an op whose operands and results
  /// have these element types ("f32", or "float32"): empty when there is none.
  /// An entry fits when it lists them all or has no list.
  std::vector<KernelKind> find(llvm::StringRef op,
                               llvm::ArrayRef<llvm::StringRef> dtypes) const;

  /// Describes the registered kernels of the op: "GPU for f32; CPU". Empty if
  /// the table does not know it.
  std::string describe(llvm::StringRef op) const;

  /// "kernels.json:3", the op's first entry. REQUIRES: knows(op).
  std::string place(llvm::StringRef op) const;

private:
  friend class KernelTableReader;

  struct Entry {
    std::vector<std::string> dtypes; ///< empty: all
    std::vector<KernelKind> kinds;   ///< by name
    int line = 0;
  };
  struct Op {
    KernelOp info;
    std::vector<Entry> entries;
  };

  llvm::StringMap<Op> ops;
  std::string path;
};

} // namespace graphc

#endif
