// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of a step that each instruction comes after.
#ifndef GRAPHC_RUNTIME_PROFILE_STEPDEPENDENCES_H
#define GRAPHC_RUNTIME_PROFILE_STEPDEPENDENCES_H

#include "runtime/format/InstructionId.h"
#include "runtime/format/model_generated.h"

#include <span>
#include <vector>

namespace graphc::runtime {

/// The instructions of all programs of a graph, numbered through. Each comes
/// after the one before it in its program, and a receive after its sends.
/// Thread-safety: as a value type.
class StepDependences {
public:
  /// Of programs with so many instructions.
  explicit StepDependences(std::span<const uint32_t> sizes);

  /// REQUIRES: the graph is verified. Sums that a library makes meet: each
  /// AllReduce comes after what is before the others of its number.
  static StepDependences of(const format::Graph &graph);

  void add(InstructionId before, InstructionId after) {
    earlier[indexOf(after)].push_back(indexOf(before));
  }

  uint32_t size() const { return static_cast<uint32_t>(programs.size()); }
  uint32_t programCount() const {
    return static_cast<uint32_t>(firsts.size() - 1);
  }
  uint32_t indexOf(InstructionId id) const {
    return firsts[id.program] + id.instruction;
  }
  InstructionId idOf(uint32_t index) const {
    return {programs[index], index - firsts[programs[index]]};
  }
  uint32_t programOf(uint32_t index) const { return programs[index]; }
  bool isFirst(uint32_t index) const {
    return index == firsts[programs[index]];
  }
  /// Indices from the first of the program to that after its last.
  uint32_t firstOf(uint32_t program) const { return firsts[program]; }
  uint32_t endOf(uint32_t program) const { return firsts[program + 1]; }

  /// Those that were added: what the instruction comes after in other programs.
  std::span<const uint32_t> othersBefore(uint32_t index) const {
    return earlier[index];
  }

private:
  std::vector<uint32_t> firsts;   ///< by program, and the number of all
  std::vector<uint32_t> programs; ///< by index
  std::vector<std::vector<uint32_t>> earlier;
};

} // namespace graphc::runtime

#endif
