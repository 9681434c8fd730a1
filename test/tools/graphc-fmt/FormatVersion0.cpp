// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-fmt with an upgrader from a version 0 of the language, which never
// was: there a graph was a `model`, `returns` stood for `->`, and `print x`
// printed a value in each step, which version 1 cannot say.
#include "tools/graphc-fmt/FormatFiles.h"

using namespace graphc::text;

namespace {

bool beginsStatement(const TextToken *last) {
  return !last || last->is(TokenKind::NewLine) || last->isSymbol(";") ||
         last->isSymbol("{") || last->isSymbol("}");
}

std::vector<SourceEdit> editVersion0(llvm::ArrayRef<TextToken> tokens,
                                     Diagnostics &diagnostics) {
  std::vector<SourceEdit> edits;
  const TextToken *last = nullptr;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const TextToken &token = tokens[i];
    if (beginsStatement(last) && token.isName("model") &&
        tokens[i + 1].is(TokenKind::Name))
      edits.push_back({token.text, "graph"});
    else if (last && last->isSymbol(")") && token.isName("returns"))
      edits.push_back({token.text, "->"});
    else if (beginsStatement(last) && token.isName("print") &&
             tokens[i + 1].is(TokenKind::Name))
      diagnostics.error(token.text.data())
          << "version 1 has no 'print'; fetch '" << tokens[i + 1].text
          << "' and remove this line";
    if (!token.is(TokenKind::Comment))
      last = &token;
  }
  return edits;
}

constexpr Upgrader kUpgraders[] = {{0, editVersion0}};

} // namespace

int main(int argc, char **argv) {
  return graphc::formatFiles(argc, argv, kUpgraders);
}
