// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instruction.action of model.fbs: what an instruction does.
#ifndef GRAPHC_LIB_PACKAGE_ACTIONTABLE_H
#define GRAPHC_LIB_PACKAGE_ACTIONTABLE_H

#include "dialects/exec/Exec.h"
#include "lib/target/common/SharedTables.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace graphc {

/// Indices of what instructions name.
struct ActionNumbers {
  llvm::StringMap<uint32_t> datasets, kernels;
  llvm::DenseMap<mlir::Value, uint32_t> slots; ///< of one program
};

struct ActionTable {
  format::Action kind = format::Action::NONE;
  flatbuffers::Offset<void> table;
};

ActionTable writeAction(exec::InstructionOpInterface op,
                        const ActionNumbers &numbers, SharedTables &tables);

} // namespace graphc

#endif
