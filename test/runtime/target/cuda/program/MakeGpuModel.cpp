// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make-gpu-model KIND FILE: writes a model for GPUs, for tests of graphc-run.
#include "test/runtime/target/cuda/program/ReduceModel.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>

using namespace graphc::test;

int main(int argc, char **argv) {
  const std::map<std::string, std::function<ModelBuilder()>> models = {
      {"linear", [] { return onDevice(withGpuCode(linearModel(1)), kGpu0); }},
      {"sm_90",
       [] { return onDevice(withGpuCode(linearModel(1), "sm_90"), kGpu0); }},
      {"towers", [] { return withGpuCode(towersModel(1)); }},
      {"reduce", [] { return reduceModel(2); }},
      {"matmul", [] { return matmulModel(); }},
      {"fault-first", [] { return faultModel(0); }},
      {"fault-third", [] { return faultModel(2); }}};
  if (argc != 3 || !models.count(argv[1])) {
    std::fprintf(stderr, "usage: make-gpu-model KIND FILE\n");
    return 2;
  }
  Bytes bytes = models.at(argv[1])().finish();
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.flush() ? 0 : 1;
}
