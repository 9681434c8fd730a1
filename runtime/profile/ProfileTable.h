// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of a step's instructions, added up by op, line, layer or device.
#ifndef GRAPHC_RUNTIME_PROFILE_PROFILETABLE_H
#define GRAPHC_RUNTIME_PROFILE_PROFILETABLE_H

#include "runtime/format/InstructionId.h"
#include "runtime/profile/InstructionWork.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Subject of a row of a table.
enum class ProfileKey : uint8_t { Kernel, Op, Line, Layer, Device };

/// Mean time of an instruction in a step.
struct InstructionSeconds {
  InstructionId id;
  double seconds;
};

struct ProfileRow {
  std::string name;   ///< of the instruction, op, layer or device; "": of none
  InstructionId id;   ///< Kernel: of the instruction
  uint32_t line = 0;  ///< Line: from 1; 0: not known
  uint32_t count = 0; ///< instructions with a share in it
  double seconds = 0; ///< per step, of all devices together
  double flops = 0;   ///< per step
  double bytes = 0;   ///< per step
  std::array<double, kStepPhases> phases{}; ///< seconds, by StepPhase
};

/// The rows, the longest first. Ops and layers of towers are one row.
/// REQUIRES: the model is verified, and the instructions are of the graph.
std::vector<ProfileRow> tabulate(const format::Model &model,
                                 const format::Graph &graph,
                                 std::span<const InstructionSeconds> times,
                                 ProfileKey key);

/// The sum of the rows, without a name.
ProfileRow totalOf(std::span<const ProfileRow> rows);

} // namespace graphc::runtime

#endif
