// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function per part of the model; each walks the index in its order.
#include "tools/graphc-dump/Json.h"

#include "runtime/format/FileHeader.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/format/Quote.h"
#include "runtime/format/print/Print.h"

namespace graphc::dump {

namespace {

using nlohmann::ordered_json;
using runtime::viewOf;

ordered_json typeJson(const format::TensorType &type) {
  runtime::TensorType value = runtime::toTensorType(type);
  return {{"dtype", runtime::dtypeName(value.dtype)}, {"shape", value.shape}};
}

/// Adds the fields that all named and located things share.
template <typename T> ordered_json namedJson(const T &thing) {
  ordered_json json;
  json["name"] = viewOf(thing.name());
  if (thing.location())
    json["line"] = thing.location()->line();
  return json;
}

ordered_json listJson(const flatbuffers::Vector<uint32_t> *list) {
  ordered_json json = ordered_json::array();
  if (list)
    for (uint32_t index : *list)
      json.push_back(index);
  return json;
}

ordered_json portListJson(
    const flatbuffers::Vector<flatbuffers::Offset<format::Port>> &ports) {
  ordered_json json = ordered_json::array();
  for (const format::Port *port : ports) {
    ordered_json item = namedJson(*port);
    item["type"] = typeJson(*port->type());
    item["program"] = port->program();
    item["slot"] = port->slot();
    json.push_back(std::move(item));
  }
  return json;
}

ordered_json datasetJson(const format::Dataset &dataset) {
  ordered_json json = namedJson(dataset);
  json["batch"] = dataset.batch();
  if (dataset.per_worker())
    json["per_worker"] = true;
  json["shuffle_buffer"] = dataset.shuffle_buffer();
  json["seed"] = dataset.seed();
  json["repeat"] = dataset.repeat();
  json["prefetch"] = dataset.prefetch();
  if (dataset.min_after_dequeue() >= 0)
    json["min_after_dequeue"] = dataset.min_after_dequeue();
  if (dataset.shuffle_files())
    json["shuffle_files"] = true;
  if (dataset.cycle_length() != 1) {
    json["cycle_length"] = dataset.cycle_length();
    json["block_length"] = dataset.block_length();
  }
  if (dataset.cache() > 0)
    json["cache"] = dataset.cache();
  if (dataset.mask() >= 0)
    json["mask"] = dataset.mask();
  if (dataset.transforms())
    for (const format::Transform *transform : *dataset.transforms())
      json["transforms"].push_back(
          {{"name", viewOf(transform->name())}, {"field", transform->field()}});
  json["fields"] = ordered_json::array();
  for (const format::DatasetField *field : *dataset.fields())
    json["fields"].push_back(
        {{"name", viewOf(field->name())}, {"type", typeJson(*field->type())}});
  return json;
}

void addCall(const format::HostCall &call, ordered_json &json) {
  switch (call.function()) {
  case format::HostFunction::NextBatch:
    json["action"] = "next_batch";
    json["dataset"] = call.index();
    json["slots"] = listJson(call.slots());
    if (call.shards() > 1) {
      json["shard"] = call.shard();
      json["shards"] = call.shards();
    }
    return;
  case format::HostFunction::Sleep:
    json["action"] = "sleep";
    json["milliseconds"] = call.value();
    return;
  case format::HostFunction::Fail:
    json["action"] = "fail";
    json["text"] = viewOf(call.text());
    return;
  case format::HostFunction::Check:
    json["action"] = "check";
    json["reads"] = listJson(call.reads());
    json["text"] = viewOf(call.text());
    return;
  case format::HostFunction::Print:
    json["action"] = "print";
    json["reads"] = listJson(call.reads());
    json["text"] = viewOf(call.text());
    json["elements"] = call.value();
    return;
  }
}

void addAction(const format::Instruction &instruction, ordered_json &json) {
  if (const auto *dispatch = instruction.action_as_Dispatch()) {
    json["action"] = "dispatch";
    json["kernel"] = dispatch->kernel();
    json["slots"] = listJson(dispatch->slots());
    json["outputs"] = listJson(dispatch->outputs());
  } else if (const auto *copy = instruction.action_as_Copy()) {
    json["action"] = "copy";
    json["source"] = copy->source();
    json["target"] = copy->target();
  } else if (const auto *fill = instruction.action_as_Fill()) {
    json["action"] = "fill";
    json["target"] = fill->target();
    json["pattern"] = ordered_json(
        std::vector<int>(fill->pattern()->begin(), fill->pattern()->end()));
  } else if (const auto *call = instruction.action_as_HostCall()) {
    addCall(*call, json);
  } else if (const auto *send = instruction.action_as_Send()) {
    json["action"] = "send";
    json["edges"] = listJson(send->edges());
    json["slots"] = listJson(send->slots());
  } else if (const auto *recv = instruction.action_as_Recv()) {
    json["action"] = "recv";
    json["edges"] = listJson(recv->edges());
    json["slots"] = listJson(recv->slots());
  } else if (const auto *reduce = instruction.action_as_AllReduce()) {
    json["action"] = "all_reduce";
    json["number"] = reduce->collective();
    json["source"] = reduce->source();
    json["target"] = reduce->target();
  }
  if (instruction.collective())
    json["collective"] = instruction.collective();
  if (const format::FusedOps *ops = instruction.ops()) {
    ordered_json items = ordered_json::array();
    for (uint32_t i = 0; i < ops->names()->size(); ++i)
      items.push_back({{"name", viewOf(ops->names()->Get(i))},
                       {"line", ops->lines()->Get(i)},
                       {"work", ops->work()->Get(i)}});
    json["ops"] = std::move(items);
  }
}

ordered_json slotJson(const format::Slot &slot) {
  static constexpr const char *kinds[] = {"arena", "variable", "constant",
                                          "step_state"};
  ordered_json json = namedJson(slot);
  json["kind"] = kinds[static_cast<size_t>(slot.kind())];
  json["type"] = typeJson(*slot.type());
  json["size"] = slot.size();
  if (slot.kind() == format::SlotKind::Arena) {
    json["offset"] = slot.offset();
    json["first"] = slot.first();
    json["last"] = slot.last();
  }
  if (slot.kind() == format::SlotKind::Variable)
    json["variable"] = slot.index();
  if (slot.kind() == format::SlotKind::StepState && slot.index())
    json["replica"] = slot.index();
  if (slot.kind() == format::SlotKind::Constant)
    json["file_offset"] = slot.data()->offset();
  return json;
}

ordered_json instanceJson(const format::Instance &instance) {
  static constexpr const char *kinds[] = {"none", "async", "quorum"};
  ordered_json json = {
      {"of", viewOf(instance.of())},
      {"worker", instance.worker()},
      {"workers", instance.workers()},
      {"coordination", kinds[static_cast<size_t>(instance.coordination())]}};
  if (instance.coordinator())
    json["coordinator"] = viewOf(instance.coordinator());
  if (instance.staleness() != UINT32_MAX)
    json["staleness"] = instance.staleness();
  if (instance.coordination() == format::Coordination::Quorum) {
    json["quorum"] = instance.quorum();
    json["apply"] = viewOf(instance.apply());
  }
  return json;
}

} // namespace

ordered_json metadataJson(const runtime::Model &model) {
  const format::Model &index = model.index();
  ordered_json json;
  json["name"] = viewOf(index.name());
  json["producer"] = viewOf(index.producer());
  json["format"] = {{"major", format::kFormatMajor},
                    {"minor", format::kFormatMinor}};
  json["size"] = model.size();
  json["digest"] = runtime::digestText(model.digest());
  if (index.part_of()) {
    json["part_of"] = viewOf(index.part_of());
    json["part_task"] = viewOf(index.part_task());
  }
  if (std::set<uint32_t> members = runtime::planVariantsOf(model);
      !members.empty())
    json["members"] = members;
  json["flags"] = ordered_json::array();
  if (index.flags())
    for (const flatbuffers::String *flag : *index.flags())
      json["flags"].push_back(viewOf(flag));
  json["variables"] = ordered_json::array();
  for (const format::Variable *variable : *index.variables()) {
    ordered_json item = namedJson(*variable);
    item["type"] = typeJson(*variable->type());
    item["trainable"] = variable->trainable();
    if (!runtime::deviceOf(index, *variable).empty())
      item["device"] = runtime::deviceOf(index, *variable);
    if (variable->mirror_of() < index.variables()->size())
      item["mirror_of"] =
          viewOf(index.variables()->Get(variable->mirror_of())->name());
    if (variable->transient())
      item["transient"] = true;
    if (variable->part_of()) {
      item["part_of"] = viewOf(variable->part_of());
      item["part_row"] = variable->part_row();
    }
    json["variables"].push_back(std::move(item));
  }
  json["datasets"] = ordered_json::array();
  for (const format::Dataset *dataset : *index.datasets())
    json["datasets"].push_back(datasetJson(*dataset));
  return json;
}

ordered_json portsJson(const format::Graph &graph) {
  ordered_json json = {{"feeds", portListJson(*graph.feeds())},
                       {"fetches", portListJson(*graph.fetches())}};
  if (graph.replicas() > 1)
    json["replicas"] = graph.replicas();
  if (graph.instance())
    json["instance"] = instanceJson(*graph.instance());
  if (graph.member())
    json["member"] = graph.member();
  if (!graph.edges() || graph.edges()->size() == 0)
    return json;
  for (const format::Edge *edge : *graph.edges()) {
    ordered_json item = namedJson(*edge);
    item["source"] = edge->source();
    item["target"] = edge->target();
    item["size"] = edge->size();
    if (edge->collective())
      item["collective"] = edge->collective();
    json["edges"].push_back(std::move(item));
  }
  return json;
}

ordered_json scheduleJson(const format::Model &model,
                          const format::Graph &graph) {
  ordered_json json = ordered_json::array();
  for (const format::Program *program : *graph.programs()) {
    ordered_json instructions = ordered_json::array();
    for (const format::Instruction *instruction : *program->instructions()) {
      ordered_json item = namedJson(*instruction);
      addAction(*instruction, item);
      item["waits"] = listJson(instruction->waits());
      instructions.push_back(std::move(item));
    }
    json.push_back({{"device", runtime::deviceOf(model, *program)},
                    {"instructions", std::move(instructions)}});
    if (program->updates_from() != UINT32_MAX)
      json.back()["updates_from"] = program->updates_from();
  }
  return json;
}

ordered_json memoryJson(const format::Model &model,
                        const format::Graph &graph) {
  ordered_json json = ordered_json::array();
  for (const format::Program *program : *graph.programs()) {
    ordered_json slots = ordered_json::array();
    for (const format::Slot *slot : *program->slots())
      slots.push_back(slotJson(*slot));
    json.push_back({{"device", runtime::deviceOf(model, *program)},
                    {"arena_bytes", program->arena_bytes()},
                    {"live_bytes", program->live_bytes()},
                    {"gpu_scratch_bytes", program->device_scratch_bytes()},
                    {"ratio", runtime::arenaRatio(*program)},
                    {"slots", std::move(slots)}});
  }
  return json;
}

ordered_json kernelsJson(const runtime::Model &model) {
  ordered_json json = ordered_json::array();
  const auto &kernels = *model.index().kernels();
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    const format::Kernel &kernel = *kernels.Get(i);
    ordered_json code = ordered_json::object();
    for (const auto &[image, bytes] : runtime::codeSizes(model, i))
      code[image] = bytes;
    json.push_back({{"name", viewOf(kernel.name())},
                    {"units", kernel.units()},
                    {"scratch_bytes", kernel.scratch_bytes()},
                    {"flops", kernel.flops()},
                    {"bytes", kernel.bytes()},
                    {"code_bytes", std::move(code)}});
  }
  return json;
}

} // namespace graphc::dump
