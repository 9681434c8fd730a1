// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-lsp/Analysis.h"

#include "graphc/Compiler.h"
#include "lib/text/ParseText.h"
#include "lib/text/Types.h"
#include "lib/text/syntax/Parser.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace graphc::text;
using llvm::StringRef;

namespace graphc::lsp {

namespace {

/// The place of a location in a file, and behind it those of its callers.
void addPlaces(mlir::Location location,
               std::vector<mlir::FileLineColLoc> &places) {
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location)) {
    places.push_back(file);
  } else if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    addPlaces(call.getCallee(), places);
    addPlaces(call.getCaller(), places);
  } else if (auto name = llvm::dyn_cast<mlir::NameLoc>(location)) {
    addPlaces(name.getChildLoc(), places);
  } else if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location each : fused.getLocations())
      addPlaces(each, places);
  }
}

/// The first place; behind it, in `callers`, the calls that lead there.
Problem::Part partOf(mlir::Diagnostic &diagnostic,
                     std::vector<Problem::Part> &callers) {
  Problem::Part part;
  part.message = inWordsOfText(diagnostic.str());
  std::vector<mlir::FileLineColLoc> places;
  addPlaces(diagnostic.getLocation(), places);
  for (auto [index, place] : llvm::enumerate(places)) {
    Problem::Part &at = index == 0 ? part : callers.emplace_back();
    at.file = place.getFilename().str();
    at.line = place.getLine();
    at.column = place.getColumn();
    if (index > 0)
      at.message = "called here";
  }
  return part;
}

Problem problemOf(mlir::Diagnostic &diagnostic) {
  Problem problem;
  problem.isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  problem.main = partOf(diagnostic, problem.notes);
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::vector<Problem::Part> callers;
    problem.notes.push_back(partOf(note, callers));
  }
  return problem;
}

/// Runs `parse` with nobody to tell of its errors.
template <typename Function>
void inSilence(mlir::MLIRContext &context, Function parse) {
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &) { return llvm::success(); });
  Diagnostics diagnostics(context);
  parse(diagnostics);
}

} // namespace

Analysis::Analysis(std::string text, std::string path,
                   const AnalysisOptions &options)
    : source(std::move(text)), path(std::move(path)), options(options),
      lines(source), meanings(std::make_unique<Meanings>(source)) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  inSilence(context, [&](Diagnostics &diagnostics) {
    diagnostics.addSource(source, this->path);
    tokens = tokenize(source, diagnostics, /*keepComments=*/true);
    parseTree(source, diagnostics, tree);
  });
  marks = std::make_unique<Marks>(tree);
  findBlocks();
  parseImports(context);
  parse(context);
}

void Analysis::parse(mlir::MLIRContext &context) {
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        problems.push_back(problemOf(diagnostic));
        return llvm::success();
      });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::FileLineColLoc::get(&context, path, 1, 1));
  Definitions definitions;
  for (StringRef define : options.compile.define) {
    auto [name, value] = define.split('=');
    // They are for all texts of an editor, and some have other constants.
    if (marks->findGlobal(name) || importOf(name))
      definitions.push_back({name.str(), value.str()});
  }
  setDefinitions(std::move(definitions));
  ParseSettings settings;
  settings.observer = meanings.get();
  if (llvm::succeeded(parseText(source, path, *module, settings)) &&
      !module->getBody()->empty())
    placed.emplace(*module, options.compile);
}

void Analysis::parseImports(mlir::MLIRContext &context) {
  std::set<std::string> seen = {path};
  std::vector<std::pair<const Tree *, std::string>> work = {{&tree, path}};
  while (!work.empty()) {
    auto [importer, file] = work.back();
    work.pop_back();
    for (const TextStatement *statement : importer->statements) {
      if (statement->kind != StatementKind::Import || !statement->value ||
          statement->value->kind != ExprKind::String)
        continue;
      std::string name = unescape(statement->value->text);
      llvm::SmallString<128> at(name);
      if (llvm::sys::path::is_relative(name)) {
        at = llvm::sys::path::parent_path(file);
        llvm::sys::path::append(at, name);
      }
      auto buffer = llvm::MemoryBuffer::getFile(at);
      if (!buffer || !seen.insert(at.str().str()).second ||
          !isText((*buffer)->getBuffer()))
        continue;
      auto imported = std::make_unique<ImportedText>();
      imported->path = at.str();
      imported->source = (*buffer)->getBuffer();
      inSilence(context, [&](Diagnostics &diagnostics) {
        diagnostics.addSource(imported->source, imported->path);
        parseTree(imported->source, diagnostics, imported->tree);
      });
      imported->lines = std::make_unique<SourceLines>(imported->source);
      imported->marks = std::make_unique<Marks>(imported->tree);
      work.push_back({&imported->tree, imported->path});
      imports.push_back(std::move(imported));
    }
  }
}

void Analysis::findBlocks() {
  std::vector<const char *> open;
  for (const TextToken &token : tokens) {
    if (token.isSymbol("{") || token.isSymbol("(") || token.isSymbol("["))
      open.push_back(token.text.data());
    bool closes =
        token.isSymbol("}") || token.isSymbol(")") || token.isSymbol("]");
    if (!closes || open.empty())
      continue;
    blocks.push_back({open.back(), token.text.data()});
    open.pop_back();
  }
  llvm::sort(blocks);
}

const char *Analysis::endOfBlock(const char *begin) const {
  auto found = llvm::lower_bound(blocks, begin, [](auto &block, const char *p) {
    return block.first < p;
  });
  return found != blocks.end() && found->first == begin ? found->second
                                                        : nullptr;
}

const TextToken *Analysis::tokenAt(const char *place) const {
  auto behind =
      llvm::upper_bound(tokens, place, [](const char *p, const TextToken &t) {
        return p < t.text.data();
      });
  if (behind == tokens.begin() || place > (behind - 1)->text.end())
    return nullptr;
  return &*(behind - 1);
}

const ImportedText *Analysis::importOf(StringRef name) const {
  for (const auto &imported : imports)
    if (imported->marks->findGlobal(name))
      return imported.get();
  return nullptr;
}

/// The last graph or func that begins before the place.
static void findContainer(llvm::ArrayRef<TextStatement *> body,
                          const char *place, const TextStatement *&found) {
  for (const TextStatement *statement : body) {
    if (statement->place > place)
      return;
    bool isContainer = statement->kind == StatementKind::Func ||
                       statement->kind == StatementKind::Graph;
    found = isContainer ? statement : nullptr;
    if (!isContainer) {
      findContainer(statement->body, place, found);
      findContainer(statement->otherwise, place, found);
    }
  }
}

const TextStatement *Analysis::containerAt(const char *place) const {
  const TextStatement *found = nullptr;
  findContainer(tree.statements, place, found);
  if (!found)
    return nullptr;
  // Behind its end one is outside, unless nothing has closed it yet.
  for (auto &[begin, end] : blocks)
    if (begin > found->place && *begin == '{')
      return end < place ? nullptr : found;
  return found;
}

} // namespace graphc::lsp
