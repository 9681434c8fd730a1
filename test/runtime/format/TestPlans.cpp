// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/format/TestPlans.h"

namespace graphc::test {

namespace {

const TensorType kScalar{DType::Float32, {}};
const TensorType kMatrix{DType::Float32, {4, 8}};
const TensorType kVector{DType::Float32, {8}};

/// A kernel that does nothing.
uint32_t addKernel(ModelBuilder &model, const std::string &name) {
  return model.addKernel(name, Bytes(16, std::byte{0xc3}));
}

void nameLast(ProgramSpec &program, const std::string &name, uint32_t line) {
  program.instructions.back().name = name;
  program.instructions.back().line = line;
}

/// All edges in one frame; gives the slots where they land.
std::vector<uint32_t> sendTogether(GraphSpec &graph, uint32_t source,
                                   const std::vector<uint32_t> &slots,
                                   uint32_t target) {
  std::vector<uint32_t> edges, receivedSlots;
  for (uint32_t slot : slots) {
    SlotSpec sent = graph.program(source).slots[slot];
    edges.push_back(graph.addEdge(source, target, slot));
    graph.edges.back().line = 7;
    receivedSlots.push_back(
        graph.program(target).addArena(sent.name, sent.type));
  }
  graph.program(source).addSend(edges, slots);
  graph.program(target).addRecv(edges, receivedSlots);
  return receivedSlots;
}

} // namespace

std::string gpu(uint32_t index) {
  return "/job:localhost/replica:0/task:0/device:GPU:" + std::to_string(index);
}

GraphSpec &trainOf(ModelBuilder &model) { return model.graphs.back(); }

ModelBuilder makeServerPlan(uint32_t towers) {
  ModelBuilder model;
  model.addVariable("w", kMatrix);
  model.addVariable("b", kVector);
  for (VariableSpec &variable : model.variables)
    variable.device = kCpu0;
  uint32_t data = model.addDataset(
      {"digits",
       {{"image", {DType::Float32, {4}}}, {"label", {DType::Int32, {}}}},
       /*batch=*/int64_t(2 * towers)});
  uint32_t loss = addKernel(model, "loss"), mean = addKernel(model, "mean");
  uint32_t update = addKernel(model, "update");

  GraphSpec &init = model.addGraph("init");
  init.addFill(init.addVariable("w", model, 0), {0});
  init.addFill(init.addVariable("b", model, 1), {0});

  GraphSpec &graph = model.addGraph("train");
  graph.replicas = towers;
  uint32_t w = graph.addVariable("w", model, 0);
  uint32_t b = graph.addVariable("b", model, 1);
  std::vector<uint32_t> losses, gradients;
  std::vector<std::vector<uint32_t>> made;
  for (uint32_t r = 0; r < towers; ++r) {
    uint32_t p = graph.addProgram(gpu(r));
    ProgramSpec &tower = graph.program(p);
    std::string prefix = "tower_" + std::to_string(r) + "/";
    uint32_t images =
        graph.addArena(prefix + "image", {DType::Float32, {2, 4}});
    uint32_t labels = graph.addArena(prefix + "label", {DType::Int32, {2}});
    graph.addNextBatch(data, {images, labels});
    auto &call = std::get<HostCallSpec>(graph.instructions.back().action);
    call.shard = r;
    call.shards = towers;
    auto weights = sendTogether(graph, 0, {w, b}, p);
    auto batch = sendTogether(graph, 0, {images, labels}, p);
    uint32_t state = tower.addStepState(r);
    uint32_t dw = tower.addArena(prefix + "dw", kMatrix);
    uint32_t db = tower.addArena(prefix + "db", kVector);
    uint32_t l = tower.addArena(prefix + "loss", kScalar);
    tower.addDispatch(
        loss, {weights[0], weights[1], batch[0], batch[1], state, dw, db, l},
        {dw, db, l});
    nameLast(tower, prefix + "loss", 12);
    made.push_back({dw, db, l});
  }
  for (uint32_t r = 0; r < towers; ++r) {
    auto landed = sendTogether(graph, r + 1, made[r], 0);
    gradients.insert(gradients.end(), landed.begin(), landed.end() - 1);
    losses.push_back(landed.back());
  }
  uint32_t total = graph.addArena("loss", kScalar);
  losses.push_back(total);
  graph.addDispatch(mean, losses, {total});
  gradients.push_back(w);
  gradients.push_back(b);
  graph.addDispatch(update, gradients, {w, b});
  nameLast(graph, "apply", 20);
  graph.addFetch("loss", total);
  return model;
}

namespace {

/// The chunks of one gradient around the ring: after n - 1 steps each device
/// has the sum of one chunk, after n - 1 more all sums. `chunks` is by device
/// and chunk.
void addRing(GraphSpec &graph, uint32_t add, uint32_t collective,
             std::vector<std::vector<uint32_t>> &chunks) {
  uint32_t n = chunks.size();
  for (uint32_t step = 0; step < 2 * (n - 1); ++step) {
    bool reduces = step < n - 1;
    std::vector<std::pair<uint32_t, uint32_t>> landed(n); // edge and slot
    auto chunkOf = [&](uint32_t p) {
      return reduces ? (p + 2 * n - step) % n
                     : (p + 1 + 2 * n - step + n - 1) % n;
    };
    for (uint32_t p = 0; p < n; ++p) {
      uint32_t slot = chunks[p][chunkOf(p)], next = (p + 1) % n;
      uint32_t edge = graph.addEdge(p, next, slot, collective);
      graph.program(p).addSend({edge}, {slot});
      SlotSpec sent = graph.program(p).slots[slot];
      landed[next] = {edge, graph.program(next).addArena(sent.name, sent.type)};
    }
    for (uint32_t p = 0; p < n; ++p) {
      ProgramSpec &program = graph.program(p);
      auto [edge, slot] = landed[p];
      uint32_t &mine = chunks[p][chunkOf((p + n - 1) % n)];
      program.addRecv({edge}, {slot});
      if (!reduces) {
        mine = slot;
        continue;
      }
      uint32_t sum =
          program.addArena("sum/" + std::to_string(collective) + "/" +
                               std::to_string(step) + "/" + std::to_string(p),
                           program.slots[slot].type);
      program.addDispatch(add, {mine, slot, sum}, {sum});
      nameLast(program, "ring/Add", 30);
      mine = sum;
    }
  }
}

/// Two variables with a mirror on each device, and a graph "train" with a
/// program there.
GraphSpec &addMirrored(ModelBuilder &model, const TensorType &type,
                       uint32_t devices) {
  for (uint32_t v = 0; v < 2; ++v)
    for (uint32_t p = 0; p < devices; ++p) {
      std::string name = v ? "b" : "w";
      uint32_t index = model.addVariable(
          p ? name + "/mirror_" + std::to_string(p) : name, type);
      model.variables[index].device = gpu(p);
      if (p)
        model.variables[index].mirrorOf = v * devices;
    }
  GraphSpec &graph = model.addGraph("train");
  graph.replicas = devices;
  graph.device = gpu(0);
  for (uint32_t p = 1; p < devices; ++p)
    graph.addProgram(gpu(p));
  return graph;
}

} // namespace

ModelBuilder makeRingPlan(uint32_t devices) {
  ModelBuilder model;
  uint32_t grad = addKernel(model, "grad"), add = addKernel(model, "add");
  uint32_t update = addKernel(model, "update");
  TensorType type{DType::Float32, {4 * devices}};
  GraphSpec &graph = addMirrored(model, type, devices);
  std::vector<std::vector<std::vector<uint32_t>>> chunks(2);
  for (uint32_t p = 0; p < devices; ++p) {
    ProgramSpec &program = graph.program(p);
    uint32_t x = program.addArena("x", type);
    graph.addFeed("x" + std::to_string(p), x, p);
    for (uint32_t v = 0; v < 2; ++v) {
      std::vector<uint32_t> made;
      for (uint32_t c = 0; c < devices; ++c)
        made.push_back(program.addArena("tower_" + std::to_string(p) + "/d" +
                                            (v ? "b" : "w") + "/" +
                                            std::to_string(c),
                                        {DType::Float32, {4}}));
      std::vector<uint32_t> operands = made;
      operands.push_back(x);
      program.addDispatch(grad, operands, made);
      nameLast(program, "grad", 25);
      chunks[v].push_back(made);
    }
  }
  for (uint32_t v = 0; v < 2; ++v)
    addRing(graph, add, v + 1, chunks[v]);
  for (uint32_t p = 0; p < devices; ++p)
    for (uint32_t v = 0; v < 2; ++v) {
      ProgramSpec &program = graph.program(p);
      uint32_t slot =
          program.addVariable(v ? "b" : "w", model, v * devices + p);
      std::vector<uint32_t> operands = chunks[v][p];
      operands.push_back(slot);
      program.addDispatch(update, operands, {slot});
      nameLast(program, "apply", 40);
    }
  graph.addFetch("x", 0);
  return model;
}

namespace {

/// The sum of `own`, by program, for an AllReduce: every program gets the
/// values of all others. Gives the sums.
std::vector<uint32_t> addAllReduce(GraphSpec &graph, uint32_t add,
                                   uint32_t number,
                                   const std::vector<uint32_t> &own) {
  uint32_t n = own.size();
  std::vector<std::vector<uint32_t>> terms(n);
  auto serve = [&](ProgramSpec &program) {
    program.instructions.back().collective = number;
  };
  for (uint32_t p = 0; p < n; ++p)
    for (uint32_t q = 0; q < n; ++q)
      if (p != q) {
        SlotSpec sent = graph.program(p).slots[own[p]];
        uint32_t edge = graph.addEdge(p, q, own[p], number);
        graph.program(p).addSend({edge}, {own[p]});
        serve(graph.program(p));
        uint32_t received = graph.program(q).addArena(sent.name, sent.type);
        terms[q].push_back(edge);
        terms[q].push_back(received);
      }
  std::vector<uint32_t> sums;
  for (uint32_t p = 0; p < n; ++p) {
    ProgramSpec &program = graph.program(p);
    TensorType type = program.slots[own[p]].type;
    std::vector<uint32_t> operands{own[p]};
    for (size_t i = 0; i < terms[p].size(); i += 2) {
      program.addRecv({terms[p][i]}, {terms[p][i + 1]});
      serve(program);
      operands.push_back(terms[p][i + 1]);
    }
    sums.push_back(program.addArena("sum", type));
    operands.push_back(sums.back());
    program.addDispatch(add, operands, {sums.back()});
    nameLast(program, "ring/Add", 30);
    serve(program);
    program.addInstruction({AllReduceSpec{number, own[p], sums.back()}});
    nameLast(program, "AllReduce", 30);
  }
  return sums;
}

} // namespace

ModelBuilder makeLibraryPlan(uint32_t devices) {
  ModelBuilder model;
  uint32_t grad = addKernel(model, "grad"), add = addKernel(model, "add");
  uint32_t update = addKernel(model, "update");
  TensorType type{DType::Float32, {4}};
  GraphSpec &graph = addMirrored(model, type, devices);
  std::vector<std::vector<uint32_t>> own(2); // by variable and program
  for (uint32_t p = 0; p < devices; ++p) {
    ProgramSpec &program = graph.program(p);
    uint32_t x = program.addArena("x", type);
    graph.addFeed("x" + std::to_string(p), x, p);
    std::string tower = "tower_" + std::to_string(p);
    own[0].push_back(program.addArena(tower + "/dw", type));
    own[1].push_back(program.addArena(tower + "/db", type));
    program.addDispatch(grad, {x, own[0][p], own[1][p]},
                        {own[0][p], own[1][p]});
    nameLast(program, "grad", 25);
  }
  std::vector<std::vector<uint32_t>> sums;
  for (uint32_t v = 0; v < 2; ++v)
    sums.push_back(addAllReduce(graph, add, v + 1, own[v]));
  for (uint32_t p = 0; p < devices; ++p)
    for (uint32_t v = 0; v < 2; ++v) {
      ProgramSpec &program = graph.program(p);
      uint32_t slot =
          program.addVariable(v ? "b" : "w", model, v * devices + p);
      program.addDispatch(update, {sums[v][p], slot}, {slot});
      nameLast(program, "apply", 40);
    }
  graph.addFetch("x", 0);
  return model;
}

} // namespace graphc::test
