// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/SelectGraphs.h"

#include "runtime/format/CopyTables.h"
#include "runtime/format/DerivedModel.h"
#include "runtime/format/Quote.h"

namespace graphc::runtime {

namespace {

using flatbuffers::Offset;

/// Writes the index of the selection.
class SelectionWriter {
public:
  SelectionWriter(const Model &model, const GraphSelection &selection,
                  flatbuffers::FlatBufferBuilder &builder, BlobMover &blobs)
      : model(model), selection(selection), builder(builder), blobs(blobs),
        copier(builder) {
    findVariables();
  }

  void write();

private:
  void findVariables();
  const format::Blob *move(const format::Blob *blob);

  Offset<format::Variable> variable(const format::Variable &variable);
  Offset<format::Dataset> dataset(const format::Dataset &dataset);
  Offset<format::Executable> executable(const format::Executable &executable);
  Offset<format::Slot> slot(const format::Slot &slot);
  Offset<format::Program> program(const format::Program &program);
  Offset<format::Instance> instance(const format::Instance &instance);
  Offset<format::Graph> graph(const format::Graph &graph);

  const Model &model;
  const GraphSelection &selection;
  flatbuffers::FlatBufferBuilder &builder;
  BlobMover &blobs;
  TableCopier copier;
  format::Blob moved; ///< of move()
  /// By variable of the model: its number here.
  std::vector<uint32_t> numbers;
};

void SelectionWriter::findVariables() {
  std::vector<bool> isUsed(model.index().variables()->size(),
                           selection.workers == 0);
  for (const format::Graph *graph : *model.index().graphs()) {
    if (!selection.keeps(*graph))
      continue;
    for (const format::Program *program : *graph->programs())
      for (const format::Slot *slot : *program->slots())
        if (slot->kind() == format::SlotKind::Variable)
          isUsed[slot->index()] = true;
  }
  // The original of a mirror, whose number the mirror gives.
  for (uint32_t i = 0; i < isUsed.size(); ++i) {
    uint32_t original = model.index().variables()->Get(i)->mirror_of();
    if (isUsed[i] && original != UINT32_MAX)
      isUsed[original] = true;
  }
  uint32_t count = 0;
  for (bool isHere : isUsed)
    numbers.push_back(isHere ? count++ : UINT32_MAX);
}

const format::Blob *SelectionWriter::move(const format::Blob *blob) {
  if (!blob)
    return nullptr;
  moved = blobs.move(*blob);
  return &moved;
}

Offset<format::Variable>
SelectionWriter::variable(const format::Variable &variable) {
  uint32_t original = variable.mirror_of();
  return copier.copy(variable,
                     original == UINT32_MAX ? original : numbers[original]);
}

Offset<format::Dataset>
SelectionWriter::dataset(const format::Dataset &dataset) {
  if (selection.workers == 0)
    return copier.copy(dataset, dataset.batch(), dataset.per_worker());
  int64_t batch =
      dataset.batch() * (dataset.per_worker() ? selection.workers : 1);
  return copier.copy(dataset, batch, /*perWorker=*/false);
}

Offset<format::Executable>
SelectionWriter::executable(const format::Executable &executable) {
  return createWhole(format::CreateExecutable, builder,
                     copier.text(executable.target()), move(executable.code()));
}

Offset<format::Slot> SelectionWriter::slot(const format::Slot &slot) {
  uint32_t index = slot.kind() == format::SlotKind::Variable
                       ? numbers[slot.index()]
                       : slot.index();
  return copier.copy(slot, index, move(slot.data()));
}

Offset<format::Program>
SelectionWriter::program(const format::Program &program) {
  auto slots = copier.tables(
      program.slots(), [&](const format::Slot &each) { return slot(each); });
  return createWhole(format::CreateProgram, builder, program.device(),
                     program.arena_bytes(), program.live_bytes(), slots,
                     copier.tables(program.instructions()),
                     program.updates_from(), program.device_scratch_bytes());
}

Offset<format::Instance>
SelectionWriter::instance(const format::Instance &instance) {
  Offset<flatbuffers::String> apply = 0;
  if (instance.apply())
    apply = builder.CreateSharedString(
        selection.nameOf(*model.findGraph(viewOf(instance.apply()))));
  return copier.copy(instance, apply);
}

Offset<format::Graph> SelectionWriter::graph(const format::Graph &graph) {
  auto name = builder.CreateSharedString(selection.nameOf(graph));
  auto programs =
      copier.tables(graph.programs(),
                    [&](const format::Program &each) { return program(each); });
  Offset<format::Instance> own = 0;
  if (graph.instance())
    own = instance(*graph.instance());
  return createWhole(
      format::CreateGraph, builder, name, copier.tables(graph.feeds()),
      copier.tables(graph.fetches()), programs, graph.location(),
      copier.tables(graph.edges()), copier.numbers(graph.order()),
      graph.replicas(), own, selection.workers ? 0 : graph.member(),
      graph.host(), copier.tables(graph.summaries()));
}

void SelectionWriter::write() {
  const format::Model &whole = model.index();
  std::vector<Offset<flatbuffers::String>> flags;
  if (whole.flags())
    for (const flatbuffers::String *flag : *whole.flags())
      flags.push_back(copier.text(flag));
  std::vector<Offset<format::Variable>> variables;
  for (uint32_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != UINT32_MAX)
      variables.push_back(variable(*whole.variables()->Get(i)));
  std::vector<Offset<format::Graph>> graphs;
  for (const format::Graph *each : *whole.graphs())
    if (selection.keeps(*each))
      graphs.push_back(graph(*each));
  auto datasets =
      copier.tables(whole.datasets(),
                    [&](const format::Dataset &each) { return dataset(each); });
  auto executables =
      copier.tables(whole.executables(), [&](const format::Executable &each) {
        return executable(each);
      });
  // The report is of the whole.
  const format::Blob *source = move(whole.source());
  format::FinishModelBuffer(
      builder,
      createWhole(format::CreateModel, builder, copier.text(whole.producer()),
                  copier.text(whole.name()), source,
                  builder.CreateVector(flags), builder.CreateVector(variables),
                  datasets, copier.tables(whole.kernels()), executables,
                  builder.CreateVector(graphs), nullptr,
                  builder.CreateString(selection.digest), 0,
                  copier.tables(whole.devices())));
}

} // namespace

StatusOr<std::shared_ptr<const Model>>
selectGraphs(const Model &model, const GraphSelection &selection) {
  std::vector<std::byte> bytes = deriveModel(
      model, [&](flatbuffers::FlatBufferBuilder &builder, BlobMover &blobs) {
        SelectionWriter(model, selection, builder, blobs).write();
      });
  return Model::fromBytes(std::move(bytes), model.name());
}

} // namespace graphc::runtime
