// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make-cluster-model FILE: a plan for ps 0 and workers 0 and 1; ps 0 has a
// variable of 64 MiB, worker 0 a GPU, and there is a dataset.
#include "test/runtime/format/ModelBuilder.h"

#include <fstream>
#include <iostream>

using namespace graphc::test;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: make-cluster-model FILE\n";
    return 2;
  }
  ModelBuilder model;
  uint32_t w = model.addVariable("w", {DType::Float32, {1 << 24}});
  model.variables[w].device = "/job:ps/replica:0/task:0/device:CPU:0";
  model.addDataset({"points", {{"x", {DType::Float32, {}}}}});
  for (const char *name : {"init", "train", "eval"}) {
    GraphSpec &graph = model.addGraph(name);
    graph.device = model.variables[w].device;
    graph.addFill(graph.addVariable("w", model, w), {0});
    for (const char *device : {"/job:worker/replica:0/task:0/device:GPU:0",
                               "/job:worker/replica:0/task:1/device:CPU:0"}) {
      ProgramSpec &program = graph.program(graph.addProgram(device));
      uint32_t x = program.addArena("x", {DType::Float32, {4}});
      program.addFill(x, {0});
    }
  }
  Bytes bytes = model.finish();
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.flush() ? 0 : 1;
}
