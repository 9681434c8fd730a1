// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text and its name in errors.
#ifndef GRAPHC_RUNTIME_BASE_TEXTFILE_H
#define GRAPHC_RUNTIME_BASE_TEXTFILE_H

#include <string>

namespace graphc::runtime {

/// The content of a file that the user named.
struct TextFile {
  std::string path; ///< or what else errors are to show
  std::string text;
};

} // namespace graphc::runtime

#endif
