// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of graphc-dump and of the memory report.
#include "runtime/format/print/Print.h"

#include "runtime/format/FileHeader.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/format/Quote.h"
#include "runtime/format/print/PlanText.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace graphc::runtime {

namespace {

using Indices = flatbuffers::Vector<uint32_t>;
using Ports = flatbuffers::Vector<flatbuffers::Offset<format::Port>>;

std::string typeText(const format::TensorType &type) {
  return toTensorType(type).toString();
}

/// " 'name'", or nothing.
std::string nameText(const flatbuffers::String *name) {
  return viewOf(name).empty() ? "" : " " + quote(viewOf(name));
}

/// "%0, %3" for slots, "#1, #2" for instructions.
std::string listText(const Indices &list, char mark) {
  std::string text;
  for (uint32_t index : list) {
    if (!text.empty())
      text += ", ";
    text += mark + std::to_string(index);
  }
  return text;
}

/// A whole number where it is one: estimates are mostly counts.
std::string numberText(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.15g", number);
  return text;
}

std::string patternText(const flatbuffers::Vector<uint8_t> &pattern) {
  std::string text = "0x";
  char digits[3];
  for (uint8_t byte : pattern) {
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    text += digits;
  }
  return text;
}

/// "send edge 2 %5, edge 3 %6".
std::string frameText(std::string text, const Indices &edges,
                      const Indices &slots) {
  for (uint32_t i = 0; i < edges.size(); ++i)
    text += (i ? ", edge " : "edge ") + std::to_string(edges.Get(i)) + " %" +
            std::to_string(slots.Get(i));
  return text;
}

std::string actionText(const format::Model &model, const format::Graph &graph,
                       const format::Instruction &instruction) {
  if (const auto *dispatch = instruction.action_as_Dispatch())
    return "dispatch " +
           escape(viewOf(model.kernels()->Get(dispatch->kernel())->name())) +
           "(" + listText(*dispatch->slots(), '%') + ") writes " +
           listText(*dispatch->outputs(), '%');
  if (const auto *copy = instruction.action_as_Copy())
    return "copy %" + std::to_string(copy->source()) + " to %" +
           std::to_string(copy->target());
  if (const auto *fill = instruction.action_as_Fill())
    return "fill %" + std::to_string(fill->target()) + " with " +
           patternText(*fill->pattern());
  if (const auto *send = instruction.action_as_Send())
    return frameText("send ", *send->edges(), *send->slots()) + " to program " +
           std::to_string(graph.edges()->Get(send->edges()->Get(0))->target());
  if (const auto *recv = instruction.action_as_Recv())
    return frameText("recv ", *recv->edges(), *recv->slots()) +
           " from program " +
           std::to_string(graph.edges()->Get(recv->edges()->Get(0))->source());
  if (const auto *reduce = instruction.action_as_AllReduce())
    return "all_reduce " + std::to_string(reduce->collective()) + " of %" +
           std::to_string(reduce->source()) + " to %" +
           std::to_string(reduce->target());
  const auto *call = instruction.action_as_HostCall();
  if (call->function() == format::HostFunction::Sleep)
    return "sleep " + std::to_string(call->value()) + " ms";
  if (call->function() == format::HostFunction::Fail)
    return "fail " + quote(viewOf(call->text()));
  if (call->function() == format::HostFunction::Check)
    return "check %" + std::to_string(call->reads()->Get(0)) + " else " +
           quote(viewOf(call->text()));
  if (call->function() == format::HostFunction::Print)
    return "print " + quote(viewOf(call->text())) + " %" +
           std::to_string(call->reads()->Get(0)) + " first " +
           std::to_string(call->value());
  std::string shard = call->shards() == 1
                          ? ""
                          : " shard " + std::to_string(call->shard()) + " of " +
                                std::to_string(call->shards());
  return "next_batch " +
         escape(viewOf(model.datasets()->Get(call->index())->name())) + shard +
         " writes " + listText(*call->slots(), '%');
}

void printPorts(const char *kind, const Ports &ports, std::ostream &out) {
  for (const format::Port *port : ports)
    out << "  " << kind << " " << quote(viewOf(port->name())) << " "
        << typeText(*port->type()) << lineText(port->location()) << "\n";
}

/// "  summary scalar 'loss' of fetch 1"
void printSummaries(const format::Graph &graph, std::ostream &out) {
  constexpr const char *kKinds[] = {"scalar", "histogram", "image",
                                    "text",   "audio",     "pr_curve"};
  for (const format::Summary *summary : *graph.summaries())
    out << "  summary " << kKinds[static_cast<size_t>(summary->kind())] << " "
        << quote(viewOf(summary->tag())) << " of fetch " << summary->fetch()
        << "\n";
}

/// True when the graphs run on more than one device.
bool hasDevices(const format::Model &model) {
  std::set<uint32_t> devices;
  for (const format::Graph *graph : *model.graphs())
    for (const format::Program *program : *graph->programs())
      devices.insert(program->device());
  return devices.size() > 1;
}

/// Device of a variable, of several devices, and the variable that it copies.
std::string homeText(const format::Model &model,
                     const format::Variable &variable, bool areSeveral) {
  std::string text;
  std::string_view device = deviceOf(model, variable);
  if (!device.empty() && areSeveral)
    text += " on " + quote(device);
  if (variable.mirror_of() != UINT32_MAX)
    text += " mirror of " +
            quote(viewOf(model.variables()->Get(variable.mirror_of())->name()));
  if (variable.transient())
    text += " transient";
  if (variable.part_of())
    text += " rows of " + quote(viewOf(variable.part_of())) + " from " +
            std::to_string(variable.part_row()) + " on";
  return text;
}

/// Prints what a worker's replica graph shares with those of others.
std::string instanceText(const format::Instance &instance) {
  std::string text = " of worker " + std::to_string(instance.worker()) +
                     " of " + std::to_string(instance.workers());
  if (instance.coordination() == format::Coordination::Async)
    text += ", async";
  if (instance.coordination() == format::Coordination::Quorum)
    text += ", " + std::to_string(instance.quorum()) + " gradients make " +
            quote(viewOf(instance.apply()));
  if (instance.staleness() != UINT32_MAX)
    text += ", staleness <= " + std::to_string(instance.staleness());
  if (instance.coordinator())
    text += ", ordered by " + quote(viewOf(instance.coordinator()));
  return text;
}

void printEdges(const format::Graph &graph, std::ostream &out) {
  for (uint32_t i = 0; graph.edges() && i < graph.edges()->size(); ++i) {
    const format::Edge &edge = *graph.edges()->Get(i);
    out << "  edge " << i << nameText(edge.name()) << " from program "
        << edge.source() << " to program " << edge.target() << ": "
        << edge.size() << " bytes";
    if (edge.collective())
      out << ", collective " << edge.collective();
    out << lineText(edge.location()) << "\n";
  }
}

/// Returns the settings beyond the plain reading of files.
std::string readingText(const format::Dataset &dataset) {
  std::string text;
  if (dataset.min_after_dequeue() >= 0)
    text += " min_after_dequeue " + std::to_string(dataset.min_after_dequeue());
  if (dataset.shuffle_files())
    text += " shuffle_files";
  if (dataset.cycle_length() != 1)
    text += " cycle_length " + std::to_string(dataset.cycle_length()) +
            " block_length " + std::to_string(dataset.block_length());
  if (dataset.cache() > 0)
    text += " cache " + std::to_string(dataset.cache());
  auto fieldName = [&](uint32_t index) {
    return quote(viewOf(dataset.fields()->Get(index)->name()));
  };
  if (dataset.mask() >= 0)
    text += " mask " + fieldName(static_cast<uint32_t>(dataset.mask()));
  if (dataset.transforms())
    for (const format::Transform *transform : *dataset.transforms())
      text += " " + escape(viewOf(transform->name())) + " of " +
              fieldName(transform->field());
  return text;
}

void printDataset(const format::Dataset &dataset, std::ostream &out) {
  out << "dataset " << quote(viewOf(dataset.name())) << " batch "
      << dataset.batch() << (dataset.per_worker() ? " per worker" : "")
      << " shuffle " << dataset.shuffle_buffer() << " seed " << dataset.seed()
      << " repeat " << dataset.repeat() << " prefetch " << dataset.prefetch()
      << readingText(dataset) << lineText(dataset.location()) << "\n";
  for (const format::DatasetField *field : *dataset.fields())
    out << "  field " << quote(viewOf(field->name())) << " "
        << typeText(*field->type()) << "\n";
}

std::string placeText(const format::Slot &slot, bool layout) {
  std::string text;
  if (layout) {
    text = ", " + std::to_string(slot.size()) + " bytes";
    if (slot.kind() == format::SlotKind::Arena)
      text += " at " + std::to_string(slot.offset());
    if (slot.kind() == format::SlotKind::Constant)
      text += " at " + std::to_string(slot.data()->offset()) + " of the file";
  }
  if (slot.kind() == format::SlotKind::Arena)
    text += ", live #" + std::to_string(slot.first()) + " to #" +
            std::to_string(slot.last());
  return text;
}

std::string kindText(const format::Slot &slot) {
  switch (slot.kind()) {
  case format::SlotKind::Arena:
    return "arena";
  case format::SlotKind::Variable:
    return "variable " + std::to_string(slot.index());
  case format::SlotKind::Constant:
    return "constant";
  case format::SlotKind::StepState:
    return slot.index() == 0
               ? "step_state"
               : "step_state of replica " + std::to_string(slot.index());
  }
  return "unknown";
}

void printProgramTitle(const format::Model &model,
                       const format::Program &program, uint32_t index,
                       std::ostream &out) {
  out << "  program " << index << " on " << quote(deviceOf(model, program));
}

} // namespace

