// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The helpers that fill the structs, and the writer that turns them into the
// bytes of a file.
#include "test/runtime/format/ModelBuilder.h"

#include "runtime/format/FileHeader.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/target/cpu/format/CpuExecutable_generated.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace graphc::test {

Bytes stringTable(const std::vector<std::string> &strings) {
  std::vector<uint64_t> numbers = {strings.size()};
  uint64_t offset = (strings.size() + 2) * sizeof(uint64_t);
  numbers.push_back(offset);
  for (const std::string &text : strings)
    numbers.push_back(offset += text.size());
  Bytes table = bytesOf(numbers);
  for (const std::string &text : strings)
    for (char c : text)
      table.push_back(static_cast<std::byte>(c));
  return table;
}

uint32_t ProgramSpec::addSlot(SlotSpec slot) {
  slots.push_back(std::move(slot));
  return slots.size() - 1;
}

uint32_t ProgramSpec::addArena(std::string name, TensorType type) {
  SlotSpec slot;
  slot.name = std::move(name);
  slot.size = type.numBytes();
  slot.offset = arenaBytes;
  slot.type = std::move(type);
  arenaBytes = format::alignUp(arenaBytes + slot.size);
  liveBytes += slot.size;
  return addSlot(std::move(slot));
}

uint32_t ProgramSpec::addVariable(std::string name, const ModelBuilder &model,
                                  uint32_t variable) {
  SlotSpec slot;
  slot.kind = format::SlotKind::Variable;
  slot.name = std::move(name);
  slot.type = model.variables[variable].type;
  slot.size = slot.type.numBytes();
  slot.index = variable;
  return addSlot(std::move(slot));
}

uint32_t ProgramSpec::addConstant(std::string name, TensorType type,
                                  Bytes data) {
  SlotSpec slot;
  slot.kind = format::SlotKind::Constant;
  slot.name = std::move(name);
  slot.type = std::move(type);
  slot.size = data.size();
  slot.data = std::move(data);
  return addSlot(std::move(slot));
}

uint32_t ProgramSpec::addStrings(std::string name,
                                 const std::vector<std::string> &strings) {
  return addConstant(std::move(name),
                     {DType::String, {static_cast<int64_t>(strings.size())}},
                     stringTable(strings));
}

uint32_t ProgramSpec::addStepState(uint32_t replica) {
  SlotSpec slot;
  slot.kind = format::SlotKind::StepState;
  slot.type = {DType::UInt8, {32}};
  slot.size = 32;
  slot.index = replica;
  return addSlot(std::move(slot));
}

uint32_t ProgramSpec::addInstruction(InstructionSpec instruction) {
  instructions.push_back(std::move(instruction));
  return instructions.size() - 1;
}

uint32_t ProgramSpec::addDispatch(uint32_t kernel, std::vector<uint32_t> slots,
                                  std::vector<uint32_t> outputs,
                                  std::vector<uint32_t> waits) {
  return addInstruction(
      {DispatchSpec{kernel, std::move(slots), std::move(outputs)},
       std::move(waits)});
}

uint32_t ProgramSpec::addCopy(uint32_t source, uint32_t target,
                              std::vector<uint32_t> waits) {
  return addInstruction({CopySpec{source, target}, std::move(waits)});
}

uint32_t ProgramSpec::addFill(uint32_t target, std::vector<uint8_t> pattern,
                              std::vector<uint32_t> waits) {
  return addInstruction(
      {FillSpec{target, std::move(pattern)}, std::move(waits)});
}

uint32_t ProgramSpec::addNextBatch(uint32_t dataset,
                                   std::vector<uint32_t> slots,
                                   std::vector<uint32_t> waits) {
  HostCallSpec call;
  call.index = dataset;
  call.slots = std::move(slots);
  return addInstruction({std::move(call), std::move(waits)});
}

uint32_t ProgramSpec::addSend(std::vector<uint32_t> edges,
                              std::vector<uint32_t> slots,
                              std::vector<uint32_t> waits) {
  return addInstruction(
      {SendSpec{std::move(edges), std::move(slots)}, std::move(waits)});
}

uint32_t ProgramSpec::addRecv(std::vector<uint32_t> edges,
                              std::vector<uint32_t> slots,
                              std::vector<uint32_t> waits) {
  return addInstruction(
      {RecvSpec{std::move(edges), std::move(slots)}, std::move(waits)});
}

