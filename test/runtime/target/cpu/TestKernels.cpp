// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/target/cpu/TestKernels.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace graphc::test {

Bytes testKernel(const std::string &name) {
  std::string path = std::string(GRAPHC_TEST_KERNELS "/") + name + ".kernel";
  std::ifstream file(path, std::ios::binary);
  std::vector<char> code((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  if (code.empty()) {
    std::fprintf(stderr, "no test kernel '%s'\n", path.c_str());
    std::abort();
  }
  return bytesOf(code);
}

} // namespace graphc::test
