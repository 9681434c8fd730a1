// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/syntax/Upgrade.h"

using llvm::ArrayRef;
using llvm::StringRef;

namespace graphc::text {

int compareVersion(StringRef version) {
  int number;
  if (version.getAsInteger(10, number))
    return 1;
  return number < kLanguageVersion ? -1 : number > kLanguageVersion;
}

bool checkVersion(StringRef version, Diagnostics &diagnostics) {
  int order = compareVersion(version);
  if (order == 0)
    return true;
  mlir::InFlightDiagnostic error = diagnostics.error(version.data());
  error << "this text is of version " << version
        << ", but graphc reads version";
  if (order < 0)
    error << " " << kLanguageVersion
          << "; rewrite it by 'graphc-fmt --upgrade -i FILE'";
  else
    error << "s up to " << kLanguageVersion
          << "; take a newer graphc, or write 'tfir " << kLanguageVersion
          << "' and only what that version has";
  return false;
}

/// Version 1 is the first.
ArrayRef<Upgrader> upgraders() { return {}; }

namespace {

std::string applyEdits(StringRef source, ArrayRef<SourceEdit> edits) {
  std::string text;
  const char *at = source.begin();
  for (const SourceEdit &edit : edits) {
    text.append(at, edit.replaced.begin());
    text += edit.text;
    at = edit.replaced.end();
  }
  text.append(at, source.end());
  return text;
}

} // namespace

std::optional<std::string> upgradeText(StringRef source, StringRef file,
                                       ArrayRef<Upgrader> upgraders,
                                       mlir::MLIRContext &context) {
  std::string text = source.str();
  while (true) {
    StringRef version = versionOf(text);
    // A text that is too new is an error of the parser.
    if (compareVersion(version) >= 0)
      return text;
    Diagnostics diagnostics(context);
    diagnostics.addSource(text, file);
    int from = 0;
    version.getAsInteger(10, from);
    const Upgrader *upgrader = llvm::find_if(
        upgraders, [&](const Upgrader &one) { return one.from == from; });
    if (upgrader == upgraders.end()) {
      int oldest =
          upgraders.empty() ? kLanguageVersion : upgraders.front().from;
      diagnostics.error(version.data())
          << "there is no version " << from
          << " of the language, whose oldest is " << oldest << "; write 'tfir "
          << oldest << "'";
      return std::nullopt;
    }
    StringRef rest = StringRef(text).substr(version.end() - text.data());
    std::vector<TextToken> tokens =
        tokenize(rest, diagnostics, /*keepComments=*/true);
    std::vector<SourceEdit> edits = upgrader->edit(tokens, diagnostics);
    if (diagnostics.hasErrors())
      return std::nullopt;
    edits.insert(edits.begin(), {version, std::to_string(from + 1)});
    text = applyEdits(text, edits);
  }
}

} // namespace graphc::text
