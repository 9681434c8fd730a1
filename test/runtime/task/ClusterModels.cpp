// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/task/ClusterModels.h"

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

uint32_t addKernel(ModelBuilder &model, const char *name, int64_t units = 1) {
  KernelSpec spec{name};
  spec.units = units;
  return model.addKernel(spec, testKernel(name));
}

} // namespace

runtime::ClusterSpec makeCluster(uint32_t ps, uint32_t workers) {
  std::vector<runtime::ClusterTask> tasks;
  for (uint32_t i = 0; i < ps; ++i)
    tasks.push_back({"ps", i, "ps" + std::to_string(i) + ":1"});
  for (uint32_t i = 0; i < workers; ++i)
    tasks.push_back({"worker", i, "worker" + std::to_string(i) + ":1"});
  return *runtime::ClusterSpec::make(tasks);
}

ModelBuilder pingModel(int64_t size) {
  const TensorType type = {DType::Float32, {size}};
  ModelBuilder model;
  uint32_t twice = addKernel(model, "twice", size);
  GraphSpec &graph = model.addGraph("ping");
  graph.device = device("worker", 0);
  uint32_t other = graph.addProgram(device("worker", 1));
  uint32_t x = graph.addArena("x", type);
  graph.addFeed("x", x);
  uint32_t there = graph.transfer(0, x, other);
  uint32_t half = graph.program(other).addArena("back", type);
  graph.program(other).addDispatch(twice, {there, half}, {half});
  graph.addFetch("half", half, other);
  uint32_t back = graph.transfer(other, half, 0);
  graph.edges.back().line = 7;
  uint32_t y = graph.addArena("y", type);
  graph.addDispatch(twice, {back, y}, {y});
  graph.addFetch("y", y);

  GraphSpec &alone = model.addGraph("alone");
  alone.device = device("worker", 0);
  uint32_t two = alone.addConstant("two", kScalar, bytesOf<float>({2}));
  uint32_t four = alone.addArena("four", kScalar);
  alone.addDispatch(addKernel(model, "add"), {two, two, four}, {four});
  alone.addFetch("four", four);
  return model;
}

ModelBuilder dataModel(int64_t repeat) {
  const TensorType two = {DType::Float32, {2}};
  ModelBuilder model;
  ModelDataset points{"points", {{"x", kScalar}}};
  points.batch = 4;
  points.repeat = repeat;
  uint32_t dataset = model.addDataset(points);
  uint32_t add = addKernel(model, "add", 2);
  GraphSpec &graph = model.addGraph("read");
  graph.device = device("ps", 0);
  uint32_t halves[2];
  for (uint32_t worker = 0; worker < 2; ++worker) {
    uint32_t program = graph.addProgram(device("worker", worker));
    ProgramSpec &there = graph.program(program);
    HostCallSpec call;
    call.index = dataset;
    call.shard = worker;
    call.shards = 2;
    call.slots = {there.addArena("x", two)};
    there.addInstruction({call, {}, "Next"});
    halves[worker] = graph.transfer(program, call.slots[0], 0);
  }
  uint32_t sum = graph.addArena("sum", two);
  graph.addDispatch(add, {halves[0], halves[1], sum}, {sum});
  graph.addFetch("sum", sum);
  return model;
}

namespace {

/// Adds the worker's own steps: programs 0 and 1 are those of the ps.
void addWorkerGraph(ModelBuilder &model, uint32_t worker, uint32_t add,
                    const InstanceSpec &instance) {
  GraphSpec &train = model.addGraph("train@" + std::to_string(worker));
  train.instance = instance;
  train.instance->worker = worker;
  train.device = device("ps", 0);
  train.addProgram(device("ps", 1));
  uint32_t there = train.addProgram(device("worker", worker));
  uint32_t weights[2];
  for (uint32_t ps = 0; ps < 2; ++ps) {
    weights[ps] =
        train.program(ps).addVariable("w" + std::to_string(ps), model, ps);
    uint32_t seen = train.transfer(ps, weights[ps], there);
    train.addFetch("seen" + std::to_string(ps), seen, there);
  }
  uint32_t gradient = train.program(there).addConstant(
      "g", kScalar, bytesOf<float>({1.0f + float(worker)}));
  uint32_t sent = train.program(there).addArena("sent", kScalar);
  train.program(there).addCopy(gradient, sent);
  for (uint32_t ps = 0; ps < 2; ++ps) {
    uint32_t got = train.transfer(there, sent, ps);
    ProgramSpec &program = train.program(ps);
    if (instance.coordination == format::Coordination::Quorum) {
      uint32_t sum =
          program.addVariable("sum" + std::to_string(ps), model, 2 + ps);
      program.addDispatch(add, {sum, got, sum}, {sum});
      continue;
    }
    program.addDispatch(add, {weights[ps], weights[ps], weights[ps]},
                        {weights[ps]});
    program.addDispatch(add, {weights[ps], got, weights[ps]}, {weights[ps]});
  }
}

} // namespace

