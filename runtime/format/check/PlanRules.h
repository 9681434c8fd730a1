// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of checkPlanView(), and what they share.
#ifndef GRAPHC_RUNTIME_FORMAT_CHECK_PLANRULES_H
#define GRAPHC_RUNTIME_FORMAT_CHECK_PLANRULES_H

#include "runtime/format/check/PlanFinding.h"

#include <string>

/// Returns from the function when `expr` is a finding.
#define GRAPHC_CHECK(expr)                                                     \
  do {                                                                         \
    if (::graphc::runtime::PlanResult graphcFinding = (expr))                  \
      return graphcFinding;                                                    \
  } while (false)

namespace graphc::runtime {

inline std::string textOf(uint64_t number) { return std::to_string(number); }

inline const InstructionView &instructionAt(const PlanView &plan,
                                            InstructionId at) {
  return plan.programs[at.program].instructions[at.instruction];
}

/// Checks the order: no program is in a deadlock.
PlanResult checkOrder(const PlanView &plan, const PlanNames &names);

/// All programs meet collectives in one order.
PlanResult checkCollectives(const PlanView &plan, const PlanNames &names);

/// Each AllReduce is one of several programs, of as many values; what makes the
/// sum without a library stands before it and has no other effect; and no
/// program is in a deadlock where a library makes the sums, each AllReduce then
/// being a meeting of all its programs.
PlanResult checkAllReduces(const PlanView &plan, const PlanNames &names);

/// Checks that programs share variables and datasets without a race.
PlanResult checkSharing(const PlanView &plan, const PlanNames &names);

/// Values of one program are written before they are read and not overwritten
/// before they were.
PlanResult checkMemory(const PlanView &plan, uint32_t program,
                       const PlanNames &names);

} // namespace graphc::runtime

#endif
