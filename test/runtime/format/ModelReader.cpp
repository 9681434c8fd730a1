// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/format/ModelReader.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/target/cpu/format/CpuExecutable.h"

namespace graphc::test {

namespace {

using runtime::Model;
using runtime::toTensorType;
using runtime::viewOf;

template <typename T>
std::vector<T> listOf(const flatbuffers::Vector<T> *list) {
  return list ? std::vector<T>(list->begin(), list->end()) : std::vector<T>();
}

uint32_t lineOf(const format::Location *location) {
  return location ? location->line() : 0;
}

Bytes bytesOf(const Model &model, const format::Blob &blob) {
  auto bytes = model.blob(blob);
  return Bytes(bytes.begin(), bytes.end());
}

SlotSpec readSlot(const Model &model, const format::Slot &slot) {
  SlotSpec spec;
  spec.kind = slot.kind();
  spec.name = viewOf(slot.name());
  spec.type = toTensorType(*slot.type());
  spec.size = slot.size();
  spec.offset = slot.offset();
  spec.index = slot.index();
  if (slot.kind() == format::SlotKind::Constant)
    spec.data = bytesOf(model, *slot.data());
  spec.first = slot.first();
  spec.last = slot.last();
  return spec;
}

InstructionSpec readInstruction(const format::Instruction &instruction) {
  InstructionSpec spec;
  if (const auto *dispatch = instruction.action_as_Dispatch())
    spec.action = DispatchSpec{dispatch->kernel(), listOf(dispatch->slots()),
                               listOf(dispatch->outputs())};
  else if (const auto *copy = instruction.action_as_Copy())
    spec.action = CopySpec{copy->source(), copy->target()};
  else if (const auto *fill = instruction.action_as_Fill())
    spec.action = FillSpec{fill->target(), listOf(fill->pattern())};
  else if (const auto *call = instruction.action_as_HostCall())
    spec.action = HostCallSpec{call->function(),
                               call->index(),
                               listOf(call->slots()),
                               call->shard(),
                               call->shards(),
                               call->value(),
                               std::string(viewOf(call->text())),
                               listOf(call->reads())};
  else if (const auto *send = instruction.action_as_Send())
    spec.action = SendSpec{listOf(send->edges()), listOf(send->slots())};
  else if (const auto *recv = instruction.action_as_Recv())
    spec.action = RecvSpec{listOf(recv->edges()), listOf(recv->slots())};
  else if (const auto *reduce = instruction.action_as_AllReduce())
    spec.action =
        AllReduceSpec{reduce->collective(), reduce->source(), reduce->target()};
  spec.waits = listOf(instruction.waits());
  spec.name = viewOf(instruction.name());
  spec.line = lineOf(instruction.location());
  spec.collective = instruction.collective();
  return spec;
}

std::vector<PortSpec>
readPorts(const flatbuffers::Vector<flatbuffers::Offset<format::Port>> &ports) {
  std::vector<PortSpec> specs;
  for (const format::Port *port : ports)
    specs.push_back({port->name()->str(), toTensorType(*port->type()),
                     port->program(), port->slot()});
  return specs;
}

void readGraph(const Model &model, const format::Graph &graph,
               GraphSpec &spec) {
  for (uint32_t p = 0; p < graph.programs()->size(); ++p) {
    const format::Program &program = *graph.programs()->Get(p);
    if (p > 0)
      spec.addProgram("");
    ProgramSpec &to = spec.program(p);
    to.device = runtime::deviceOf(model.index(), program);
    to.arenaBytes = program.arena_bytes();
    to.liveBytes = program.live_bytes();
    for (const format::Slot *slot : *program.slots())
      to.slots.push_back(readSlot(model, *slot));
    for (const format::Instruction *instruction : *program.instructions())
      to.instructions.push_back(readInstruction(*instruction));
  }
  spec.feeds = readPorts(*graph.feeds());
  spec.fetches = readPorts(*graph.fetches());
  if (graph.edges())
    for (const format::Edge *edge : *graph.edges())
      spec.edges.push_back({edge->source(), edge->target(), edge->size(),
                            std::string(viewOf(edge->name())),
                            edge->collective(), lineOf(edge->location())});
  if (graph.order())
    spec.order = listOf(graph.order());
  spec.replicas = graph.replicas();
  spec.keepsWaits = true;
}

} // namespace

ModelBuilder readModel(const Model &model) {
  const format::Model &index = model.index();
  ModelBuilder builder;
  builder.producer = index.producer()->str();
  builder.name = viewOf(index.name());
  for (const format::Variable *variable : *index.variables()) {
    VariableSpec spec{variable->name()->str(), toTensorType(*variable->type()),
                      variable->trainable(),
                      std::string(runtime::deviceOf(index, *variable)),
                      std::nullopt};
    if (variable->mirror_of() != UINT32_MAX)
      spec.mirrorOf = variable->mirror_of();
    builder.variables.push_back(spec);
  }
  for (const format::Dataset *dataset : *index.datasets()) {
    ModelDataset spec{dataset->name()->str(), {},
                      dataset->batch(),       dataset->shuffle_buffer(),
                      dataset->seed(),        dataset->repeat(),
                      dataset->prefetch(),    dataset->per_worker()};
    for (const format::DatasetField *field : *dataset->fields())
      spec.fields.push_back(
          {field->name()->str(), toTensorType(*field->type())});
    builder.datasets.push_back(spec);
  }
  for (const format::Kernel *kernel : *index.kernels())
    builder.kernels.push_back({kernel->name()->str(), kernel->units(),
                               kernel->scratch_bytes(), kernel->flops(),
                               kernel->bytes()});
  if (const format::CpuExecutable *code = runtime::cpuExecutable(model))
    for (const format::Image *image : *code->images()) {
      auto bytes = std::as_bytes(
          std::span(image->code()->data(), image->code()->size()));
      builder.images[image->isa()->str()] = {{bytes.begin(), bytes.end()},
                                             listOf(image->entries())};
    }
  for (const format::Graph *graph : *index.graphs())
    readGraph(model, *graph, builder.addGraph(graph->name()->str()));
  return builder;
}

} // namespace graphc::test
