// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, kernels and statements of PTX, by recursive descent.
#include "test/cuda/emulator/PtxText.h"

namespace graphc::emulator {

namespace {

std::vector<std::string_view> split(std::string_view word) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  while (begin <= word.size()) {
    size_t end = std::min(word.find('.', begin), word.size());
    parts.push_back(word.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class Parser {
public:
  explicit Parser(std::string_view text) : tokens(tokenize(text)) {}

  ModuleText parse() {
    while (!peek().empty())
      parseTopLevel();
    return std::move(module);
  }

private:
  std::string_view peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)].text;
  }
  uint32_t line() const { return tokens[at].line; }

  std::string_view next() {
    std::string_view text = peek();
    at += at + 1 < tokens.size();
    return text;
  }

  bool accept(std::string_view text) {
    if (peek() != text)
      return false;
    next();
    return true;
  }

  void expect(std::string_view text) {
    if (!accept(text))
      throw PtxError(line(), "expected '" + std::string(text) + "', found '" +
                                 std::string(peek()) + "'");
  }

  uint64_t number() {
    bool negated = accept("-");
    uint64_t value = 0;
    if (!parseNumber(peek(), negated, value))
      throw PtxError(line(),
                     "expected a number, found '" + std::string(peek()) + "'");
    next();
    return value;
  }

  void skipLine() {
    for (uint32_t here = line(); line() == here && !peek().empty();)
      next();
  }

  void skipTo(std::string_view sign) {
    while (!peek().empty() && next() != sign)
      ;
  }

  void skipBraces() {
    expect("{");
    for (int depth = 1; depth && !peek().empty();) {
      std::string_view text = next();
      depth += (text == "{") - (text == "}");
    }
  }

  /// A function is never run, since calls are refused: only its end matters.
  void skipFunction() {
    while (!peek().empty() && peek() != "{" && peek() != ";")
      next();
    if (peek() == "{")
      skipBraces();
    else
      next();
  }

  void parseTopLevel() {
    if (accept(".version")) {
      std::string version(next());
      module.version = std::stoi(version) * 10 + (version.back() - '0');
    } else if (accept(".target")) {
      std::string_view name = next();
      uint64_t target = 0;
      size_t digits = name.find_last_not_of("0123456789af") + 1;
      parseNumber(name.substr(digits, name.find_last_not_of("af") + 1 - digits),
                  false, target);
      module.target = static_cast<int>(target);
      while (accept(","))
        next();
    } else if (accept(".address_size")) {
      if (number() != 64)
        throw PtxError(line(), "only 64-bit addresses are supported");
    } else if (peek() == ".file" || peek() == ".loc") {
      skipLine();
    } else if (accept(".section")) {
      next();
      skipBraces();
    } else if (accept(".pragma")) {
      skipTo(";");
    } else {
      parseDeclaration();
    }
  }

  void parseDeclaration() {
    bool isExtern = false;
    while (peek() == ".visible" || peek() == ".extern" || peek() == ".weak" ||
           peek() == ".common")
      isExtern |= next() == ".extern";
    if (accept(".entry"))
      return parseKernel();
    if (accept(".func"))
      return skipFunction();
    if (!isSpace(peek()))
      throw PtxError(line(), "'" + std::string(peek()) +
                                 "' is not known at the top of a module");
    parseVariables(module.variables, isExtern);
  }

  static bool isSpace(std::string_view text) {
    return text == ".shared" || text == ".local" || text == ".const" ||
           text == ".global" || text == ".param";
  }

  /// `.shared .align 4 .b8 tile[4096]`, without what follows.
  Variable parseVariable(bool isExtern) {
    Variable variable;
    variable.line = line();
    variable.space = next().substr(1);
    variable.isExtern = isExtern;
    uint64_t element = 0;
    while (peek().substr(0, 1) == ".") {
      std::string_view word = next();
      if (word == ".align")
        variable.alignment = number();
      else if (uint64_t bytes = typeBytes(word))
        element = bytes;
      else if (word == ".v2" || word == ".v4")
        element *= word[2] - '0';
    }
    // Without .align, a variable is aligned to its element.
    variable.alignment = std::max(variable.alignment, element);
    variable.name = next();
    variable.bytes = element;
    while (accept("[")) {
      variable.bytes *= peek() == "]" ? 0 : number();
      expect("]");
    }
    if (accept("="))
      variable.initial = parseInitial(element, variable.bytes);
    return variable;
  }

  std::vector<uint8_t> parseInitial(uint64_t element, uint64_t bytes) {
    std::vector<uint8_t> data;
    bool isList = accept("{");
    do {
      uint64_t value = number();
      for (uint64_t i = 0; i < element; ++i)
        data.push_back(static_cast<uint8_t>(value >> (8 * i)));
    } while (isList && accept(","));
    if (isList)
      expect("}");
    data.resize(bytes);
    return data;
  }