SlotUse usesOf(const InstructionSpec &instruction) {
  if (auto *dispatch = std::get_if<DispatchSpec>(&instruction.action))
    return {dispatch->slots, dispatch->outputs};
  if (auto *copy = std::get_if<CopySpec>(&instruction.action))
    return {{copy->source, copy->target}, {copy->target}};
  if (auto *fill = std::get_if<FillSpec>(&instruction.action))
    return {{fill->target}, {fill->target}};
  if (auto *call = std::get_if<HostCallSpec>(&instruction.action)) {
    SlotUse use{call->slots, call->slots};
    use.all.insert(use.all.end(), call->reads.begin(), call->reads.end());
    return use;
  }
  if (auto *send = std::get_if<SendSpec>(&instruction.action))
    return {send->slots, {}};
  if (auto *reduce = std::get_if<AllReduceSpec>(&instruction.action))
    return {{reduce->source, reduce->target}, {reduce->target}};
  const auto &recv = std::get<RecvSpec>(instruction.action);
  return {recv.slots, recv.slots};
}

void ProgramSpec::addWaits() {
  struct Last {
    std::optional<uint32_t> writer;
    std::vector<uint32_t> readers;
  };
  std::vector<Last> last(slots.size());
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    std::set<uint32_t> waits(instructions[i].waits.begin(),
                             instructions[i].waits.end());
    SlotUse use = usesOf(instructions[i]);
    auto writes = [&](uint32_t slot) {
      return std::find(use.writes.begin(), use.writes.end(), slot) !=
             use.writes.end();
    };
    for (uint32_t slot : use.all) {
      if (slot >= last.size())
        continue; // for the verifier to refuse
      if (last[slot].writer && *last[slot].writer != i)
        waits.insert(*last[slot].writer);
      if (!writes(slot)) {
        last[slot].readers.push_back(i);
        continue;
      }
      waits.insert(last[slot].readers.begin(), last[slot].readers.end());
      last[slot] = {i, {}};
    }
    waits.erase(i);
    instructions[i].waits.assign(waits.begin(), waits.end());
  }
}

uint32_t GraphSpec::addProgram(std::string programDevice) {
  others.emplace_back();
  others.back().device = std::move(programDevice);
  return others.size();
}

ProgramSpec &GraphSpec::program(uint32_t index) {
  return index == 0 ? *this : others[index - 1];
}

const ProgramSpec &GraphSpec::program(uint32_t index) const {
  return index == 0 ? *this : others[index - 1];
}

uint32_t GraphSpec::addEdge(uint32_t source, uint32_t target,
                            uint32_t sourceSlot, uint32_t collective) {
  const SlotSpec &slot = program(source).slots[sourceSlot];
  edges.push_back({source, target, slot.size, slot.name, collective});
  return edges.size() - 1;
}

uint32_t GraphSpec::transfer(uint32_t source, uint32_t slot, uint32_t target,
                             uint32_t collective) {
  uint32_t edge = addEdge(source, target, slot, collective);
  program(source).addSend({edge}, {slot});
  const SlotSpec &sent = program(source).slots[slot];
  uint32_t received = program(target).addArena(sent.name, sent.type);
  program(target).addRecv({edge}, {received});
  return received;
}

void GraphSpec::addFeed(std::string name, uint32_t slot, uint32_t index) {
  feeds.push_back(
      {std::move(name), program(index).slots[slot].type, index, slot});
}

void GraphSpec::addFetch(std::string name, uint32_t slot, uint32_t index) {
  fetches.push_back(
      {std::move(name), program(index).slots[slot].type, index, slot});
}

uint32_t ModelBuilder::addVariable(std::string name, TensorType type,
                                   bool trainable) {
  VariableSpec variable;
  variable.name = std::move(name);
  variable.type = std::move(type);
  variable.trainable = trainable;
  variables.push_back(std::move(variable));
  return variables.size() - 1;
}

uint32_t ModelBuilder::addDataset(ModelDataset dataset) {
  datasets.push_back(std::move(dataset));
  return datasets.size() - 1;
}

