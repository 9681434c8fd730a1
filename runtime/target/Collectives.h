// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the devices of a graph that a library of the devices makes; the
// instructions that the plan has for them are then left out.
#ifndef GRAPHC_RUNTIME_TARGET_COLLECTIVES_H
#define GRAPHC_RUNTIME_TARGET_COLLECTIVES_H

#include "runtime/format/model_generated.h"

#include <cstdint>
#include <vector>

namespace graphc::runtime {

class Accelerator;

/// Part of a program in a sum: from its AllReduce on the library may use source
/// and target, from instruction `use` on the program again.
struct SumTerm {
  uint32_t program = 0;
  uint32_t reduce = 0, use = 0; ///< instructions
};
using SumTerms = std::vector<SumTerm>; ///< of one sum, by program

/// The sums of one graph. Who walks the programs lets none come to its `use`
/// before all have arrived at their AllReduce.
/// Thread-safety: const.
class Collectives {
public:
  virtual ~Collectives() = default;

  /// The kind of devices that make the sums.
  virtual const Accelerator &accelerator() const = 0;

  /// By sum.
  virtual const std::vector<SumTerms> &terms() const = 0;

  /// True when the instruction only serves one of the sums.
  virtual bool leavesOut(const format::Instruction &instruction) const = 0;
};

} // namespace graphc::runtime

#endif
