// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make-test-model OUT: writes the sample model of the unit tests to a file, for
// the tests of tools.
#include "test/runtime/format/ModelBuilder.h"

#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: make-test-model OUT\n";
    return 2;
  }
  auto bytes = graphc::test::makeSampleModel().finish();
  std::ofstream out(argv[1], std::ios::binary);
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    std::cerr << "make-test-model: cannot write '" << argv[1] << "'\n";
    return 1;
  }
}