uint32_t ModelBuilder::addKernel(KernelSpec kernel, const Bytes &code) {
  return addKernel(std::move(kernel), {{kV3, code}, {kV4, code}});
}

uint32_t ModelBuilder::addKernel(KernelSpec kernel,
                                 const std::map<std::string, Bytes> &codes) {
  kernels.push_back(std::move(kernel));
  for (const auto &[isa, code] : codes) {
    ImageSpec &image = images[isa];
    image.code.resize(format::alignUp(image.code.size()));
    image.entries.push_back(image.code.size());
    image.code.insert(image.code.end(), code.begin(), code.end());
  }
  return kernels.size() - 1;
}

GraphSpec &ModelBuilder::addGraph(std::string name) {
  graphs.emplace_back();
  graphs.back().name = std::move(name);
  return graphs.back();
}

std::vector<uint32_t> findOrder(const GraphSpec &graph) {
  std::vector<uint32_t> order, next(graph.programCount());
  std::set<uint32_t> sent;
  bool moved = true;
  while (moved) {
    moved = false;
    for (uint32_t p = 0; p < graph.programCount(); ++p) {
      const auto &instructions = graph.program(p).instructions;
      for (; next[p] < instructions.size(); ++next[p]) {
        const auto &action = instructions[next[p]].action;
        if (auto *recv = std::get_if<RecvSpec>(&action))
          if (!std::all_of(recv->edges.begin(), recv->edges.end(),
                           [&](uint32_t edge) { return sent.count(edge); }))
            break;
        if (auto *send = std::get_if<SendSpec>(&action))
          sent.insert(send->edges.begin(), send->edges.end());
        order.push_back(p);
        moved = true;
      }
    }
  }
  return order;
}

namespace {

namespace fb = flatbuffers;

/// Writes the index; blobs are collected after it.
class Writer {
public:
  Writer(const ModelBuilder &model, uint64_t blobStart)
      : model(model), blobStart(blobStart) {}

  void write();
  const fb::FlatBufferBuilder &index() const { return builder; }
  const Bytes &blobs() const { return blobBytes; }

private:
  format::Blob addBlob(const Bytes &bytes);
  fb::Offset<format::TensorType> type(const TensorType &type);
  fb::Offset<format::Dataset> dataset(const ModelDataset &dataset);
  fb::Offset<format::Slot> slot(const GraphSpec &graph, uint32_t program,
                                uint32_t index);
  fb::Offset<format::Program> program(const GraphSpec &graph, uint32_t index);
  /// The place of a device in the table; of "", which no device has, none.
  uint32_t device(const std::string &name);
  fb::Offset<format::Variable> variable(const VariableSpec &variable);
  fb::Offset<format::Instruction>
  instruction(const InstructionSpec &instruction);
  fb::Offset<format::Instance> instance(const InstanceSpec &instance);
  fb::Offset<format::Graph> graph(const GraphSpec &graph);
  std::vector<fb::Offset<format::Port>>
  ports(const std::vector<PortSpec> &ports);
  std::vector<fb::Offset<format::Executable>> executables();

