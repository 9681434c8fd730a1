// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/executor/TestTasks.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace graphc::test {

using namespace runtime;

bool TestSender::send(std::span<const RemoteEdge *const> edges, uint64_t step) {
  if (refusals > 0) {
    --refusals;
    return false;
  }
  lastStep = step;
  for (const RemoteEdge *edge : edges) {
    if (count == values.size())
      values.emplace_back();
    values[count].edge = edge->edge;
    values[count++].bytes.assign(edge->bytes.begin(), edge->bytes.end());
  }
  return true;
}

namespace {
void require(const Status &status) {
  if (status.isOk())
    return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::abort();
}

/// The part of the task that the program is on.
std::shared_ptr<const Model>
partOf(const Model &model, const format::Graph &graph, uint32_t program) {
  std::string task =
      taskOfDevice(deviceOf(model.index(), *graph.programs()->Get(program)));
  auto bytes = makeSlice(model, task);
  require(bytes.status());
  auto part = Model::fromBytes(std::move(bytes).value(), task);
  require(part.status());
  return *part;
}
} // namespace

TestTasks::TestTasks(TestProgram &program,
                     std::vector<std::vector<uint32_t>> taskPrograms,
                     const TaskChanges &changes)
    : programs(std::move(taskPrograms)), senders(programs.size()),
      spec(program.prepare(changes.threads)) {
  for (uint32_t task = 0; task < programs.size(); ++task) {
    TaskEngineSpec each;
    each.executor = spec;
    if (changes.haveParts) {
      parts.push_back(partOf(*spec.model, *spec.graph, programs[task].front()));
      each.executor.model = parts.back().get();
      each.executor.graph = parts.back()->findGraph("train");
    }
    each.programs = programs[task];
    each.sender = &senders[task];
    each.clock = changes.clock;
    each.stopsBeforeUpdate = changes.stopsBeforeUpdate;
    if (changes.receiveBuffer)
      each.receiveBuffer = [receiveBuffer = changes.receiveBuffer,
                            task](uint32_t edge, size_t bytes) {
        return receiveBuffer(task, edge, bytes);
      };
    if (changes.exposure)
      each.exposure.memory = [exposure = changes.exposure, task](uint32_t edge,
                                                                 size_t bytes) {
        return exposure(task, edge, bytes);
      };
    auto engine = TaskEngine::create(std::move(each));
    require(engine.status());
    engines.push_back(std::move(engine).value());
  }
}

void TestTasks::deliver() {
  for (TestSender &sender : senders) {
    for (size_t i = 0; i < sender.count; ++i)
      for (auto &engine : engines)
        if (const RemoteEdge *edge =
                engine->findIncoming(sender.values[i].edge)) {
          std::memcpy(edge->bytes.data(), sender.values[i].bytes.data(),
                      edge->bytes.size());
          engine->arrived(edge->edge);
        }
    sender.count = 0;
  }
}

void TestTasks::run(uint64_t step) {
  for (auto &engine : engines)
    engine->begin(step);
  auto isDone = [](const auto &engine) {
    return engine->advance() != TaskEngine::State::Waiting;
  };
  // Each round moves a value at least.
  for (size_t round = 0; round <= spec.graph->edges()->size(); ++round) {
    std::for_each(engines.begin(), engines.end(), isDone);
    deliver();
  }
}

std::span<float> TestTasks::values(uint32_t number, uint32_t slot) {
  const format::Slot &table =
      *spec.graph->programs()->Get(number)->slots()->Get(slot);
  std::span<std::byte> bytes;
  if (table.kind() == format::SlotKind::Variable) {
    bytes = {spec.variables[table.index()], table.size()};
  } else {
    for (const auto *ports : {spec.graph->feeds(), spec.graph->fetches()})
      for (const format::Port *port : *ports)
        for (auto &engine : engines)
          if (port->program() == number && port->slot() == slot &&
              bytes.empty())
            bytes = engine->slot(*port);
  }
  return {reinterpret_cast<float *>(bytes.data()),
          bytes.size() / sizeof(float)};
}

} // namespace graphc::test
