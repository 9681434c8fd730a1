// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-fmt: brings texts of the text language into their one style.
#include "lib/text/syntax/Format.h"
#include "lib/text/syntax/Lexer.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace graphc;

static llvm::cl::OptionCategory category("graphc-fmt");
static llvm::cl::list<std::string> files(llvm::cl::Positional,
                                         llvm::cl::desc("FILE... (- is stdin)"),
                                         llvm::cl::cat(category));
static llvm::cl::opt<bool>
    inPlace("i", llvm::cl::desc("Write the files in place of printing them"),
            llvm::cl::cat(category));
static llvm::cl::opt<bool>
    check("check",
          llvm::cl::desc("Name the files that are not in the style, and exit "
                         "with 1 if there are any; write nothing"),
          llvm::cl::cat(category));

namespace {

int fail(const llvm::Twine &message) {
  llvm::errs() << "graphc-fmt: " << message << "\n";
  return 1;
}

/// Formats one file. Returns the exit code.
int format(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer)
    return fail("cannot read '" + file + "': " + buffer.getError().message());
  std::string source = (*buffer)->getBuffer().str();
  if (!text::isText(source))
    return fail("'" + file +
                "' is no text of this language; it begins with 'tfir 1'");
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  text::Diagnostics diagnostics(context);
  diagnostics.addSource(source, file);
  std::optional<std::string> formatted = text::formatText(source, diagnostics);
  if (!formatted)
    return 1;
  if (check) {
    if (*formatted != source)
      llvm::outs() << file << "\n";
    return *formatted != source;
  }
  if (!inPlace) {
    llvm::outs() << *formatted;
    return 0;
  }
  if (*formatted == source)
    return 0;
  std::error_code error;
  llvm::raw_fd_ostream stream(file, error);
  if (!error) {
    stream << *formatted;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? fail("cannot write '" + file + "': " + error.message()) : 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "graphc-fmt: texts of graphc in their one style\n");
  if (files.empty())
    return fail("give files, or - for stdin; try --help");
  int code = 0;
  for (const std::string &file : files)
    code |= format(file);
  return code;
}