double arenaRatio(const format::Program &program) {
  if (program.live_bytes() == 0)
    return 1;
  return static_cast<double>(program.arena_bytes()) /
         static_cast<double>(program.live_bytes());
}

std::string digestText(const std::array<uint64_t, 2> &digest) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx",
                static_cast<unsigned long long>(digest[1]),
                static_cast<unsigned long long>(digest[0]));
  return text;
}

void printMetadata(const Model &model, std::ostream &out, bool layout,
                   std::string_view graphName) {
  const format::Model &index = model.index();
  out << "model" << nameText(index.name()) << "\n";
  out << "producer " << quote(viewOf(index.producer())) << "\n";
  out << "format " << format::kFormatMajor << "." << format::kFormatMinor
      << "\n";
  if (layout)
    out << "size " << model.size() << "\ndigest " << digestText(model.digest())
        << "\n";
  if (index.part_task())
    out << "part for " << quote(viewOf(index.part_task()))
        << (layout ? " of plan " + escape(viewOf(index.part_of())) : "")
        << "\n";
  if (std::set<uint32_t> members = planVariantsOf(model); !members.empty()) {
    out << "plans for";
    for (uint32_t member : members)
      out << (member == *members.begin() ? " " : ", ") << member;
    out << " workers\n";
  }
  std::string variants;
  for (const format::Graph *graph : *index.graphs())
    if (isHostVariant(*graph))
      variants += " " + quote(viewOf(graph->name()));
  if (!variants.empty())
    out << "variants for the host" << variants << "\n";
  if (index.flags())
    for (const flatbuffers::String *flag : *index.flags())
      out << "flag " << quote(viewOf(flag)) << "\n";
  bool areSeveral = hasDevices(index);
  for (const format::Variable *variable : *index.variables())
    out << "variable " << quote(viewOf(variable->name())) << " "
        << typeText(*variable->type())
        << (variable->trainable() ? " trainable" : "")
        << homeText(index, *variable, areSeveral)
        << lineText(variable->location()) << "\n";
  for (const format::Dataset *dataset : *index.datasets())
    printDataset(*dataset, out);
  for (const format::Graph *graph : *index.graphs()) {
    if (graphName.empty() ? isHostVariant(*graph)
                          : viewOf(graph->name()) != graphName)
      continue;
    out << "graph " << quote(viewOf(graph->name()));
    if (graph->replicas() != 1)
      out << " of " << graph->replicas() << " replicas";
    if (graph->instance())
      out << instanceText(*graph->instance());
    if (graph->member())
      out << " for " << graph->member() << " workers";
    if (isHostVariant(*graph))
      out << " on the host";
    out << lineText(graph->location()) << "\n";
    printPorts("feed", *graph->feeds(), out);
    printPorts("fetch", *graph->fetches(), out);
    if (isSummaryVariant(*graph))
      printSummaries(*graph, out);
  }
}

