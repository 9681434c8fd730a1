// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The family of ops that write at computed places, a part of that of gathers.
#ifndef GRAPHC_LIB_INTERPRETER_OPS_SCATTEROPS_H
#define GRAPHC_LIB_INTERPRETER_OPS_SCATTEROPS_H

#include "lib/interpreter/Frame.h"

namespace graphc::interpreter {

void addScatterOps(OpTable &table);

} // namespace graphc::interpreter

#endif
