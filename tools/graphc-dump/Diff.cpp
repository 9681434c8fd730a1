// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both models become sorted maps from names; what the maps do not share is the
// difference.
#include "tools/graphc-dump/Diff.h"

#include "report/Report.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"

#include <map>
#include <ostream>
#include <tuple>

namespace graphc::dump {

namespace {

using nlohmann::ordered_json;
using report::Report;
using runtime::Model;
using runtime::viewOf;

/// (graph, name) to device.
using Places = std::map<std::pair<std::string, std::string>, std::string>;
/// (graph, what, unit) to number.
using Numbers =
    std::map<std::tuple<std::string, std::string, std::string>, uint64_t>;

std::string deviceOf(const Report &report, int32_t device) {
  return device < 0 ? "" : report.devices[device];
}

Places placesOf(const Report &report) {
  Places places;
  const report::ReportTable &variables = report.variables;
  for (size_t i = 0; i < variables.size(); ++i)
    places[{"", variables.name[i]}] = deviceOf(report, variables.device[i]);
  for (const report::ReportGraph &graph : report.graphs)
    for (size_t op = 0; op < graph.ops.size(); ++op)
      places[{graph.name, graph.ops.name[op]}] =
          deviceOf(report, graph.ops.device[op]);
  return places;
}

Numbers linksOf(const format::Model &model) {
  Numbers numbers;
  for (const format::Graph *graph : *model.graphs()) {
    if (!graph->edges())
      continue;
    std::string name(viewOf(graph->name()));
    auto link = [&](uint32_t source, uint32_t target) {
      const auto &programs = *graph->programs();
      return std::string(runtime::deviceOf(model, *programs[source])) + " -> " +
             std::string(runtime::deviceOf(model, *programs[target]));
    };
    for (const format::Edge *edge : *graph->edges())
      numbers[{name, link(edge->source(), edge->target()), "bytes"}] +=
          edge->size();
    for (uint32_t p = 0; p < graph->programs()->size(); ++p)
      for (const format::Instruction *instruction :
           *graph->programs()->Get(p)->instructions())
        if (const auto *send = instruction->action_as_Send())
          if (send->edges()->size())
            ++numbers[{
                name,
                link(p, graph->edges()->Get(send->edges()->Get(0))->target()),
                "messages"}];
  }
  return numbers;
}

Numbers memoryOf(const format::Model &model) {
  Numbers numbers;
  for (const format::Graph *graph : *model.graphs())
    for (const format::Program *program : *graph->programs())
      numbers[{std::string(viewOf(graph->name())),
               std::string(runtime::deviceOf(model, *program)), "bytes"}] +=
          program->arena_bytes();
  for (const format::Variable *variable : *model.variables())
    numbers[{"", std::string(runtime::deviceOf(model, *variable)), "bytes"}] +=
        runtime::toTensorType(*variable->type()).numBytes();
  return numbers;
}

/// Kernels with their work, and how many there are of each.
std::map<std::string, int> kernelsOf(const format::Model &model) {
  std::map<std::string, int> kernels;
  for (const format::Kernel *kernel : *model.kernels())
    ++kernels[std::string(viewOf(kernel->name())) + ": " +
              std::to_string(kernel->units()) + " units, " +
              ordered_json(kernel->flops()).dump() + " flops, " +
              ordered_json(kernel->bytes()).dump() + " bytes"];
  return kernels;
}

void comparePlaces(const Places &before, const Places &after, ModelDiff &diff) {
  auto nameOf = [](const Places::value_type &place) {
    const auto &[graph, name] = place.first;
    return graph.empty() ? "variable " + name : graph + "/" + name;
  };
  for (const auto &place : before) {
    auto found = after.find(place.first);
    if (found == after.end())
      diff.removed.push_back(nameOf(place));
    else if (found->second != place.second)
      diff.moved.push_back(
          {place.first.first, place.first.second, place.second, found->second});
  }
  for (const auto &place : after)
    if (!before.count(place.first))
      diff.added.push_back(nameOf(place));
}

std::vector<Change> compareNumbers(const Numbers &before,
                                   const Numbers &after) {
  std::map<Numbers::key_type,
           std::pair<std::optional<uint64_t>, std::optional<uint64_t>>>
      both;
  for (const auto &[key, number] : before)
    both[key].first = number;
  for (const auto &[key, number] : after)
    both[key].second = number;
  std::vector<Change> changes;
  for (const auto &[key, numbers] : both)
    if (numbers.first != numbers.second)
      changes.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key),
                         numbers.first, numbers.second});
  return changes;
}

void compareKernels(const std::map<std::string, int> &before,
                    const std::map<std::string, int> &after,
                    std::vector<std::string> &onlyBefore) {
  for (const auto &[kernel, count] : before) {
    auto found = after.find(kernel);
    int others = found == after.end() ? 0 : found->second;
    for (int i = others; i < count; ++i)
      onlyBefore.push_back(kernel);
  }
}

