// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From statements to instructions: rows for registers and constants, offsets
// for variables, numbers for labels.
#include "test/cuda/emulator/instructions/InstructionSet.h"

namespace graphc::emulator {

namespace {

const std::map<std::string_view, Row> &specialRegisters() {
  static const std::map<std::string_view, Row> rows = {
      {"%tid.x", kTidX},
      {"%tid.y", kTidY},
      {"%tid.z", kTidZ},
      {"%ntid.x", kNtidX},
      {"%ntid.y", kNtidY},
      {"%ntid.z", kNtidZ},
      {"%ctaid.x", kCtaidX},
      {"%ctaid.y", kCtaidY},
      {"%ctaid.z", kCtaidZ},
      {"%nctaid.x", kNctaidX},
      {"%nctaid.y", kNctaidY},
      {"%nctaid.z", kNctaidZ},
      {"%laneid", kLaneId},
      {"%warpid", kWarpId},
      {"%lanemask_eq", kLaneMaskEq},
      {"%lanemask_lt", kLaneMaskLt},
      {"%lanemask_le", kLaneMaskLe},
      {"%lanemask_gt", kLaneMaskGt},
      {"%lanemask_ge", kLaneMaskGe},
      {"_", kSink}};
  return rows;
}

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string spelled(const std::vector<std::string_view> &opcode) {
  std::string text;
  for (std::string_view part : opcode)
    text += (text.empty() ? "" : ".") + std::string(part);
  return text;
}

bool hasNoResult(std::string_view name) {
  for (std::string_view other : {"st", "red", "bra", "brx", "bar", "barrier",
                                 "prefetch", "membar", "fence"})
    if (name == other)
      return true;
  return false;
}

class Decoder {
public:
  Decoder(const KernelText &text, const ModuleText &module,
          const Symbols &symbols)
      : text(text), module(module), symbols(symbols) {}

  Kernel decode() {
    kernel.name = std::string(text.name);
    kernel.maxThreads = text.maxThreads;
    placeParameters();
    placeVariables();
    placeRegisters();
    for (const Statement &statement : text.statements)
      decode(statement);
    decodeEnd();
    return std::move(kernel);
  }

private:
  void placeParameters() {
    for (const Variable &parameter : text.parameters) {
      uint64_t offset = alignUp(kernel.parameterBytes, parameter.alignment);
      kernel.parameters.push_back({offset, parameter.bytes});
      places[parameter.name] = offset;
      kernel.parameterBytes = offset + parameter.bytes;
    }
  }

  void placeVariables() {
    for (const Variable &variable : module.variables)
      if (variable.space == "shared" && !variable.isExtern)
        place(variable, kernel.sharedBytes);
    for (const Variable &variable : text.variables)
      place(variable,
            variable.space == "local" ? kernel.localBytes : kernel.sharedBytes);
    // Memory whose size the launch gives lies after all other.
    for (const Variable &variable : module.variables)
      if (variable.space == "shared" && variable.isExtern)
        place(variable, kernel.sharedBytes);
  }

  void place(const Variable &variable, uint64_t &bytes) {
    if (variable.space != "shared" && variable.space != "local")
      throw PtxError(variable.line, "a variable of space '" +
                                        std::string(variable.space) +
                                        "' inside a kernel is not supported");
    uint64_t offset = alignUp(bytes, variable.alignment);
    places[variable.name] = offset;
    bytes = offset + variable.bytes;
  }

  void placeRegisters() {
    for (const auto &[name, type] : text.registers)
      if (rows.emplace(name, kernel.rows).second) {
        ++kernel.rows;
        ++kernel.registers;
      }
  }

  Row constant(uint64_t bits) {
    auto [found, isNew] = constants.emplace(bits, kernel.rows);
    if (isNew) {
      kernel.constants.emplace_back(kernel.rows, bits);
      ++kernel.rows;
    }
    return found->second;
  }

  Row source(std::string_view word, bool negated, uint32_t line) {
    uint64_t bits = 0;
    if (parseNumber(word, negated, bits))
      return constant(bits);
    if (auto found = rows.find(word); found != rows.end())
      return found->second;
    if (auto found = specialRegisters().find(word);
        found != specialRegisters().end())
      return found->second;
    if (auto found = places.find(word); found != places.end())
      return constant(found->second);
    if (auto found = symbols.find(word); found != symbols.end())
      return constant(found->second);
    if (word == "WARP_SZ")
      return constant(32);
    throw PtxError(line, "'" + std::string(word) +
                             "' is no register, number or variable that the "
                             "emulator knows");
  }

  Row result(std::string_view word, uint32_t line) {
    auto found = rows.find(word);
    if (found == rows.end() && word != "_")
      throw PtxError(line, "'" + std::string(word) +
                               "' is not declared as a register");
    return word == "_" ? Row{kSink} : found->second;
  }

  uint32_t label(std::string_view name, uint32_t line) {
    auto found = text.labels.find(name);
    if (found == text.labels.end())
      throw PtxError(line, "there is no label '" + std::string(name) + "'");
    return found->second;
  }

