// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/sim/SimModels.h"

#include "test/runtime/target/cpu/TestKernels.h"

namespace graphc::test {

namespace {

const TensorType kScalar = {DType::Float32, {}};
const std::vector<uint8_t> kOne = {0, 0, 0x80, 0x3f};
const std::vector<uint8_t> kZero = {0, 0, 0, 0};

std::string device(const std::string &job, uint32_t task) {
  return "/job:" + job + "/replica:0/task:" + std::to_string(task) +
         "/device:CPU:0";
}

uint32_t addKernel(ModelBuilder &model, const char *name,
                   int64_t elements = 1) {
  KernelSpec spec{name};
  spec.units = elements;
  return model.addKernel(spec, testKernel(name));
}

TensorType typeOf(int64_t elements) {
  return elements == 1 ? kScalar : TensorType{DType::Float32, {elements}};
}

uint32_t addVariable(ModelBuilder &model, const char *name,
                     int64_t elements = 1) {
  uint32_t variable = model.addVariable(name, typeOf(elements));
  model.variables[variable].device = device("ps", 0);
  return variable;
}

/// Worker `worker` gives c / w / w to the ps, program 0, which has w and sends
/// it twice, so that frames follow each other; the slot of the result there.
uint32_t addWorker(GraphSpec &train, uint32_t worker, uint32_t weight,
                   uint32_t divide, int64_t elements = 1) {
  uint32_t program = train.addProgram(device("worker", worker));
  uint32_t seen = train.transfer(0, weight, program);
  uint32_t again = train.transfer(0, weight, program);
  ProgramSpec &there = train.program(program);
  uint32_t c = there.addConstant(
      "c", typeOf(elements),
      bytesOf(std::vector<float>(elements, 1.0f + 2.0f * worker)));
  uint32_t part = there.addArena("part", typeOf(elements));
  uint32_t gradient = there.addArena("gradient", typeOf(elements));
  there.addDispatch(divide, {c, seen, part}, {part});
  there.addDispatch(divide, {part, again, gradient}, {gradient});
  return train.transfer(program, gradient, 0);
}

} // namespace

runtime::ClusterSpec simCluster() {
  return *runtime::ClusterSpec::make({{"ps", 0, "ps:1"},
                                      {"worker", 0, "worker:1"},
                                      {"worker", 1, "worker:2"}});
}

ModelBuilder simSyncModel(int64_t elements) {
  ModelBuilder model;
  uint32_t w = addVariable(model, "w", elements);
  uint32_t add = addKernel(model, "add", elements),
           divide = addKernel(model, "divide", elements);

  GraphSpec &init = model.addGraph("init");
  init.device = device("ps", 0);
  init.addFill(init.addVariable("w", model, w), kOne);

  GraphSpec &train = model.addGraph("train");
  train.device = device("ps", 0);
  uint32_t weight = train.addVariable("w", model, w);
  uint32_t first = addWorker(train, 0, weight, divide, elements);
  uint32_t second = addWorker(train, 1, weight, divide, elements);
  uint32_t sum = train.addArena("sum", typeOf(elements));
  uint32_t after = train.addArena("after", typeOf(elements));
  train.addDispatch(add, {first, second, sum}, {sum});
  train.addDispatch(add, {weight, sum, weight}, {weight});
  train.addCopy(weight, after);
  train.addFetch("after", after);
  train.addFetch("gradient", 4, 1);
  return model;
}

ModelBuilder simForwardModel(int64_t elements) {
  ModelBuilder model;
  uint32_t w = addVariable(model, "w", elements);
  uint32_t v = model.addVariable("v", typeOf(elements));
  model.variables[v].device = device("worker", 0);
  uint32_t add = addKernel(model, "add", elements);

  GraphSpec &init = model.addGraph("init");
  init.device = device("ps", 0);
  init.addFill(init.addVariable("w", model, w), kOne);
  ProgramSpec &worker = init.program(init.addProgram(device("worker", 0)));
  worker.addFill(worker.addVariable("v", model, v), kOne);

  GraphSpec &train = model.addGraph("train");
  train.device = device("ps", 0);
  uint32_t maker = train.addProgram(device("worker", 0));
  ProgramSpec &there = train.program(maker);
  uint32_t count = there.addVariable("v", model, v);
  uint32_t one = there.addConstant("one", typeOf(elements),
                                   bytesOf(std::vector<float>(elements, 1.0f)));
  uint32_t made = there.addArena("made", typeOf(elements));
  there.addDispatch(add, {count, one, count}, {count});
  there.addDispatch(add, {count, one, made}, {made});
  uint32_t got = train.transfer(maker, made, 0);
  uint32_t weight = train.addVariable("w", model, w);
  uint32_t after = train.addArena("after", typeOf(elements));
  train.addDispatch(add, {weight, got, weight}, {weight});
  train.addCopy(weight, after);
  train.addFetch("after", after);
  return model;
}

ModelBuilder simAsyncModel(uint32_t staleness) {
  ModelBuilder model;
  uint32_t w = addVariable(model, "w"), count = addVariable(model, "count");
  uint32_t add = addKernel(model, "add"), divide = addKernel(model, "divide");

  GraphSpec &init = model.addGraph("init");
  init.device = device("ps", 0);
  init.addFill(init.addVariable("w", model, w), kOne);
  init.addFill(init.addVariable("count", model, count), kZero);

  for (uint32_t worker : {0, 1}) {
    GraphSpec &train = model.addGraph("train@" + std::to_string(worker));
    train.device = device("ps", 0);
    train.instance = InstanceSpec{.of = "train",
                                  .worker = worker,
                                  .workers = 2,
                                  .coordination = format::Coordination::Async,
                                  .coordinator = "/job:ps/task:0",
                                  .staleness = staleness};
    uint32_t weight = train.addVariable("w", model, w);
    uint32_t counter = train.addVariable("count", model, count);
    uint32_t one = train.addConstant("one", kScalar, bytesOf<float>({1}));
    uint32_t gradient = addWorker(train, worker, weight, divide);
    train.addDispatch(add, {weight, gradient, weight}, {weight});
    train.addDispatch(add, {counter, one, counter}, {counter});
    train.addFetch("gradient", 4, 1);
  }
  return model;
}

ModelBuilder simQuorumModel(uint32_t quorum) {
  ModelBuilder model;
  uint32_t w = addVariable(model, "w"), sum = addVariable(model, "sum");
  uint32_t updates = addVariable(model, "updates");
  uint32_t add = addKernel(model, "add"), divide = addKernel(model, "divide");

  GraphSpec &init = model.addGraph("init");
  init.device = device("ps", 0);
  init.addFill(init.addVariable("w", model, w), kOne);
  for (uint32_t variable : {sum, updates})
    init.addFill(
        init.addVariable(model.variables[variable].name, model, variable),
        kZero);

  for (uint32_t worker : {0, 1}) {
    GraphSpec &train = model.addGraph("train@" + std::to_string(worker));
    train.device = device("ps", 0);
    train.instance = InstanceSpec{.of = "train",
                                  .worker = worker,
                                  .workers = 2,
                                  .coordination = format::Coordination::Quorum,
                                  .coordinator = "/job:ps/task:0",
                                  .quorum = quorum,
                                  .apply = "train@apply"};
    uint32_t weight = train.addVariable("w", model, w);
    uint32_t total = train.addVariable("sum", model, sum);
    uint32_t gradient = addWorker(train, worker, weight, divide);
    train.addDispatch(add, {total, gradient, total}, {total});
    train.addFetch("gradient", 4, 1);
  }
  GraphSpec &apply = model.addGraph("train@apply");
  apply.device = device("ps", 0);
  uint32_t weight = apply.addVariable("w", model, w);
  uint32_t total = apply.addVariable("sum", model, sum);
  uint32_t counter = apply.addVariable("updates", model, updates);
  uint32_t one = apply.addConstant("one", kScalar, bytesOf<float>({1}));
  apply.addDispatch(add, {weight, total, weight}, {weight});
  apply.addFill(total, kZero, {0});
  apply.addDispatch(add, {counter, one, counter}, {counter});
  return model;
}

} // namespace graphc::test