  void parseVariables(std::vector<Variable> &variables, bool isExtern) {
    variables.push_back(parseVariable(isExtern));
    expect(";");
  }

  void parseKernel() {
    KernelText kernel;
    kernel.line = line();
    kernel.name = next();
    if (accept("(") && !accept(")")) {
      do
        kernel.parameters.push_back(parseParameter());
      while (accept(","));
      expect(")");
    }
    while (peek() != "{" && !peek().empty()) {
      std::string_view directive = next();
      if (directive == ".maxntid" || directive == ".reqntid") {
        kernel.maxThreads = static_cast<uint32_t>(number());
        while (accept(","))
          kernel.maxThreads *= static_cast<uint32_t>(number());
      }
    }
    parseBody(kernel);
    module.kernels.push_back(std::move(kernel));
  }

  /// `.param .u64 .ptr .global .align 16 name`: the alignment is the pointee's.
  Variable parseParameter() {
    Variable parameter = parseVariable(false);
    if (parameter.bytes <= 8)
      parameter.alignment = std::max<uint64_t>(parameter.bytes, 1);
    return parameter;
  }

  void parseBody(KernelText &kernel) {
    expect("{");
    for (int depth = 1; depth;) {
      if (peek().empty())
        throw PtxError(line(), "the body of '" + std::string(kernel.name) +
                                   "' has no end");
      if (accept("{"))
        ++depth;
      else if (accept("}"))
        --depth;
      else if (!accept(";"))
        parseLine(kernel);
    }
  }

  void parseLine(KernelText &kernel) {
    if (peek() == ".reg")
      return parseRegisters(kernel);
    if (isSpace(peek()))
      return parseVariables(kernel.variables, false);
    if (peek() == ".loc")
      return skipLine();
    if (accept(".pragma"))
      return skipTo(";");
    if (peek(1) == ":") {
      std::string_view label = next();
      next();
      if (accept(".branchtargets"))
        return parseBranchTable(kernel.branchTables[label]);
      kernel.labels[label] = static_cast<uint32_t>(kernel.statements.size());
      return;
    }
    parseStatement(kernel);
  }

  void parseBranchTable(std::vector<std::string_view> &labels) {
    do
      labels.push_back(next());
    while (accept(","));
    expect(";");
  }

  void parseRegisters(KernelText &kernel) {
    next();
    std::string_view type = next();
    do {
      std::string_view name = next();
      if (accept("<")) {
        uint64_t count = number();
        expect(">");
        for (uint64_t i = 0; i < count; ++i)
          kernel.registers.emplace_back(
              keep(std::string(name) + std::to_string(i)), type);
      } else {
        kernel.registers.emplace_back(name, type);
      }
    } while (accept(","));
    expect(";");
  }

  void parseStatement(KernelText &kernel) {
    Statement statement;
    statement.line = line();
    if (accept("@")) {
      statement.guardNegated = accept("!");
      statement.guard = next();
    }
    statement.opcode = split(next());
    if (peek() == "(")
      throw PtxError(statement.line,
                     "calls are not supported; inline the function");
    if (!accept(";")) {
      do {
        statement.operands.push_back(parseOperand());
        if (accept("|")) {
          ++statement.results;
          statement.operands.push_back(parseOperand());
        }
      } while (accept(","));
      expect(";");
    }
    kernel.statements.push_back(std::move(statement));
  }

  Operand parseOperand() {
    Operand operand;
    if (accept("{")) {
      operand.form = Operand::Form::Vector;
      do
        operand.words.push_back(accept("-") ? keep("-" + std::string(next()))
                                            : next());
      while (accept(","));
      expect("}");
      return operand;
    }
    if (accept("[")) {
      operand.form = Operand::Form::Address;
      operand.words.push_back(next());
      if (accept("+") || peek() == "-")
        operand.offset = static_cast<int64_t>(number());
      expect("]");
      return operand;
    }
    operand.negated = accept("!") || accept("-");
    operand.words.push_back(next());
    return operand;
  }

  /// Register names are made up from ranges; they live as long as the process,
  /// as a test loads a handful of modules.
  static std::string_view keep(std::string name) {
    static std::unordered_map<std::string, int> names;
    return names.emplace(std::move(name), 0).first->first;
  }

  std::vector<Token> tokens;
  size_t at = 0;
  ModuleText module;
};

} // namespace

ModuleText parsePtx(std::string_view text) { return Parser(text).parse(); }

} // namespace graphc::emulator
