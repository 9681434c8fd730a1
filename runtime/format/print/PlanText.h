// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names the elements of a plan in messages.
#ifndef GRAPHC_RUNTIME_FORMAT_PRINT_PLANTEXT_H
#define GRAPHC_RUNTIME_FORMAT_PRINT_PLANTEXT_H

#include "runtime/format/model_generated.h"

#include <string>

namespace graphc::runtime {

/// " at line 3", or nothing.
std::string lineText(const format::Location *location);

/// "program 1 '/job:localhost/replica:0/task:0/device:CPU:0'".
/// REQUIRES: the program exists.
std::string programText(const format::Model &model, const format::Graph &graph,
                        uint32_t program);

/// "instruction #4 'fc1/MatMul' at line 12".
/// REQUIRES: the instruction exists.
std::string instructionText(const format::Program &program, uint32_t index);

/// "slot %3 'fc1/MatMul'". REQUIRES: the slot exists.
std::string slotText(const format::Program &program, uint32_t index);

/// "edge 2 'fc1/MatMul' at line 12 from program 0 '...' to program 1 '...'".
/// REQUIRES: the edge exists; its programs need not.
std::string edgeText(const format::Model &model, const format::Graph &graph,
                     uint32_t edge);

} // namespace graphc::runtime

#endif
