// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instance of model.fbs: what a worker's copy of a graph shares with others.
#ifndef GRAPHC_LIB_PACKAGE_INSTANCETABLE_H
#define GRAPHC_LIB_PACKAGE_INSTANCETABLE_H

#include "dialects/exec/Exec.h"
#include "lib/target/common/SharedTables.h"

#include "llvm/ADT/StringMap.h"

namespace graphc {

/// Numbers by name.
using VariableNumbers = llvm::StringMap<uint32_t>;

/// The table of the graph that has these programs; null for one that is no
/// worker's copy.
flatbuffers::Offset<format::Instance>
writeInstance(llvm::ArrayRef<exec::ProgramOp> programs,
              const VariableNumbers &variables, SharedTables &tables);

} // namespace graphc

#endif
