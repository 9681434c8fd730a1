// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-fmt: brings texts of the text language into their one style.
#include "tools/graphc-fmt/FormatFiles.h"

int main(int argc, char **argv) {
  return graphc::formatFiles(argc, argv, graphc::text::upgraders());
}