  /// Each family sees the opcode as it is written.
  Instruction find(const Statement &statement) {
    for (auto find :
         {findMove, findMemory, findArithmetic, findBits, findComparison,
          findConversion, findFlow, findWarp, findAtomic, findApproximation}) {
      Opcode opcode(statement.opcode);
      Instruction instruction;
      std::fill(std::begin(instruction.dst), std::end(instruction.dst), kSink);
      std::fill(std::begin(instruction.src), std::end(instruction.src), kSink);
      if (find(opcode, instruction) && opcode.isDone())
        return instruction;
    }
    throw PtxError(statement.line, "the emulator does not know the instruction "
                                   "'" +
                                       spelled(statement.opcode) +
                                       "'; teach it, in the file of its family "
                                       "in test/cuda/emulator");
  }

  void decode(const Statement &statement) {
    Instruction instruction = find(statement);
    instruction.line = statement.line;
    instruction.number = static_cast<uint32_t>(kernel.code.size());
    if (!statement.guard.empty()) {
      instruction.guard =
          static_cast<int32_t>(source(statement.guard, false, statement.line));
      instruction.guardNegated = statement.guardNegated;
    }
    if (instruction.flow == ControlFlow::Branch && statement.operands.empty())
      throw PtxError(statement.line, "a branch needs a label");
    if (instruction.flow == ControlFlow::Branch)
      instruction.target =
          label(statement.operands.at(0).words[0], statement.line);
    else if (instruction.flow == ControlFlow::BranchTable)
      decodeBranchTable(statement, instruction);
    else
      decodeOperands(statement, instruction);
    if (instruction.rounding != Rounding::Nearest ||
        instruction.flushDenormals || instruction.saturate) {
      instruction.inner = instruction.run;
      instruction.run = runInMode;
    }
    kernel.code.push_back(instruction);
  }

  void decodeBranchTable(const Statement &statement, Instruction &instruction) {
    instruction.src[0] =
        source(statement.operands.at(0).words[0], false, statement.line);
    auto table = text.branchTables.find(statement.operands.at(1).words[0]);
    if (table == text.branchTables.end())
      throw PtxError(statement.line, "the branch table is not declared");
    instruction.target = static_cast<uint32_t>(kernel.branchTables.size());
    std::vector<uint32_t> &targets = kernel.branchTables.emplace_back();
    for (std::string_view name : table->second)
      targets.push_back(label(name, statement.line));
  }

  void decodeOperands(const Statement &statement, Instruction &instruction) {
    size_t results = hasNoResult(statement.opcode[0]) ||
                             statement.operands.empty() ||
                             (statement.opcode[0] == "bar")
                         ? 0
                         : statement.results;
    size_t dst = 0, src = 0;
    for (size_t n = 0; n < statement.operands.size(); ++n) {
      const Operand &operand = statement.operands[n];
      size_t words = operand.words.size();
      if (words > 4 || src + words > std::size(instruction.src))
        throw PtxError(statement.line, "too many operands");
      for (std::string_view word : operand.words)
        if (n < results)
          instruction.dst[dst++] = result(word, statement.line);
        else
          instruction.src[src++] =
              source(word, operand.negated, statement.line);
      if (operand.form == Operand::Form::Address)
        instruction.offset = operand.offset;
      if (operand.form == Operand::Form::Vector &&
          statement.opcode[0] == "mov") {
        instruction.elements = static_cast<uint8_t>(words);
        chooseMove(instruction, n == 1, n == 0);
      }
      instruction.negateLast |= operand.negated && !isNumber(operand);
    }
  }

  static bool isNumber(const Operand &operand) {
    uint64_t bits;
    return parseNumber(operand.words[0], false, bits);
  }

  /// Falling off the end is a return.
  void decodeEnd() {
    Opcode opcode({"ret"});
    Instruction end;
    findFlow(opcode, end);
    end.number = static_cast<uint32_t>(kernel.code.size());
    kernel.code.push_back(end);
  }

  const KernelText &text;
  const ModuleText &module;
  const Symbols &symbols;
  Kernel kernel;
  std::unordered_map<std::string_view, Row> rows;
  std::unordered_map<std::string_view, uint64_t> places;
  std::unordered_map<uint64_t, Row> constants;
};

} // namespace

std::optional<Type> Opcode::takeType() {
  static const std::map<std::string_view, Type> types = {
      {"pred", Type::Pred}, {"b8", Type::B8},   {"b16", Type::B16},
      {"b32", Type::B32},   {"b64", Type::B64}, {"u8", Type::U8},
      {"u16", Type::U16},   {"u32", Type::U32}, {"u64", Type::U64},
      {"s8", Type::S8},     {"s16", Type::S16}, {"s32", Type::S32},
      {"s64", Type::S64},   {"f16", Type::F16}, {"f32", Type::F32},
      {"f64", Type::F64}};
  for (size_t n = modifiers.size(); n-- > 0;) {
    auto found = types.find(modifiers[n]);
    if (found == types.end())
      continue;
    modifiers.erase(modifiers.begin() + static_cast<ptrdiff_t>(n));
    return found->second;
  }
  return std::nullopt;
}

uint8_t bytesOf(Type type) {
  switch (type) {
  case Type::Pred:
  case Type::B8:
  case Type::U8:
  case Type::S8:
    return 1;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
    return 2;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 8;
  default:
    return 4;
  }
}

bool isFloat(Type type) {
  return type == Type::F16 || type == Type::F32 || type == Type::F64;
}

bool isSignedInteger(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 ||
         type == Type::S64;
}

Kernel decodeKernel(const KernelText &text, const ModuleText &module,
                    const Symbols &symbols) {
  return Decoder(text, module, symbols).decode();
}

} // namespace graphc::emulator
