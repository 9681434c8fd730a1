// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/CheckText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "runtime/format/FileHeader.h"

using namespace mlir;

namespace graphc {

namespace {

/// Follows the brackets of a text, past comments and strings.
class Nesting {
public:
  explicit Nesting(StringRef text) : text(text) {}

  /// The first bracket that is too deep; npos when there is none.
  size_t findTooDeep();

private:
  size_t endOfString(size_t at) const;

  StringRef text;
};

/// Of the string that begins at `at`, the place of its closing quote.
size_t Nesting::endOfString(size_t at) const {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
  return at;
}

size_t Nesting::findTooDeep() {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool isArrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '"')
      i = endOfString(i);
    else if (text.substr(i).starts_with("//"))
      i = std::min(text.find('\n', i), text.size());
    else if (StringRef("([{<").contains(c) && ++depth > kMaxNesting)
      return i;
    else if (StringRef(")]}>").contains(c) && !isArrow && depth > 0)
      --depth;
  }
  return StringRef::npos;
}

Location placeAt(StringRef text, size_t at, StringRef file,
                 MLIRContext &context) {
  StringRef before = text.take_front(at);
  size_t line = before.count('\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1;
  return FileLineColLoc::get(&context, file, line, column);
}

} // namespace

LogicalResult checkText(StringRef text, StringRef file, MLIRContext &context) {
  // Errors at a place show its line, which a terminal need not survive.
  Location nowhere = UnknownLoc::get(&context);
  if (text.starts_with(StringRef(format::kMagic, sizeof(format::kMagic))))
    return emitError(nowhere)
           << "'" << file
           << "' is a compiled model, not a text; run it with graphc-run, or "
              "see what it holds with graphc-dump";
  constexpr StringLiteral kBytecode = "ML\xefR";
  if (text.starts_with(kBytecode))
    return success();
  if (size_t zero = text.find('\0'); zero != StringRef::npos)
    return emitError(nowhere)
           << "'" << file << "' has a byte 0 in line "
           << text.take_front(zero).count('\n') + 1
           << ", so it is no text; give a source as docs/tfir.md has it";
  size_t deep = Nesting(text).findTooDeep();
  if (deep == StringRef::npos)
    return success();
  return emitError(placeAt(text, deep, file, context))
         << "more than " << kMaxNesting
         << " brackets are open here; nest less deeply, for example by "
            "{device = \"/gpu:0\"} on an op instead of scopes in scopes";
}

} // namespace graphc