  const ModelBuilder &model;
  uint64_t blobStart;
  std::vector<std::string> devices;
  fb::FlatBufferBuilder builder;
  Bytes blobBytes;
};

format::Blob Writer::addBlob(const Bytes &bytes) {
  format::Blob blob(blobStart + blobBytes.size(), bytes.size());
  blobBytes.insert(blobBytes.end(), bytes.begin(), bytes.end());
  blobBytes.resize(format::alignUp(blobBytes.size()));
  return blob;
}

fb::Offset<format::TensorType> Writer::type(const TensorType &type) {
  return format::CreateTensorTypeDirect(
      builder, static_cast<format::DType>(type.dtype), &type.shape);
}

uint32_t Writer::device(const std::string &name) {
  if (name.empty())
    return UINT32_MAX;
  auto found = std::ranges::find(devices, name);
  if (found == devices.end())
    found = devices.insert(found, name);
  return found - devices.begin();
}

fb::Offset<format::Variable> Writer::variable(const VariableSpec &variable) {
  return format::CreateVariableDirect(
      builder, variable.name.c_str(), type(variable.type), variable.trainable,
      nullptr, device(variable.device), variable.mirrorOf.value_or(UINT32_MAX),
      variable.partOf.empty() ? nullptr : variable.partOf.c_str(),
      variable.partRow);
}

fb::Offset<format::Dataset> Writer::dataset(const ModelDataset &dataset) {
  std::vector<fb::Offset<format::DatasetField>> fields;
  for (const FieldSpec &field : dataset.fields)
    fields.push_back(format::CreateDatasetFieldDirect(
        builder, field.name.c_str(), type(field.type)));
  std::vector<fb::Offset<format::Transform>> transforms;
  for (const ModelDataset::Transform &each : dataset.transforms)
    transforms.push_back(format::CreateTransformDirect(
        builder, "random_crop", each.field, &each.numbers));
  return format::CreateDatasetDirect(
      builder, dataset.name.c_str(), &fields, dataset.batch,
      dataset.shuffleBuffer, dataset.seed, dataset.repeat, dataset.prefetch,
      /*location=*/nullptr, dataset.perWorker, dataset.minAfterDequeue,
      /*shuffle_files=*/false, dataset.cycleLength, dataset.blockLength,
      dataset.cache, dataset.mask, &transforms);
}

/// The first and the last instruction that use the slot.
std::pair<uint32_t, uint32_t> lifetime(const GraphSpec &graph, uint32_t index,
                                       uint32_t slot) {
  const ProgramSpec &program = graph.program(index);
  auto isPort = [&](const PortSpec &port) {
    return port.program == index && port.slot == slot;
  };
  auto has = [&](const std::vector<uint32_t> &list) {
    return std::find(list.begin(), list.end(), slot) != list.end();
  };
  uint32_t end = std::max<size_t>(program.instructions.size(), 1) - 1;
  uint32_t first = end, last = 0;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const InstructionSpec &instruction = program.instructions[i];
    if (!has(usesOf(instruction).all))
      continue;
    // What is received may arrive at any time before.
    first = std::holds_alternative<RecvSpec>(instruction.action)
                ? 0
                : std::min(first, i);
    last = i;
  }
  if (std::any_of(graph.feeds.begin(), graph.feeds.end(), isPort))
    first = 0;
  if (std::any_of(graph.fetches.begin(), graph.fetches.end(), isPort))
    last = end;
  return {first, std::max(first, last)};
}

fb::Offset<format::Slot> Writer::slot(const GraphSpec &graph, uint32_t program,
                                      uint32_t index) {
  const SlotSpec &slot = graph.program(program).slots[index];
  auto [first, last] = lifetime(graph, program, index);
  format::Blob blob;
  const format::Blob *data = nullptr;
  if (slot.kind == format::SlotKind::Constant) {
    blob = addBlob(slot.data);
    if (slot.blob)
      blob = *slot.blob;
    data = &blob;
  }
  return format::CreateSlotDirect(builder, slot.kind, slot.name.c_str(),
                                  type(slot.type), slot.size, slot.offset,
                                  slot.index, data, slot.first.value_or(first),
                                  slot.last.value_or(last));
}

fb::Offset<format::Instruction>
Writer::instruction(const InstructionSpec &instruction) {
  format::Action kind = format::Action::NONE;
  fb::Offset<void> action;
  if (auto *dispatch = std::get_if<DispatchSpec>(&instruction.action)) {
    kind = format::Action::Dispatch;
    action = format::CreateDispatchDirect(builder, dispatch->kernel,
                                          &dispatch->slots, &dispatch->outputs)
                 .Union();
  } else if (auto *copy = std::get_if<CopySpec>(&instruction.action)) {
    kind = format::Action::Copy;
    action = format::CreateCopy(builder, copy->source, copy->target).Union();
  } else if (auto *fill = std::get_if<FillSpec>(&instruction.action)) {
    kind = format::Action::Fill;
    action =
        format::CreateFillDirect(builder, fill->target, &fill->pattern).Union();
  } else if (auto *call = std::get_if<HostCallSpec>(&instruction.action)) {
    kind = format::Action::HostCall;
    action = format::CreateHostCallDirect(
                 builder, call->function, call->index, &call->slots,
                 call->shard, call->shards, call->value,
                 call->text.empty() ? nullptr : call->text.c_str(),
                 call->reads.empty() ? nullptr : &call->reads)
                 .Union();
  } else if (auto *send = std::get_if<SendSpec>(&instruction.action)) {
    kind = format::Action::Send;
    action =
        format::CreateSendDirect(builder, &send->edges, &send->slots).Union();
  } else if (auto *reduce = std::get_if<AllReduceSpec>(&instruction.action)) {
    kind = format::Action::AllReduce;
    action = format::CreateAllReduce(builder, reduce->collective,
                                     reduce->source, reduce->target)
                 .Union();
  } else {
    const auto &recv = std::get<RecvSpec>(instruction.action);
    kind = format::Action::Recv;
    action =
        format::CreateRecvDirect(builder, &recv.edges, &recv.slots).Union();
  }
  format::Location location(instruction.line, 1);
  fb::Offset<format::FusedOps> ops;
  if (!instruction.ops.empty())
    ops = format::CreateFusedOps(builder,
                                 builder.CreateVectorOfStrings(instruction.ops),
                                 builder.CreateVector(instruction.opLines),
                                 builder.CreateVector(instruction.opWork));
  return format::CreateInstructionDirect(
      builder, kind, action, &instruction.waits, instruction.name.c_str(),
      instruction.line ? &location : nullptr, instruction.collective, ops);
}