/// A model without a report has no ops to compare.
runtime::StatusOr<Places> readPlaces(const Model &model) {
  auto report = Report::of(model);
  if (report.isOk())
    return placesOf(*report);
  if (report.status().code() == runtime::StatusCode::NotFound)
    return Places();
  return report.status();
}

std::string shown(const std::string &device) {
  return device.empty() ? "no device"
                        : runtime::escape(report::shortDevice(device));
}

/// "A -> B" with short names, or one device.
std::string shownLink(const std::string &what) {
  size_t arrow = what.find(" -> ");
  return arrow == std::string::npos ? shown(what)
                                    : shown(what.substr(0, arrow)) + " -> " +
                                          shown(what.substr(arrow + 4));
}

std::string shown(const std::optional<uint64_t> &number) {
  return number ? std::to_string(*number) : "none";
}

void printChanges(const char *title, const std::vector<Change> &changes,
                  const char *whole, std::ostream &out) {
  if (!changes.empty())
    out << title << "\n";
  for (const Change &change : changes)
    out << "  "
        << (change.graph.empty() ? whole
                                 : "graph " + runtime::quote(change.graph))
        << " " << shownLink(change.what) << ": " << shown(change.before)
        << " -> " << shown(change.after) << " " << change.unit << "\n";
}

void printList(const char *title, const std::vector<std::string> &names,
               std::ostream &out) {
  if (names.empty())
    return;
  out << title << " (" << names.size() << ")\n";
  for (const std::string &name : names)
    out << "  " << runtime::escape(name) << "\n";
}

ordered_json numberJson(const std::optional<uint64_t> &number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json changesJson(const std::vector<Change> &changes) {
  ordered_json json = ordered_json::array();
  for (const Change &change : changes)
    json.push_back({{"graph", change.graph},
                    {"what", change.what},
                    {"unit", change.unit},
                    {"before", numberJson(change.before)},
                    {"after", numberJson(change.after)}});
  return json;
}

} // namespace

bool ModelDiff::isEmpty() const {
  return moved.empty() && removed.empty() && added.empty() && links.empty() &&
         memory.empty() && kernelsRemoved.empty() && kernelsAdded.empty();
}

runtime::StatusOr<ModelDiff> diffModels(const Model &before,
                                        const Model &after) {
  ModelDiff diff;
  GRAPHC_ASSIGN_OR_RETURN(Places oldPlaces, readPlaces(before));
  GRAPHC_ASSIGN_OR_RETURN(Places newPlaces, readPlaces(after));
  comparePlaces(oldPlaces, newPlaces, diff);
  const format::Model &a = before.index(), &b = after.index();
  diff.links = compareNumbers(linksOf(a), linksOf(b));
  diff.memory = compareNumbers(memoryOf(a), memoryOf(b));
  auto oldKernels = kernelsOf(a), newKernels = kernelsOf(b);
  compareKernels(oldKernels, newKernels, diff.kernelsRemoved);
  compareKernels(newKernels, oldKernels, diff.kernelsAdded);
  return diff;
}

void printDiff(const ModelDiff &diff, std::ostream &out) {
  if (diff.isEmpty())
    out << "no difference in ops, links, memory and kernels\n";
  if (!diff.moved.empty())
    out << "moved (" << diff.moved.size() << ")\n";
  for (const Move &move : diff.moved)
    out << "  "
        << (move.graph.empty() ? "variable " + runtime::escape(move.name)
                               : runtime::escape(move.graph + "/" + move.name))
        << ": " << shown(move.before) << " -> " << shown(move.after) << "\n";
  printList("only in the first", diff.removed, out);
  printList("only in the second", diff.added, out);
  printChanges("sent per step", diff.links, "", out);
  printChanges("memory", diff.memory, "variables on", out);
  printList("kernels only in the first", diff.kernelsRemoved, out);
  printList("kernels only in the second", diff.kernelsAdded, out);
}

ordered_json diffJson(const ModelDiff &diff) {
  ordered_json moved = ordered_json::array();
  for (const Move &move : diff.moved)
    moved.push_back({{"graph", move.graph},
                     {"name", move.name},
                     {"before", move.before},
                     {"after", move.after}});
  return {{"equal", diff.isEmpty()},
          {"moved", std::move(moved)},
          {"only_first", diff.removed},
          {"only_second", diff.added},
          {"links", changesJson(diff.links)},
          {"memory", changesJson(diff.memory)},
          {"kernels_only_first", diff.kernelsRemoved},
          {"kernels_only_second", diff.kernelsAdded}};
}

} // namespace graphc::dump
