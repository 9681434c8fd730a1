// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command lines as the parser of the tools needs them.
#ifndef GRAPHC_RUNTIME_BASE_ARGUMENTS_H
#define GRAPHC_RUNTIME_BASE_ARGUMENTS_H

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The arguments behind the tool's name, the last one first. "--flag=" becomes
/// the flag and an empty value; the parser would take the next argument for its
/// value.
inline std::vector<std::string> reversedArguments(int argc, char **argv) {
  std::vector<std::string> reversed;
  for (int i = argc - 1; i > 0; --i) {
    std::string_view text = argv[i];
    bool isEmptyValue = text.size() > 3 && text.starts_with("--") &&
                        text.find('=') == text.size() - 1;
    if (isEmptyValue) {
      reversed.emplace_back();
      text.remove_suffix(1);
    }
    reversed.emplace_back(text);
  }
  return reversed;
}

} // namespace graphc::runtime

#endif