std::vector<fb::Offset<format::Port>>
Writer::ports(const std::vector<PortSpec> &ports) {
  std::vector<fb::Offset<format::Port>> offsets;
  for (const PortSpec &port : ports)
    offsets.push_back(format::CreatePortDirect(
        builder, port.name.c_str(), type(port.type), port.program, port.slot));
  return offsets;
}

fb::Offset<format::Program> Writer::program(const GraphSpec &graph,
                                            uint32_t index) {
  ProgramSpec program = graph.program(index);
  if (graph.programCount() > 1 && !graph.keepsWaits)
    program.addWaits();
  std::vector<fb::Offset<format::Slot>> slots;
  for (uint32_t i = 0; i < program.slots.size(); ++i)
    slots.push_back(slot(graph, index, i));
  std::vector<fb::Offset<format::Instruction>> instructions;
  for (const InstructionSpec &each : program.instructions)
    instructions.push_back(instruction(each));
  return format::CreateProgramDirect(
      builder, device(program.device), program.arenaBytes, program.liveBytes,
      &slots, &instructions, program.updatesFrom, program.gpuScratchBytes);
}

fb::Offset<format::Instance> Writer::instance(const InstanceSpec &instance) {
  auto orNull = [](const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
  };
  return format::CreateInstanceDirect(
      builder, instance.of.c_str(), instance.worker, instance.workers,
      instance.coordination, orNull(instance.coordinator), instance.staleness,
      instance.quorum, orNull(instance.apply));
}

fb::Offset<format::Graph> Writer::graph(const GraphSpec &graph) {
  std::vector<fb::Offset<format::Program>> programs;
  for (uint32_t i = 0; i < graph.programCount(); ++i)
    programs.push_back(program(graph, i));
  std::vector<fb::Offset<format::Edge>> edges;
  for (const EdgeSpec &edge : graph.edges) {
    format::Location location(edge.line, 1);
    edges.push_back(format::CreateEdgeDirect(
        builder, edge.source, edge.target, edge.size, edge.name.c_str(),
        edge.collective, edge.line ? &location : nullptr));
  }
  std::vector<uint32_t> order;
  if (graph.order)
    order = *graph.order;
  else if (graph.programCount() > 1)
    order = findOrder(graph);
  auto feeds = ports(graph.feeds);
  auto fetches = ports(graph.fetches);
  std::vector<fb::Offset<format::Summary>> summaries;
  for (const SummarySpec &each : graph.summaries)
    summaries.push_back(format::CreateSummaryDirect(
        builder, each.kind, each.tag.c_str(), each.fetch, each.maxOutputs,
        each.thresholds, each.sampleRate));
  return format::CreateGraphDirect(
      builder, graph.name.c_str(), &feeds, &fetches, &programs, nullptr,
      edges.empty() ? nullptr : &edges, order.empty() ? nullptr : &order,
      graph.replicas, graph.instance ? instance(*graph.instance) : 0,
      graph.member, graph.onHost, summaries.empty() ? nullptr : &summaries);
}

