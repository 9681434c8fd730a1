// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions by family: each function finds what carries out an opcode.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_INSTRUCTIONS_INSTRUCTIONSET_H
#define GRAPHC_TEST_CUDA_EMULATOR_INSTRUCTIONS_INSTRUCTIONSET_H

#include "test/cuda/emulator/Program.h"

#include <algorithm>
#include <optional>

namespace graphc::emulator {

/// An opcode, whose modifiers are taken one by one: what is left over at the
/// end is not known.
class Opcode {
public:
  explicit Opcode(const std::vector<std::string_view> &parts)
      : name(parts[0]), modifiers(parts.begin() + 1, parts.end()) {}

  std::string_view name;

  bool take(std::string_view modifier) {
    auto found = std::find(modifiers.begin(), modifiers.end(), modifier);
    if (found == modifiers.end())
      return false;
    modifiers.erase(found);
    return true;
  }

  /// The number of the first of `choices` that is there; -1 if none is.
  int takeOne(std::initializer_list<std::string_view> choices) {
    int number = 0;
    for (std::string_view choice : choices) {
      if (take(choice))
        return number;
      ++number;
    }
    return -1;
  }

  /// The last modifier that is a type.
  std::optional<Type> takeType();
  bool isDone() const { return modifiers.empty(); }

private:
  std::vector<std::string_view> modifiers;
};

uint8_t bytesOf(Type type);
bool isFloat(Type type);
bool isSignedInteger(Type type);

/// Each fills `run` and what the opcode says, and leaves operands to the
/// decoder. False: the name is of another family.
bool findArithmetic(Opcode &opcode, Instruction &instruction);
bool findApproximation(Opcode &opcode, Instruction &instruction);
bool findBits(Opcode &opcode, Instruction &instruction);
bool findComparison(Opcode &opcode, Instruction &instruction);
bool findConversion(Opcode &opcode, Instruction &instruction);
bool findMove(Opcode &opcode, Instruction &instruction);
bool findMemory(Opcode &opcode, Instruction &instruction);
bool findAtomic(Opcode &opcode, Instruction &instruction);
bool findWarp(Opcode &opcode, Instruction &instruction);
bool findFlow(Opcode &opcode, Instruction &instruction);

/// The form of a mov whose operands are `{low, high}`.
void chooseMove(Instruction &instruction, bool packs, bool unpacks);

/// Carries out `inner` in the rounding mode of the instruction.
bool runInMode(Warp &warp, const Instruction &instruction, uint32_t lanes);

} // namespace graphc::emulator

#endif
