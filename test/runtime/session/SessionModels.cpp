// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/session/SessionModels.h"

#include "test/runtime/target/cpu/TestKernels.h"

#include <numeric>

namespace graphc::test {

namespace {

const TensorType kScalar = {DType::Float32, {}};
const TensorType kFour = {DType::Float32, {4}};

/// Adds a graph that reads a batch and computes its loss.
GraphSpec &addLossGraph(ModelBuilder &model, const char *name, uint32_t dataset,
                        uint32_t w, uint32_t lossKernel,
                        std::optional<uint32_t> updateKernel) {
  GraphSpec &graph = model.addGraph(name);
  uint32_t x = graph.addArena("x", kFour), y = graph.addArena("y", kFour);
  uint32_t loss = graph.addArena("loss", kScalar);
  uint32_t weight = graph.addVariable("w", model, w);
  graph.addFetch("loss", loss);
  graph.addNextBatch(dataset, {x, y});
  graph.addDispatch(lossKernel, {x, y, weight, loss}, {loss});
  if (updateKernel)
    graph.addDispatch(*updateKernel, {x, y, weight}, {weight});
  return graph;
}

uint32_t addKernel(ModelBuilder &model, const char *name, int64_t units = 1) {
  KernelSpec spec{name};
  spec.units = units;
  return model.addKernel(spec, testKernel(name));
}

} // namespace

ModelBuilder linearModel(int64_t repeat) {
  ModelBuilder model;
  uint32_t w = model.addVariable("w", kScalar);
  ModelDataset points{"points", {{"x", kScalar}, {"y", kScalar}}};
  points.batch = 4;
  points.repeat = repeat;
  uint32_t dataset = model.addDataset(points);
  uint32_t loss = addKernel(model, "loss4");
  uint32_t update = addKernel(model, "update4");
  uint32_t scale = addKernel(model, "scale", 4);

  GraphSpec &init = model.addGraph("init");
  init.addFill(init.addVariable("w", model, w), {0, 0, 0, 0x3f});
  addLossGraph(model, "train", dataset, w, loss, update);
  addLossGraph(model, "eval", dataset, w, loss, std::nullopt);

  GraphSpec &predict = model.addGraph("predict");
  uint32_t x = predict.addArena("x", kFour), y = predict.addArena("y", kFour);
  uint32_t weight = predict.addVariable("w", model, w);
  predict.addFeed("x", x);
  predict.addFetch("y", y);
  predict.addFetch("w", weight);
  predict.addDispatch(scale, {x, weight, y}, {y});
  return model;
}

ModelBuilder towersModel(int64_t repeat) {
  const TensorType two = {DType::Float32, {2}};
  const std::string gpu = "/job:localhost/replica:0/task:0/device:GPU:";
  ModelBuilder model;
  uint32_t w = model.addVariable("w", two);
  uint32_t mirror = model.addVariable("w/mirror_1", two);
  model.variables[mirror].mirrorOf = w;
  model.variables[mirror].device = gpu + "1";
  ModelDataset points{"points", {{"x", kScalar}, {"y", kScalar}}};
  points.batch = 4;
  points.repeat = repeat;
  uint32_t dataset = model.addDataset(points);
  uint32_t add = addKernel(model, "add", 2);

  GraphSpec &init = model.addGraph("init");
  init.addFill(init.addVariable("w", model, w), {0, 0, 0, 0x3f});
  ProgramSpec &other = init.program(init.addProgram(gpu + "1"));
  other.addFill(other.addVariable("w", model, mirror), {0, 0, 0, 0});

  GraphSpec &train = model.addGraph("train");
  train.replicas = 2;
  uint32_t halves[2], received[2];
  for (uint32_t tower = 0; tower < 2; ++tower) {
    std::string number = std::to_string(tower);
    ProgramSpec &there = train.program(train.addProgram(gpu + number));
    HostCallSpec call;
    call.index = dataset;
    call.shard = tower;
    call.shards = 2;
    halves[tower] = there.addArena("x" + number, two);
    call.slots = {halves[tower], there.addArena("y" + number, two)};
    there.addInstruction({call, {}, "tower_" + number + "/Next"});
    train.addFetch("x" + number, halves[tower], tower + 1);
  }
  for (uint32_t tower = 0; tower < 2; ++tower)
    received[tower] = train.transfer(tower + 1, halves[tower], 0);
  uint32_t sum = train.addArena("sum", two);
  uint32_t weight = train.addVariable("w", model, w);
  train.addDispatch(add, {received[0], received[1], sum}, {sum});
  train.addDispatch(add, {weight, sum, weight}, {weight});
  train.instructions.back().name = "Update";
  train.addFetch("sum", sum);
  ProgramSpec &last = train.program(2);
  uint32_t copy = last.addVariable("w/mirror_1", model, mirror);
  last.addCopy(train.transfer(0, weight, 2), copy);
  for (uint32_t index = 0; index < train.programCount(); ++index)
    train.program(index).addWaits();

  GraphSpec &look = model.addGraph("mirror");
  look.device = gpu + "1";
  uint32_t value = look.addVariable("w/mirror_1", model, mirror);
  look.addFetch("w", value);
  return model;
}

ModelBuilder divideModel() {
  ModelBuilder model;
  uint32_t divide = addKernel(model, "divide");
  GraphSpec &graph = model.addGraph("divide");
  uint32_t x = graph.addArena("x", kScalar), y = graph.addArena("y", kScalar);
  uint32_t z = graph.addArena("z", kScalar);
  graph.addFeed("x", x);
  graph.addFeed("y", y);
  graph.addFetch("z", z);
  graph.addDispatch(divide, {x, y, z}, {z});
  graph.instructions.back().name = "Div";
  graph.instructions.back().line = 3;
  return model;
}

ModelBuilder valuesModel() {
  ModelBuilder model;
  uint32_t state = addKernel(model, "state");
  GraphSpec &graph = model.addGraph("hello");
  uint32_t out = graph.addArena("state", {DType::Int64, {3}});
  graph.addFetch("greeting", graph.addStrings("greeting", {"Hello, graph"}));
  graph.addFetch("poem", graph.addStrings("poem", {"a line", "another"}));
  graph.addFetch("state", out);
  graph.addFetch("yes", graph.addConstant("yes", {DType::Bool, {}},
                                          bytesOf<uint8_t>({1})));
  std::vector<float> numbers(40);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  graph.addFetch("large", graph.addConstant("large", {DType::Float32, {5, 8}},
                                            bytesOf(numbers)));
  graph.addDispatch(state, {graph.addStepState(), out}, {out});
  return model;
}

} // namespace graphc::test