ModelBuilder updateModel(uint32_t workers, format::Coordination coordination,
                         uint32_t quorum, uint32_t staleness) {
  ModelBuilder model;
  uint32_t add = addKernel(model, "add");
  bool isQuorum = coordination == format::Coordination::Quorum;
  for (const char *name : {"w", "sum"})
    for (uint32_t ps = 0; ps < 2 && (isQuorum || name[0] == 'w'); ++ps) {
      uint32_t variable = model.addVariable(name + std::to_string(ps), kScalar);
      model.variables[variable].device = device("ps", ps);
    }
  GraphSpec &init = model.addGraph("init");
  init.device = device("ps", 0);
  init.addProgram(device("ps", 1));
  for (uint32_t ps = 0; ps < 2; ++ps) {
    ProgramSpec &program = init.program(ps);
    program.addFill(program.addVariable("w", model, ps), kOne);
    if (isQuorum)
      program.addFill(program.addVariable("sum", model, 2 + ps), kZero);
  }
  InstanceSpec instance;
  instance.of = "train";
  instance.workers = workers;
  instance.coordination = coordination;
  instance.coordinator = "/job:ps/task:0";
  instance.quorum = quorum;
  instance.staleness = staleness;
  instance.apply = isQuorum ? "train/apply" : "";
  for (uint32_t worker = 0; worker < workers; ++worker)
    addWorkerGraph(model, worker, add, instance);
  if (!isQuorum)
    return model;
  GraphSpec &apply = model.addGraph("train/apply");
  apply.device = device("ps", 0);
  apply.addProgram(device("ps", 1));
  for (uint32_t ps = 0; ps < 2; ++ps) {
    ProgramSpec &program = apply.program(ps);
    uint32_t weight = program.addVariable("w", model, ps);
    uint32_t sum = program.addVariable("sum", model, 2 + ps);
    program.addDispatch(add, {weight, sum, weight}, {weight});
    program.addFill(sum, kZero);
  }
  return model;
}

ModelBuilder dividedModel(bool hasRows) {
  ModelBuilder model;
  model.addVariable("w", kScalar);
  uint32_t mirror = model.addVariable("w/mirror_1", kScalar);
  model.variables[mirror].mirrorOf = 0;
  for (uint32_t ps = 0; ps < 2; ++ps) {
    model.variables[ps].device = device("ps", ps);
    if (!hasRows)
      continue;
    uint32_t part = model.addVariable("rows/part_" + std::to_string(ps),
                                      {DType::Float32, {1, 2}});
    model.variables[part].partOf = "rows";
    model.variables[part].partRow = ps;
    model.variables[part].device = device("ps", ps);
  }
  GraphSpec &init = model.addGraph("init");
  init.device = device("ps", 0);
  init.addProgram(device("ps", 1));
  init.addFill(init.addVariable("w", model, 0), kOne);
  ProgramSpec &other = init.program(1);
  other.addFill(other.addVariable("w", model, mirror), kZero);
  for (uint32_t ps = 0; hasRows && ps < 2; ++ps)
    init.program(ps).addFill(
        init.program(ps).addVariable("rows", model, 2 + ps), kOne);
  GraphSpec &look = model.addGraph("look");
  look.device = device("ps", 1);
  look.addFetch("copy", look.addVariable("w/mirror_1", model, mirror));
  return model;
}

} // namespace graphc::test