void printSchedule(const format::Model &model, const format::Graph &graph,
                   std::ostream &out) {
  out << "schedule of graph " << quote(viewOf(graph.name())) << "\n";
  printEdges(graph, out);
  for (uint32_t p = 0; p < graph.programs()->size(); ++p) {
    const format::Program &program = *graph.programs()->Get(p);
    printProgramTitle(model, program, p, out);
    out << ": " << program.instructions()->size() << " instructions";
    if (program.updates_from() != UINT32_MAX)
      out << ", updates from #" << program.updates_from() << " on";
    out << "\n";
    for (uint32_t i = 0; i < program.instructions()->size(); ++i) {
      const format::Instruction &instruction = *program.instructions()->Get(i);
      out << "    #" << i << ": " << actionText(model, graph, instruction);
      if (instruction.collective())
        out << " unless by all_reduce " << instruction.collective();
      if (instruction.waits() && instruction.waits()->size())
        out << " after " << listText(*instruction.waits(), '#');
      if (instruction.name() && instruction.name()->size())
        out << " for" << nameText(instruction.name());
      out << lineText(instruction.location()) << "\n";
    }
  }
}

void printMemory(const format::Model &model, const format::Graph &graph,
                 std::ostream &out, bool layout) {
  out << "memory of graph " << quote(viewOf(graph.name())) << "\n";
  for (uint32_t p = 0; p < graph.programs()->size(); ++p) {
    const format::Program &program = *graph.programs()->Get(p);
    char ratio[32];
    std::snprintf(ratio, sizeof(ratio), "%.3f", arenaRatio(program));
    printProgramTitle(model, program, p, out);
    out << ": arena " << program.arena_bytes() << " bytes, largest live sum "
        << program.live_bytes() << ", ratio " << ratio;
    if (program.device_scratch_bytes())
      out << ", " << nameOfDevice(deviceOf(model, program)).type.value_or("")
          << " scratch " << program.device_scratch_bytes() << " bytes";
    out << "\n";
    for (uint32_t i = 0; i < program.slots()->size(); ++i) {
      const format::Slot &slot = *program.slots()->Get(i);
      out << "    %" << i << ": " << kindText(slot) << nameText(slot.name())
          << " " << typeText(*slot.type()) << placeText(slot, layout)
          << lineText(slot.location()) << "\n";
    }
  }
}

