// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-fmt/FormatFiles.h"

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
static llvm::cl::opt<bool>
    upgrade("upgrade",
            llvm::cl::desc("Rewrite texts of older versions of the language "
                           "in the newest one"),
            llvm::cl::cat(category));

namespace {

/// The line between two texts of one file.
constexpr llvm::StringLiteral kPartMarker = "// -----";

int fail(const llvm::Twine &message) {
  llvm::errs() << "graphc-fmt: " << message << "\n";
  return 1;
}

/// The same text in the style, after an upgrade where that is asked for.
/// Nothing, with its errors printed, if that cannot be done.
std::optional<std::string>
formatText(const std::string &source, const std::string &file,
           llvm::ArrayRef<text::Upgrader> upgraders) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto show = [&](const std::string &text, const std::string &name) {
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                               llvm::SMLoc());
  };
  show(source, file);
  std::string upgraded = source, name = file;
  if (upgrade) {
    std::optional<std::string> newest =
        text::upgradeText(source, file, upgraders, context);
    if (!newest)
      return std::nullopt;
    upgraded = *newest;
  }
  // What is still wrong is shown in the text as it has become.
  if (upgraded != source) {
    name += " in version " + std::to_string(text::kLanguageVersion);
    show(upgraded, name);
  }
  text::Diagnostics diagnostics(context);
  diagnostics.addSource(upgraded, name);
  return text::formatText(upgraded, diagnostics);
}

/// Formats the parts of a file one by one, as --split-input-file reads them.
std::optional<std::string>
formatParts(llvm::StringRef source, const std::string &file,
            llvm::ArrayRef<text::Upgrader> upgraders) {
  std::string formatted;
  llvm::StringRef rest = source;
  while (true) {
    size_t end = 0;
    while (
        end < rest.size() &&
        rest.substr(end).take_until([](char c) { return c == '\n'; }).rtrim() !=
            kPartMarker)
      end = std::min(rest.find('\n', end), rest.size() - 1) + 1;
    // Empty lines in place of the parts before keep the numbers of lines.
    std::string part(source.drop_back(rest.size()).count('\n'), '\n');
    part += rest.take_front(end);
    if (!text::isText(part)) {
      fail("'" + file + "' is no text of this language; it begins with 'tfir " +
           llvm::Twine(text::kLanguageVersion) + "'");
      return std::nullopt;
    }
    std::optional<std::string> text = formatText(part, file, upgraders);
    if (!text)
      return std::nullopt;
    formatted += *text;
    if (end == rest.size())
      return formatted;
    formatted += kPartMarker.str() + "\n";
    rest = rest.substr(end).drop_until([](char c) { return c == '\n'; });
    rest.consume_front("\n");
  }
}

/// Formats one file. Returns the exit code.
int format(const std::string &file, llvm::ArrayRef<text::Upgrader> upgraders) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer)
    return fail("cannot read '" + file + "': " + buffer.getError().message());
  llvm::StringRef source = (*buffer)->getBuffer();
  std::optional<std::string> formatted = formatParts(source, file, upgraders);
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

int graphc::formatFiles(int argc, char **argv,
                        llvm::ArrayRef<text::Upgrader> upgraders) {
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "graphc-fmt: texts of graphc in their one style\n");
  if (files.empty())
    return fail("give files, or - for stdin; try --help");
  int code = 0;
  for (const std::string &file : files)
    code |= format(file, upgraders);
  return code;
}
