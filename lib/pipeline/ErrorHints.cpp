// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/pipeline/ErrorHints.h"

#include "dialects/tfir/Tfir.h"
#include "lib/frontend/TfNames.h"
#include "runtime/base/Suggest.h"

using namespace mlir;

namespace graphc {

namespace {

constexpr StringLiteral kPrefix = "tfir.";

/// The ops that a user writes, without the dialect.
std::vector<std::string> knownOps(MLIRContext &context) {
  std::vector<std::string> known;
  for (RegisteredOperationName op : context.getRegisteredOperations())
    if (StringRef name = op.getStringRef(); name.consume_front(kPrefix))
      known.push_back(name.str());
  return known;
}

/// The op that is meant by a misspelt name; "" when none is near.
std::string nearestOp(StringRef name, const std::vector<std::string> &known) {
  std::string nearest = runtime::nearestName(std::string_view(name), known);
  constexpr size_t kTelling = 3;
  for (const std::string &op : known)
    if (nearest.empty() && op.size() >= kTelling &&
        (name.starts_with(op) || op.starts_with(name)))
      nearest = op;
  return nearest;
}

/// Suggests a replacement for an op that does not exist.
std::string hintFor(MLIRContext &context, StringRef written) {
  constexpr StringLiteral kList = "docs/ops.md lists all ops";
  // What declarations of the text language begin with.
  constexpr StringLiteral kDeclarations[] = {"graph", "variable", "dataset",
                                             "func", "let"};
  if (llvm::is_contained(kDeclarations, written))
    return "a text begins with the line 'tfir 1', which is missing "
           "(docs/language.md); ops of MLIR's form begin with 'tfir.'";
  std::vector<std::string> known = knownOps(context);
  std::string name = tfBaseName(written);
  if (std::optional<TfName> row = findTfName(name)) {
    std::string hint = row->hint.empty() ? "" : ": " + row->hint.str();
    if (row->here.empty())
      return ("TensorFlow's '" + name + "' is not there yet" + hint + "; " +
              kList)
          .str();
    return ("TensorFlow's '" + name + "' is '" + row->here + "' here" + hint +
            "; " + kList)
        .str();
  }
  if (llvm::is_contained(known, name))
    return ("it is '" + kPrefix + name + "' here; " + kList).str();
  std::string nearest = nearestOp(name, known);
  if (nearest.empty())
    return kList.str();
  return ("did you mean '" + kPrefix + nearest + "'? " + kList).str();
}

/// Suggests a replacement for an attribute #tfir.`written` that
/// there is not, such as an optimizer by TensorFlow's name.
std::string hintForAttribute(StringRef written) {
  constexpr StringLiteral kList = "docs/ops.md lists all attributes";
  std::string name = tfBaseName(written);
  std::optional<TfName> row = findTfName(name);
  if (!row)
    row = findTfName(name + "_optimizer");
  if (!row)
    return kList.str();
  if (row->here.empty())
    return ("TensorFlow's '" + name + "' is not there yet; " + kList).str();
  return ("TensorFlow's '" + name + "' is '" + row->here +
          "' here: " + row->hint + "; " + kList)
      .str();
}

/// Returns an example of an attribute, by the verifier's text for its type; ""
/// for types that no attribute of the language has.
std::string exampleOf(StringRef constraint, StringRef name) {
  constexpr std::pair<StringLiteral, StringLiteral> kExamples[] = {
      {"i64 dense array attribute", " = array<i64: 0, 1>"},
      {"64-bit signless integer attribute", " = 1"},
      {"64-bit float attribute", " = 0.5"},
      {"string attribute", " = \"text\""},
      {"string array attribute", " = [\"text\"]"},
      {"feature columns", " = [#tfir.numeric_column<key = \"age\">]"},
      {"bool attribute", " = true"},
      {"unit attribute", ""},
      {"flat symbol reference attribute", " = @name"}};
  for (auto &[summary, example] : kExamples)
    if (constraint == summary)
      return ("{" + name + example + "}").str();
  return "";
}

/// The text between the first of `before` and the next of `behind`; "" when
/// one of them is not there.
StringRef between(StringRef text, StringRef before, StringRef behind) {
  size_t begin = text.find(before);
  if (begin == StringRef::npos)
    return "";
  text = text.drop_front(begin + before.size());
  size_t end = text.find(behind);
  return end == StringRef::npos ? "" : text.take_front(end);
}

/// The name of an op that the parser does not know; "" for other errors.
StringRef unknownOp(StringRef text) {
  if (text.contains("' is unknown"))
    return between(text, "custom op '", "' is unknown");
  if (text.starts_with("unregistered operation '"))
    return between(text, "unregistered operation '", "'");
  return "";
}

} // namespace

LogicalResult addHint(MLIRContext &context, Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  // The parser lists all dialects in a note, which are none of the user's.
  if (StringRef(text).starts_with("Dialect `")) {
    StringRef op = between(text, "for custom op '", "'");
    InFlightDiagnostic error = emitError(diagnostic.getLocation())
                               << "op '" << op << "' is unknown";
    error.attachNote() << hintFor(context, op);
    return success();
  }
  if (StringRef op = unknownOp(text); !op.empty())
    diagnostic.attachNote() << hintFor(context, op);
  if (StringRef attr = between(text, "unknown attribute `", "` in dialect");
      !attr.empty())
    diagnostic.attachNote() << hintForAttribute(attr);
  if (StringRef(text).contains("unknown struct parameter name: "))
    diagnostic.attachNote() << "docs/ops.md lists the parameters of each "
                               "attribute, such as 'learning_rate' of "
                               "#tfir.sgd";
  constexpr StringLiteral kFailed = "' failed to satisfy constraint: ";
  size_t at = text.find(kFailed);
  if (at != std::string::npos) {
    StringRef name = between(text, "attribute '", "'");
    std::string example =
        exampleOf(StringRef(text).drop_front(at + kFailed.size()), name);
    if (!example.empty())
      diagnostic.attachNote() << "write it as " << example;
  }
  return failure(); // the next handler prints it
}

} // namespace graphc
