// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make-sim-model KIND FILE: writes a plan for a parameter server and two
// workers, for the tests of graphc-run --sim-cluster.
#include "test/runtime/sim/SimModels.h"

#include <cstdio>
#include <fstream>
#include <map>

using namespace graphc::test;

int main(int argc, char **argv) {
  const std::map<std::string, ModelBuilder> models = {
      {"sync", simSyncModel()},
      {"async", simAsyncModel()},
      {"quorum", simQuorumModel(2)}};
  if (argc != 3 || !models.count(argv[1])) {
    std::fprintf(stderr, "usage: make-sim-model sync|async|quorum FILE\n");
    return 2;
  }
  Bytes bytes = models.at(argv[1]).finish();
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.flush() ? 0 : 1;
}
