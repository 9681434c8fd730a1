// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/PlanSlice.h"

#include "runtime/format/CopyTables.h"
#include "runtime/format/DerivedModel.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/format/Quote.h"
#include "runtime/format/print/Print.h"

#include <algorithm>
#include <set>

namespace graphc::runtime {

namespace {

using flatbuffers::Offset;

/// Calls `visit(device)` for each that programs or variables are on.
template <typename Visitor>
void forEachDevice(const Model &model, Visitor visit) {
  for (const format::Variable *variable : *model.index().variables())
    visit(deviceOf(model.index(), *variable));
  for (const format::Graph *graph : *model.index().graphs())
    for (const format::Program *program : *graph->programs())
      if (program->slots()->size() + program->instructions()->size() > 0)
        visit(deviceOf(model.index(), *program));
}

/// Writes the index of a slice.
class PartWriter {
public:
  PartWriter(const Model &model, std::string_view task,
             flatbuffers::FlatBufferBuilder &builder, BlobMover &blobs)
      : model(model), task(task), builder(builder), blobs(blobs),
        copier(builder) {}

  void write();

private:
  Offset<format::Executable> executable(const format::Executable &executable);
  Offset<format::Program> program(const format::Program &program);
  Offset<format::Edge> edge(const format::Graph &graph,
                            const format::Edge &edge);
  Offset<format::Graph> graph(const format::Graph &graph);
  bool isHere(const format::Program &program) const {
    return taskOfDevice(deviceOf(model.index(), program)) == task;
  }

  const Model &model;
  std::string task;
  flatbuffers::FlatBufferBuilder &builder;
  BlobMover &blobs;
  TableCopier copier;
};

Offset<format::Executable>
PartWriter::executable(const format::Executable &executable) {
  format::Blob code = blobs.move(*executable.code());
  return createWhole(format::CreateExecutable, builder,
                     copier.text(executable.target()), &code);
}

Offset<format::Program> PartWriter::program(const format::Program &program) {
  if (!isHere(program))
    return createWhole(format::CreateProgram, builder, program.device(), 0, 0,
                       builder.CreateVector<Offset<format::Slot>>({}),
                       builder.CreateVector<Offset<format::Instruction>>({}),
                       UINT32_MAX, 0);
  auto slot = [&](const format::Slot &slot) {
    if (slot.kind() != format::SlotKind::Constant)
      return copier.copy(slot, slot.index(), nullptr);
    format::Blob data = blobs.move(*slot.data());
    return copier.copy(slot, slot.index(), &data);
  };
  return createWhole(format::CreateProgram, builder, program.device(),
                     program.arena_bytes(), program.live_bytes(),
                     copier.tables(program.slots(), slot),
                     copier.tables(program.instructions()),
                     program.updates_from(), program.device_scratch_bytes());
}

/// Of a transfer among others, only between which programs it is.
Offset<format::Edge> PartWriter::edge(const format::Graph &graph,
                                      const format::Edge &edge) {
  if (isHere(*graph.programs()->Get(edge.source())) ||
      isHere(*graph.programs()->Get(edge.target())))
    return copier.copy(edge);
  return createWhole(format::CreateEdge, builder, edge.source(), edge.target(),
                     edge.size(), 0, edge.collective(), nullptr);
}

/// The order of instructions is a proof over all programs; where some are
/// elsewhere, it proves nothing.
Offset<format::Graph> PartWriter::graph(const format::Graph &graph) {
  auto programs =
      copier.tables(graph.programs(),
                    [&](const format::Program &each) { return program(each); });
  auto edges = copier.tables(graph.edges(), [&](const format::Edge &each) {
    return edge(graph, each);
  });
  bool isWhole =
      std::ranges::all_of(*graph.programs(), [&](const format::Program *each) {
        return isHere(*each);
      });
  Offset<format::Instance> instance =
      graph.instance() ? copier.copy(*graph.instance()) : 0;
  return createWhole(format::CreateGraph, builder, copier.text(graph.name()),
                     copier.tables(graph.feeds()),
                     copier.tables(graph.fetches()), programs, graph.location(),
                     edges, isWhole ? copier.numbers(graph.order()) : 0,
                     graph.replicas(), instance, graph.member(), graph.host(),
                     copier.tables(graph.summaries()));
}

void PartWriter::write() {
  const format::Model &whole = model.index();
  std::vector<Offset<flatbuffers::String>> flags;
  if (whole.flags())
    for (const flatbuffers::String *flag : *whole.flags())
      flags.push_back(copier.text(flag));
  auto executables =
      copier.tables(whole.executables(), [&](const format::Executable &each) {
        return executable(each);
      });
  auto graphs = copier.tables(
      whole.graphs(), [&](const format::Graph &each) { return graph(each); });
  format::FinishModelBuffer(
      builder,
      createWhole(format::CreateModel, builder, copier.text(whole.producer()),
                  copier.text(whole.name()), nullptr,
                  builder.CreateVector(flags), copier.tables(whole.variables()),
                  copier.tables(whole.datasets()),
                  copier.tables(whole.kernels()), executables, graphs, nullptr,
                  builder.CreateString(planDigest(model)),
                  builder.CreateString(task), copier.tables(whole.devices())));
}

} // namespace

std::string planDigest(const Model &model) {
  if (const flatbuffers::String *whole = model.index().part_of())
    return whole->str();
  return digestText(model.digest());
}

std::string taskOfDevice(std::string_view device) {
  DeviceName name = nameOfDevice(device);
  if (!name.job || !name.task)
    return "";
  return "/job:" + *name.job + "/task:" + std::to_string(*name.task);
}

std::vector<std::string> tasksOf(const Model &model) {
  std::set<DeviceName> names;
  forEachDevice(model, [&](std::string_view device) {
    DeviceName name = nameOfDevice(device);
    if (name.job && name.task) {
      name.replica.reset();
      names.insert(name.taskName());
    }
  });
  std::vector<std::string> tasks;
  for (const DeviceName &name : names)
    tasks.push_back(taskOfDevice(name.toString()));
  return tasks;
}

StatusOr<std::vector<std::byte>> makeSlice(const Model &model,
                                           std::string_view task) {
  GRAPHC_TRY(checkNoPlanVariants(model, "slices are made from one of them"));
  if (model.index().part_task())
    return invalidArgument("model '" + model.name() +
                           "' is the slice of task " +
                           quote(viewOf(model.index().part_task())) +
                           "; slices are made from the whole model.bin");
  std::vector<std::string> tasks = tasksOf(model);
  if (std::find(tasks.begin(), tasks.end(), task) == tasks.end()) {
    std::string list;
    for (const std::string &each : tasks)
      list += (list.empty() ? "" : ", ") + each;
    return notFound("the plan has nothing on task " + quote(task) +
                    "; it is for " + list);
  }
  return deriveModel(
      model, [&](flatbuffers::FlatBufferBuilder &builder, BlobMover &blobs) {
        PartWriter(model, task, builder, blobs).write();
      });
}

} // namespace graphc::runtime