fb::DetachedBuffer
writeCpuCode(const std::map<std::string, ImageSpec> &images) {
  std::vector<std::string> devices;
  fb::FlatBufferBuilder builder;
  std::vector<fb::Offset<format::Image>> tables;
  for (const auto &[isa, image] : images) {
    auto code = builder.CreateVector(
        reinterpret_cast<const uint8_t *>(image.code.data()),
        image.code.size());
    auto entries = builder.CreateVector(image.entries);
    tables.push_back(
        format::CreateImage(builder, builder.CreateString(isa), code, entries));
  }
  format::FinishCpuExecutableBuffer(
      builder, format::CreateCpuExecutableDirect(builder, &tables));
  return builder.Release();
}

std::vector<fb::Offset<format::Executable>> Writer::executables() {
  std::vector<fb::Offset<format::Executable>> offsets;
  auto add = [&](const char *target, const fb::DetachedBuffer &code) {
    auto *start = reinterpret_cast<const std::byte *>(code.data());
    format::Blob blob = addBlob(Bytes(start, start + code.size()));
    offsets.push_back(format::CreateExecutableDirect(builder, target, &blob));
  };
  if (!model.images.empty())
    add("cpu", writeCpuCode(model.images));
  if (!model.gpuImages.empty() || !model.gpuKernels.empty())
    add("cuda", writeGpuCode(model.gpuImages, model.gpuKernels));
  return offsets;
}

void Writer::write() {
  format::Blob source = addBlob(
      bytesOf(std::vector<char>(model.source.begin(), model.source.end())));
  format::Blob report = addBlob(
      bytesOf(std::vector<char>(model.report.begin(), model.report.end())));
  std::vector<fb::Offset<fb::String>> flags;
  for (const std::string &flag : model.flags)
    flags.push_back(builder.CreateString(flag));
  std::vector<fb::Offset<format::Variable>> variables;
  for (const VariableSpec &each : model.variables)
    variables.push_back(variable(each));
  std::vector<fb::Offset<format::Dataset>> datasets;
  for (const ModelDataset &each : model.datasets)
    datasets.push_back(dataset(each));
  std::vector<fb::Offset<format::Kernel>> kernels;
  for (const KernelSpec &kernel : model.kernels)
    kernels.push_back(format::CreateKernelDirect(
        builder, kernel.name.c_str(), kernel.units, kernel.scratchBytes,
        kernel.flops, kernel.bytes));
  auto code = executables();
  std::vector<fb::Offset<format::Graph>> graphs;
  for (const GraphSpec &each : model.graphs)
    graphs.push_back(graph(each));
  std::vector<fb::Offset<format::Device>> deviceTables;
  for (const std::string &name : devices)
    deviceTables.push_back(format::CreateDeviceDirect(builder, name.c_str()));
  format::FinishModelBuffer(
      builder, format::CreateModelDirect(
                   builder, model.producer.c_str(), model.name.c_str(), &source,
                   &flags, &variables, &datasets, &kernels, &code, &graphs,
                   model.report.empty() ? nullptr : &report,
                   /*part_of=*/nullptr, /*part_task=*/nullptr, &deviceTables));
}

} // namespace

Bytes ModelBuilder::finish() const {
  // Offsets of blobs have a fixed width, so a first pass finds the index's
  // size.
  Writer sizes(*this, 0);
  sizes.write();
  uint64_t indexSize = format::alignUp(sizes.index().GetSize());
  uint64_t blobStart = sizeof(format::FileHeader) + indexSize;
  Writer writer(*this, blobStart);
  writer.write();

  Bytes file(blobStart + writer.blobs().size());
  std::memcpy(file.data() + sizeof(format::FileHeader),
              writer.index().GetBufferPointer(), writer.index().GetSize());
  std::copy(writer.blobs().begin(), writer.blobs().end(),
            file.begin() + blobStart);
  format::sealFile(file, indexSize);
  return file;
}

void restampDigest(Bytes &file) {
  if (file.size() < sizeof(format::FileHeader))
    return;
  auto digest = format::digestOf(
      std::span<const std::byte>(file).subspan(sizeof(format::FileHeader)));
  format::FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  std::copy(digest.begin(), digest.end(), header.digest);
  header.headerDigest = format::headerDigestOf(header);
  std::memcpy(file.data(), &header, sizeof(header));
}

} // namespace graphc::test
