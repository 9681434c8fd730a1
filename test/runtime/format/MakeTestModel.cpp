// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make-test-model OUT [server|ring|library]: writes the sample model of the
// unit tests, or one with several programs, to a file, for the tests of tools.
#include "test/runtime/format/TestPlans.h"

#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
  std::string kind = argc > 2 ? argv[2] : "sample";
  if (argc < 2 || argc > 3 ||
      (kind != "sample" && kind != "server" && kind != "ring" &&
       kind != "library")) {
    std::cerr << "usage: make-test-model OUT [server|ring|library]\n";
    return 2;
  }
  auto model = kind == "server"    ? graphc::test::makeServerPlan(2)
               : kind == "ring"    ? graphc::test::makeRingPlan(2)
               : kind == "library" ? graphc::test::makeLibraryPlan(2)
                                   : graphc::test::makeSampleModel();
  auto bytes = model.finish();
  std::ofstream out(argv[1], std::ios::binary);
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    std::cerr << "make-test-model: cannot write '" << argv[1] << "'\n";
    return 1;
  }
}
