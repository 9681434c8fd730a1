// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-opt/PrintFlags.h"

#include "lib/text/print/PrintText.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace graphc {

// For --help; both are taken from the arguments before LLVM's parser sees them.
static llvm::cl::opt<bool>
    printTextFlag("print-text",
                  llvm::cl::desc("Print the module of the file as a text "
                                 "(docs/language.md); runs no passes"));
static llvm::cl::opt<bool>
    printMlirFlag("print-mlir",
                  llvm::cl::desc("Print the module in MLIR's form, as without "
                                 "a flag"));

/// Prints the module of one source as a text.
static LogicalResult printPart(std::unique_ptr<llvm::MemoryBuffer> part,
                               DialectRegistry &registry, raw_ostream &stream) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(part), SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  FailureOr<std::string> text = text::printText(*module);
  if (failed(text))
    return failure();
  stream << *text;
  return success();
}

std::optional<int> printTextIfAsked(int &argc, char **argv,
                                    DialectRegistry &registry) {
  auto take = [&](StringRef flag) {
    char **end = argv + argc;
    char **kept =
        std::remove_if(argv + 1, end, [&](char *each) { return flag == each; });
    bool isThere = kept != end;
    argc = static_cast<int>(kept - argv);
    return isThere;
  };
  bool asksForMlir = take("--print-mlir");
  if (!take("--print-text"))
    return std::nullopt;
  if (argc > 2 || asksForMlir) {
    llvm::errs()
        << "graphc-opt: --print-text takes one file and no other flag; "
           "run passes first, and print what they give\n";
    return 2;
  }
  std::string message;
  auto buffer = openInputFile(argc == 2 ? argv[1] : "-", &message);
  if (!buffer) {
    llvm::errs() << "graphc-opt: " << message << "\n";
    return 1;
  }
  // Parts of a source are parts of the text, as passes take them.
  LogicalResult good = splitAndProcessBuffer(
      std::move(buffer),
      [&](std::unique_ptr<llvm::MemoryBuffer> part, raw_ostream &stream) {
        return printPart(std::move(part), registry, stream);
      },
      llvm::outs(), kDefaultSplitMarker, kDefaultSplitMarker);
  return failed(good);
}

} // namespace graphc
