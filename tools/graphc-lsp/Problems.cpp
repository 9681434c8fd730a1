// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of a text, what corrects them, and the one style.
#include "tools/graphc-lsp/Answers.h"

#include "lib/text/syntax/Format.h"

#include "mlir/IR/Diagnostics.h"

using namespace graphc::text;
using llvm::StringRef;

namespace graphc::lsp {

namespace {

/// Offset of a line and column from 1.
size_t offsetOf(const Analysis &text, const Problem::Part &part) {
  Position line{part.line == 0 ? 0 : part.line - 1, 0};
  size_t offset =
      text.lines.offsetOf(line) + (part.column == 0 ? 0 : part.column - 1);
  return std::min(offset, text.source.size());
}

/// The token at a place of the text, or the character there.
llvm::json::Object rangeAt(const Analysis &text, const Problem::Part &part) {
  size_t begin = offsetOf(text, part);
  const TextToken *token = text.tokenAt(text.source.data() + begin);
  bool isWord = token && !token->is(TokenKind::NewLine) &&
                !token->is(TokenKind::End) &&
                token->text.data() == text.source.data() + begin;
  return text.lines.range(begin,
                          begin + (isWord ? token->text.size() : size_t(1)));
}

/// The place of a problem in this text: its own, or that of the call which
/// leads to it; null where it is in none.
const Problem::Part *placeIn(const Analysis &text, const Problem &problem) {
  if (problem.main.file == text.path)
    return &problem.main;
  for (const Problem::Part &note : problem.notes)
    if (note.file == text.path)
      return &note;
  return nullptr;
}

/// The name in "did you mean 'x'?"; empty without one.
StringRef suggestionIn(StringRef message) {
  constexpr StringRef kBefore = "did you mean '";
  size_t begin = message.find(kBefore);
  if (begin == StringRef::npos)
    return "";
  StringRef rest = message.drop_front(begin + kBefore.size());
  return rest.take_front(rest.find('\''));
}

std::string percentEncode(StringRef text) {
  std::string encoded;
  for (unsigned char c : text)
    if (llvm::isAlnum(c) || StringRef("/-_.~").contains(c))
      encoded += c;
    else
      encoded += {'%', llvm::hexdigit(c >> 4), llvm::hexdigit(c & 15)};
  return encoded;
}

} // namespace

std::string uriOf(StringRef path) {
  // What is no file keeps the URI that it came with.
  if (path.contains("://"))
    return path.str();
  return "file://" + percentEncode(path);
}

std::string pathOf(StringRef uri) {
  if (!uri.consume_front("file://"))
    return uri.str();
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    unsigned code = 0;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        !uri.substr(i + 1, 2).getAsInteger(16, code)) {
      path += static_cast<char>(code);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

Json diagnostics(const Analysis &text, StringRef uri) {
  constexpr int kError = 1, kWarning = 2;
  llvm::json::Array all;
  for (const Problem &problem : text.problems) {
    const Problem::Part *place = placeIn(text, problem);
    std::string message = problem.main.message;
    if (place && place != &problem.main)
      message = problem.main.file + ":" + std::to_string(problem.main.line) +
                ": " + message;
    llvm::json::Array related;
    for (const Problem::Part &note : problem.notes) {
      // A place that has no line is the text's begin.
      if (note.file != text.path) {
        message +=
            "\n" + (note.file.empty() ? "" : note.file + ": ") + note.message;
        continue;
      }
      related.push_back(llvm::json::Object{
          {"location",
           llvm::json::Object{{"uri", uri}, {"range", rangeAt(text, note)}}},
          {"message", note.message}});
    }
    all.push_back(llvm::json::Object{
        {"range", place ? rangeAt(text, *place) : text.lines.range(0, 0)},
        {"severity", problem.isError ? kError : kWarning},
        {"source", "graphc"},
        {"message", message},
        {"relatedInformation", std::move(related)}});
  }
  return llvm::json::Object{{"uri", uri}, {"diagnostics", std::move(all)}};
}

Json codeActions(const Analysis &text, const char *begin, const char *end) {
  llvm::json::Array all;
  for (const Problem &problem : text.problems) {
    StringRef name = suggestionIn(problem.main.message);
    if (name.empty() || problem.main.file != text.path)
      continue;
    const char *place = text.source.data() + offsetOf(text, problem.main);
    const TextToken *token = text.tokenAt(place);
    if (!token || !token->is(TokenKind::Name) || token->text.end() < begin ||
        token->text.data() > end)
      continue;
    llvm::json::Array edits;
    edits.push_back(llvm::json::Object{{"range", text.lines.range(token->text)},
                                       {"newText", name}});
    all.push_back(llvm::json::Object{
        {"title", ("Write '" + name + "'").str()},
        {"kind", "quickfix"},
        {"edit", llvm::json::Object{
                     {"changes", llvm::json::Object{
                                     {uriOf(text.path), std::move(edits)}}}}}});
  }
  return all;
}

llvm::Expected<Json> formatting(const Analysis &text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &error) {
    if (message.empty())
      message = error.str();
    return llvm::success();
  });
  Diagnostics diagnostics(context);
  diagnostics.addSource(text.source, text.path);
  std::optional<std::string> formatted = formatText(text.source, diagnostics);
  if (!formatted)
    return llvm::createStringError("what has errors is not formatted: " +
                                   message);
  llvm::json::Array edits;
  if (*formatted != text.source)
    edits.push_back(
        llvm::json::Object{{"range", text.lines.range(0, text.source.size())},
                           {"newText", *formatted}});
  return Json(std::move(edits));
}

} // namespace graphc::lsp