std::vector<std::pair<std::string, uint64_t>> codeSizes(const Model &model,
                                                        uint32_t kernel) {
  std::vector<std::pair<std::string, uint64_t>> sizes;
  for (const ExecutableFormat *format : executableFormats())
    if (ExecutableCode code = model.executable(format->target());
        !code.bytes.empty())
      std::ranges::move(format->codeSizes(code, kernel),
                        std::back_inserter(sizes));
  return sizes;
}

void printKernels(const Model &model, std::ostream &out, bool layout) {
  const auto &kernels = *model.index().kernels();
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    const format::Kernel &kernel = *kernels.Get(i);
    out << "kernel " << escape(viewOf(kernel.name())) << ": " << kernel.units()
        << " units, " << kernel.scratch_bytes() << " bytes of scratch, "
        << numberText(kernel.flops()) << " flops, "
        << numberText(kernel.bytes()) << " bytes";
    if (layout)
      for (const auto &[image, bytes] : codeSizes(model, i))
        out << ", " << bytes << " bytes of " << image;
    out << "\n";
    for (const ExecutableFormat *format : executableFormats())
      if (ExecutableCode code = model.executable(format->target());
          !code.bytes.empty())
        format->printKernel(code, i, out, layout);
  }
  for (const ExecutableFormat *format : executableFormats())
    if (ExecutableCode code = model.executable(format->target());
        !code.bytes.empty())
      format->printImages(code, out, layout);
}

} // namespace graphc::runtime
