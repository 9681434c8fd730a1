// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX as it is written: the declarations and statements of a module, before
// anything is known about its instructions.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_PTXTEXT_H
#define GRAPHC_TEST_CUDA_EMULATOR_PTXTEXT_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace graphc::emulator {

/// Error in a module, with its line. Thrown while it is loaded.
struct PtxError : std::runtime_error {
  PtxError(uint32_t line, const std::string &what)
      : std::runtime_error("line " + std::to_string(line) +
                           " of the PTX: " + what) {}
};

/// A piece of PTX: a word (name, number, directive), or one sign.
struct Token {
  std::string_view text; ///< empty at the end of the module
  uint32_t line = 0;
};

/// Words keep their dots, dollars and percent signs; comments are dropped.
std::vector<Token> tokenize(std::string_view text);

/// `%r1`, `42`, `{%r1, %r2}`, `[%rd1+16]`, `%p1|%p2` or `!%p1`.
struct Operand {
  enum class Form { Word, Vector, Address };
  Form form = Form::Word;
  bool negated = false;                ///< `!` or `-` is in front
  std::vector<std::string_view> words; ///< a register, symbol or number each
  int64_t offset = 0;                  ///< of an address
};

struct Statement {
  uint32_t line = 0;
  std::string_view guard; ///< predicate register, may be empty
  bool guardNegated = false;
  std::vector<std::string_view> opcode; ///< `ld`, `global`, `v4`, `b32`
  std::vector<Operand> operands;
  uint32_t results = 1; ///< leading operands of the form `%p1|%p2`
};

/// A variable of a kernel or of the module.
struct Variable {
  uint32_t line = 0;
  std::string_view name;
  std::string_view space; ///< `shared`, `local`, `global`, `const`, `param`
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  bool isExtern = false;        ///< dynamic shared memory
  std::vector<uint8_t> initial; ///< empty: not initialised
};

struct KernelText {
  std::string_view name;
  uint32_t line = 0;
  std::vector<Variable> parameters;
  std::vector<Variable> variables;
  std::vector<std::pair<std::string_view, std::string_view>>
      registers; ///< name, type
  std::vector<Statement> statements;
  std::unordered_map<std::string_view, uint32_t> labels; ///< statement number
  std::unordered_map<std::string_view, std::vector<std::string_view>>
      branchTables;
  uint32_t maxThreads = 1024; ///< .maxntid or .reqntid
};

/// Views into the text that it was made of.
struct ModuleText {
  int version = 0; ///< 88: PTX ISA 8.8
  int target = 0;  ///< 80: sm_80
  std::vector<Variable> variables;
  std::vector<KernelText> kernels;
};

/// Throws PtxError.
ModuleText parsePtx(std::string_view text);

/// Bytes of `.b32`, `.f64`, `.pred`; 0 if it is no type.
uint64_t typeBytes(std::string_view type);

/// The bits of a literal: `42`, `-1`, `0x1F`, `0f3F800000`, `0d...`.
bool parseNumber(std::string_view word, bool negated, uint64_t &bits);

} // namespace graphc::emulator

#endif
