// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a module from the statements of a text and of what it imports.
#ifndef GRAPHC_LIB_TEXT_BUILD_MODULEBUILDER_H
#define GRAPHC_LIB_TEXT_BUILD_MODULEBUILDER_H

#include "lib/text/ParseText.h"
#include "lib/text/build/Evaluator.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace graphc::text {

class ModuleBuilder : public Evaluator {
public:
  ModuleBuilder(BuildState &session, const Definitions &definitions);

  /// Builds what a text declares. Imports are looked for beside `file`.
  void build(llvm::StringRef source, llvm::StringRef file);

  /// Reports definitions of constants that no text has.
  void checkDefinitions(const char *place);

  std::string moduleName; ///< empty without one

private:
  /// A text and its tree, which funcs refer to until the end.
  struct Source {
    std::unique_ptr<llvm::MemoryBuffer> buffer; ///< of an import
    Tree tree;
  };

  void run(llvm::ArrayRef<TextStatement *> body);
  void runStatement(const TextStatement &statement);
  void runImport(const TextStatement &statement);
  void runLet(const TextStatement &statement);
  void runDataset(const TextStatement &statement);
  void runGraph(const TextStatement &statement);
  void runFor(const TextStatement &statement);
  void runCall(const TextStatement &statement);
  void define(llvm::StringRef name, const char *place, Item item);

  std::string folder; ///< of the text whose statements run
  std::vector<std::unique_ptr<Source>> sources;
  llvm::StringSet<> imported;           ///< paths
  llvm::StringMap<const char *> places; ///< of definitions of globals
  struct Definition {
    std::string name, value;
    bool isUsed = false;
  };
  std::vector<Definition> definitions;
};

} // namespace graphc::text

#endif
