// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the programs of a graph fit together.
#ifndef GRAPHC_RUNTIME_FORMAT_CHECK_PLANFINDING_H
#define GRAPHC_RUNTIME_FORMAT_CHECK_PLANFINDING_H

#include "runtime/format/InstructionId.h"
#include "runtime/format/check/PlanView.h"

#include <cstdint>
#include <optional>
#include <string>

namespace graphc::runtime {

/// Names of the elements of a plan in messages. The compiler and the loader
/// each have their own.
class PlanNames {
public:
  virtual ~PlanNames() = default;

  /// "program 1 '/job:ps/...'".
  virtual std::string program(uint32_t program) const = 0;
  /// "instruction #4 'fc1/MatMul' at line 12".
  virtual std::string instruction(uint32_t program, uint32_t index) const = 0;
  /// "slot %3 'fc1/MatMul'".
  virtual std::string slot(uint32_t program, uint32_t index) const = 0;
  /// "edge 2 'fc1/MatMul'".
  virtual std::string edge(uint32_t edge) const = 0;
  /// "'fc1/weights'": the variable of a slot.
  virtual std::string variable(uint32_t program, uint32_t slot) const = 0;
  /// "AllReduce", as the reader spells it.
  virtual std::string allReduce() const = 0;

  /// The program and the instruction.
  std::string place(uint32_t program, uint32_t index) const {
    return this->program(program) + ": " + instruction(program, index);
  }
};

/// Rule that a plan breaks.
struct PlanFinding {
  /// The instruction that breaks it; none: the plan as a whole, or a port.
  std::optional<InstructionId> at;
  /// An instruction that has part in it.
  std::optional<InstructionId> other;
  /// Names what breaks it, up to `cause`; empty: the instruction `at` does.
  std::string subject;
  /// Continues the subject: "it does not wait for ...".
  std::string cause;

  std::string text(const PlanNames &names) const {
    return (subject.empty() && at
                ? names.place(at->program, at->instruction) + ": " + cause
                : subject + cause);
  }
};

/// Nothing: the plan keeps the rule.
using PlanResult = std::optional<PlanFinding>;

/// Checks that
///
/// - an AllReduce is one of several programs, of as many bytes; instructions
///   that a library does the work of stand before it and have no other effect;
///   without them there is no deadlock either, where each AllReduce waits for
///   all of its programs
/// - the order leads every program to its end, and each Recv behind the Sends
///   of its edges: there is no deadlock
/// - all programs meet collectives in one order
/// - a variable that is written, and each shard of a dataset, belongs to one
///   program; all shards of a dataset are taken equally often
/// - a value is written before it is read, and no other value lies in its
///   bytes while it is in use; waits order all uses of the same bytes; what is
///   received may arrive from the start of the step on
///
/// A graph of one program that gives no order is only checked for AllReduces.
/// Of the slice of one task, what concerns the programs together (order,
/// collectives, completeness of shards) was checked on the whole plan.
///
/// It takes time linear in the size of the view but for a sort of the slots.
PlanResult checkPlanView(const PlanView &plan, const PlanNames &names);

} // namespace graphc::runtime

#endif
