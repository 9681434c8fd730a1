// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/PlanFamily.h"

#include "runtime/format/CopyTables.h"
#include "runtime/format/DerivedModel.h"
#include "runtime/format/ModelPart.h"
#include "runtime/format/Quote.h"

#include <vector>

namespace graphc::runtime {

namespace {

using flatbuffers::Offset;

std::string listOf(const std::set<uint32_t> &members) {
  std::string text;
  for (uint32_t member : members)
    text += (text.empty() ? "" : ", ") + std::to_string(member);
  return text;
}

/// Writes the index of one member.
class MemberWriter {
public:
  MemberWriter(const Model &model, uint32_t workers,
               flatbuffers::FlatBufferBuilder &builder, BlobMover &blobs)
      : model(model), workers(workers), builder(builder), blobs(blobs),
        copier(builder) {
    findVariables();
  }

  void write();

private:
  bool isOurs(const format::Graph &graph) const {
    return graph.member() == 0 || graph.member() == workers;
  }
  void findVariables();
  std::string plainName(std::string_view name) const;
  const format::Blob *move(const format::Blob *blob);

  Offset<format::Variable> variable(const format::Variable &variable);
  Offset<format::Dataset> dataset(const format::Dataset &dataset);
  Offset<format::Executable> executable(const format::Executable &executable);
  Offset<format::Slot> slot(const format::Slot &slot);
  Offset<format::Program> program(const format::Program &program);
  Offset<format::Instance> instance(const format::Instance &instance);
  Offset<format::Graph> graph(const format::Graph &graph);

  const Model &model;
  uint32_t workers;
  flatbuffers::FlatBufferBuilder &builder;
  BlobMover &blobs;
  TableCopier copier;
  format::Blob moved; ///< of move()
  /// By variable of the family: its number here.
  std::vector<uint32_t> numbers;
};

void MemberWriter::findVariables() {
  std::vector<bool> isUsed(model.index().variables()->size());
  for (const format::Graph *graph : *model.index().graphs()) {
    if (!isOurs(*graph))
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

/// REQUIRES: the name of a graph that is there.
std::string MemberWriter::plainName(std::string_view name) const {
  return std::string(sourceNameOf(*model.findGraph(name)));
}

const format::Blob *MemberWriter::move(const format::Blob *blob) {
  if (!blob)
    return nullptr;
  moved = blobs.move(*blob);
  return &moved;
}

Offset<format::Variable>
MemberWriter::variable(const format::Variable &variable) {
  uint32_t original = variable.mirror_of();
  return copier.copy(variable,
                     original == UINT32_MAX ? original : numbers[original]);
}

Offset<format::Dataset> MemberWriter::dataset(const format::Dataset &dataset) {
  int64_t batch = dataset.batch() * (dataset.per_worker() ? workers : 1);
  return copier.copy(dataset, batch, /*perWorker=*/false);
}

Offset<format::Executable>
MemberWriter::executable(const format::Executable &executable) {
  return createWhole(format::CreateExecutable, builder,
                     copier.text(executable.target()), move(executable.code()));
}

Offset<format::Slot> MemberWriter::slot(const format::Slot &slot) {
  uint32_t index = slot.kind() == format::SlotKind::Variable
                       ? numbers[slot.index()]
                       : slot.index();
  return copier.copy(slot, index, move(slot.data()));
}

Offset<format::Program> MemberWriter::program(const format::Program &program) {
  auto slots = copier.tables(
      program.slots(), [&](const format::Slot &each) { return slot(each); });
  return createWhole(format::CreateProgram, builder,
                     copier.text(program.device()), program.arena_bytes(),
                     program.live_bytes(), slots,
                     copier.tables(program.instructions()),
                     program.updates_from(), program.device_scratch_bytes());
}

Offset<format::Instance>
MemberWriter::instance(const format::Instance &instance) {
  Offset<flatbuffers::String> apply = 0;
  if (instance.apply())
    apply = builder.CreateSharedString(plainName(viewOf(instance.apply())));
  return copier.copy(instance, apply);
}

Offset<format::Graph> MemberWriter::graph(const format::Graph &graph) {
  auto name = builder.CreateSharedString(std::string(sourceNameOf(graph)));
  auto programs =
      copier.tables(graph.programs(),
                    [&](const format::Program &each) { return program(each); });
  Offset<format::Instance> own = 0;
  if (graph.instance())
    own = instance(*graph.instance());
  return createWhole(format::CreateGraph, builder, name,
                     copier.tables(graph.feeds()),
                     copier.tables(graph.fetches()), programs, graph.location(),
                     copier.tables(graph.edges()),
                     copier.numbers(graph.order()), graph.replicas(), own, 0);
}

void MemberWriter::write() {
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
    if (isOurs(*each))
      graphs.push_back(graph(*each));
  auto datasets =
      copier.tables(whole.datasets(),
                    [&](const format::Dataset &each) { return dataset(each); });
  auto executables =
      copier.tables(whole.executables(), [&](const format::Executable &each) {
        return executable(each);
      });
  // The report is that of the largest member.
  const format::Blob *source = move(whole.source());
  format::FinishModelBuffer(
      builder,
      createWhole(format::CreateModel, builder, copier.text(whole.producer()),
                  copier.text(whole.name()), source,
                  builder.CreateVector(flags), builder.CreateVector(variables),
                  datasets, copier.tables(whole.kernels()), executables,
                  builder.CreateVector(graphs), nullptr,
                  builder.CreateString(planDigest(model)), 0));
}

} // namespace

std::set<uint32_t> membersOf(const Model &model) {
  std::set<uint32_t> members;
  for (const format::Graph *graph : *model.index().graphs())
    if (graph->member() != 0)
      members.insert(graph->member());
  return members;
}

std::string_view sourceNameOf(const format::Graph &graph) {
  std::string_view name = viewOf(graph.name());
  std::string ending = "#" + std::to_string(graph.member());
  if (graph.member() != 0 && name.ends_with(ending))
    name.remove_suffix(ending.size());
  return name;
}

StatusOr<std::shared_ptr<const Model>>
takeMember(std::shared_ptr<const Model> family, uint32_t workers) {
  std::set<uint32_t> members = membersOf(*family);
  if (members.empty())
    return family;
  if (!members.count(workers))
    return failedPrecondition(
        "model file " + quote(family->name()) + " has no plan for " +
        std::to_string(workers) + " workers, but for " + listOf(members) +
        "; run it with as many workers as one of them, or compile it with "
        "--workers for more");
  std::vector<std::byte> bytes = deriveModel(
      *family, [&](flatbuffers::FlatBufferBuilder &builder, BlobMover &blobs) {
        MemberWriter(*family, workers, builder, blobs).write();
      });
  StatusOr<std::shared_ptr<const Model>> member =
      Model::fromBytes(std::move(bytes), family->name());
  if (!member.isOk())
    return member.status().annotate("the plan for " + std::to_string(workers) +
                                    " workers");
  return member;
}

Status checkNoFamily(const Model &model, std::string_view cure) {
  std::set<uint32_t> members = membersOf(model);
  if (members.empty())
    return Status::ok();
  return failedPrecondition("model file " + quote(model.name()) +
                            " has plans for " + listOf(members) + " workers; " +
                            std::string(cure));
}

} // namespace graphc::runtime
