// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX as it is executed: instructions that know the function which carries them
// out and the rows of the register file they work on.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_PROGRAM_H
#define GRAPHC_TEST_CUDA_EMULATOR_PROGRAM_H

#include "test/cuda/emulator/PtxText.h"

#include <map>
#include <memory>

namespace graphc::emulator {

class Warp;
struct Instruction;

/// Carries out an instruction for the lanes of a mask; false: the launch
/// failed.
using Handler = bool (*)(Warp &, const Instruction &, uint32_t lanes);

/// A row of the register file: one value per lane.
using Row = uint32_t;

enum class Type : uint8_t {
  Pred,
  B8,
  B16,
  B32,
  B64,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F32,
  F64
};

enum class StateSpace : uint8_t {
  Generic,
  Global,
  Shared,
  Local,
  Param,
  Const
};

/// Effect of an instruction on the flow of its warp.
enum class ControlFlow : uint8_t {
  Next,
  Branch,
  BranchTable,
  Exit,
  Barrier,
  Sync
};

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

struct Instruction {
  Handler run = nullptr;
  /// Handler that `run` carries out where it only sets the mode of the host's
  /// arithmetic.
  Handler inner = nullptr;
  ControlFlow flow = ControlFlow::Next;
  StateSpace space = StateSpace::Generic;
  Rounding rounding = Rounding::Nearest;
  bool flushDenormals = false;
  bool saturate = false;
  bool guardNegated = false;
  uint8_t elements = 1; ///< of a vector, or of a pack
  uint8_t bytes = 4;    ///< of an element
  bool isSigned = false;
  bool negateLast = false; ///< the last source, a predicate, is negated
  uint8_t mode = 0;        ///< one of several forms, known to the handler
  int32_t guard = -1;
  Row dst[4] = {};
  Row src[5] = {};
  int64_t offset = 0;
  uint32_t target = 0; ///< instruction, or branch table
  uint32_t line = 0;
  uint32_t number = 0; ///< of this instruction in its kernel
};

/// The rows that every kernel has; registers and constants follow.
enum SpecialRow : Row {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kLaneMaskEq,
  kLaneMaskLt,
  kLaneMaskLe,
  kLaneMaskGt,
  kLaneMaskGe,
  kSink,
  kSpecialRows
};

struct Parameter {
  uint64_t offset, bytes;
};

struct Kernel {
  std::string name;
  std::vector<Instruction> code;
  std::vector<std::vector<uint32_t>> branchTables;
  std::vector<Parameter> parameters;
  uint64_t parameterBytes = 0;
  std::vector<std::pair<Row, uint64_t>> constants;
  Row rows = kSpecialRows;
  uint32_t registers = 0;
  uint64_t sharedBytes = 0, localBytes = 0;
  uint32_t maxThreads = 1024;
  std::shared_ptr<const std::vector<std::string>> source; ///< lines of the text
};

/// Addresses of the variables of a module in device memory.
using Symbols = std::map<std::string, uint64_t, std::less<>>;

/// Throws PtxError, which names an instruction that is not known.
Kernel decodeKernel(const KernelText &text, const ModuleText &module,
                    const Symbols &symbols);

} // namespace graphc::emulator

#endif
