// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make-run-model KIND FILE: writes a model for the tests of graphc-run.
#include "test/runtime/session/SessionModels.h"

#include <cstdio>
#include <fstream>
#include <map>

using namespace graphc::test;

int main(int argc, char **argv) {
  const std::map<std::string, ModelBuilder> models = {
      {"linear", linearModel(1)},
      {"endless", linearModel(0)},
      {"divide", divideModel()},
      {"towers", towersModel(2)},
      {"values", valuesModel()}};
  if (argc != 3 || !models.count(argv[1])) {
    std::fprintf(stderr,
                 "usage: make-run-model linear|endless|divide|towers|values "
                 "FILE\n");
    return 2;
  }
  Bytes bytes = models.at(argv[1]).finish();
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.flush() ? 0 : 1;
}
