// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what compiled code computed with the reference.
#ifndef GRAPHC_TOOLS_GRAPHC_COMPARETENSORS_H
#define GRAPHC_TOOLS_GRAPHC_COMPARETENSORS_H

#include "lib/interpreter/Tensor.h"
#include "runtime/data/HostTensor.h"

#include <cstdint>
#include <string>

namespace graphc::interpreter {

/// The type that files and feeds store an element as.
runtime::DType toDType(ElementKind kind);

/// Counts elements that were compared, and those that could not be.
struct Counts {
  int64_t checked = 0;
  int64_t undecided = 0; ///< elements whose value depends on rounding
};

/// Compares what a compiled program gave with the reference: "" or what
/// differs. A correct program lies in the reference's interval, widened by some
/// times its width: that counts each rounding once, and compiled code may
/// contract, reassociate and recompute.
std::string compare(const runtime::HostTensor &found, const Tensor &expected,
                    Counts &counts);

/// The two ways to differentiate, both in double precision: "" or what differs.
std::string compareValues(const Tensor &found, const Tensor &expected,
                          Counts &counts);

} // namespace graphc::interpreter

#endif
