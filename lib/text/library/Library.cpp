// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/library/Library.h"

#include "lib/text/syntax/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace graphc::text {

namespace {

struct LibraryFile {
  StringRef name;
  StringRef prefix; ///< of the names of its funcs
  StringRef text;
};

constexpr LibraryFile kFiles[] = {
#include "lib/text/library/LibraryFiles.inc"
};

/// The func whose line is `func NAME(operand, operand = value) {`.
LibraryFunc readHead(StringRef line, StringRef comment, size_t file) {
  auto [name, rest] = line.split('(');
  LibraryFunc func;
  func.name = (kFiles[file].prefix + name).str();
  func.call = func.name + "(";
  func.summary = comment.str();
  func.isInternal = name.starts_with("_");
  func.file = file;
  llvm::SmallVector<StringRef> operands;
  rest.take_front(rest.rfind(") {")).split(operands, ", ");
  for (StringRef operand : operands) {
    auto [own, value] = operand.split(" = ");
    func.call += (func.operands.empty() ? "" : ", ") + own.str() +
                 (value.empty() ? "" : "=");
    func.operands.push_back(own.str());
  }
  func.call += ")";
  return func;
}

/// A func begins with a line of its own, with lines of its comment above.
std::vector<LibraryFunc> readHeads() {
  std::vector<LibraryFunc> funcs;
  for (auto [file, each] : llvm::enumerate(kFiles)) {
    std::string comment;
    for (StringRef line : llvm::split(each.text, '\n')) {
      if (line.consume_front("# "))
        comment += (comment.empty() ? "" : " ") + line.str();
      else if (line.consume_front("func "))
        funcs.push_back(
            readHead(line, StringRef(comment).split(". ").first, file));
      if (line.empty() || line.ends_with("}"))
        comment.clear();
    }
  }
  llvm::sort(funcs, [](const LibraryFunc &a, const LibraryFunc &b) {
    return a.name < b.name;
  });
  return funcs;
}

} // namespace

const std::vector<LibraryFunc> &libraryFuncs() {
  static const std::vector<LibraryFunc> funcs = readHeads();
  return funcs;
}

const LibraryFunc *findLibraryFunc(StringRef name) {
  auto found = llvm::lower_bound(
      libraryFuncs(), name,
      [](const LibraryFunc &func, StringRef text) { return func.name < text; });
  return found != libraryFuncs().end() && found->name == name ? &*found
                                                              : nullptr;
}

const TextStatement &Library::get(const LibraryFunc &func,
                                  Diagnostics &diagnostics) {
  const LibraryFile &file = kFiles[func.file];
  trees.resize(std::size(kFiles));
  std::unique_ptr<Tree> &tree = trees[func.file];
  if (!tree) {
    tree = std::make_unique<Tree>();
    diagnostics.addSource(file.text, file.name);
    parseTree(file.text, diagnostics, *tree, /*isLibrary=*/true);
  }
  StringRef own = StringRef(func.name).drop_front(file.prefix.size());
  return **llvm::find_if(tree->statements, [&](const TextStatement *statement) {
    return statement->kind == StatementKind::Func && statement->name == own;
  });
}

} // namespace graphc::text
