// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page is a template, a style and a script (report/page), and the
// data as JSON. Names of ops are nobody's business but the user's: inside the
// page they are JSON in which '<' does not occur, so they cannot end the
// script.
#include "report/WriteHtml.h"

#include "report/Page.h"
#include "report/Report.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"
#include "runtime/format/print/Print.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

namespace graphc::report {

using namespace runtime;

namespace {

using nlohmann::ordered_json;

uint32_t lineOf(const format::Location *location) {
  return location ? location->line() : 0;
}

/// One row per buffer of the arena: name, bytes, offset, first and last
/// instruction, line, type.
ordered_json arenaSlots(const format::Program &program) {
  ordered_json slots = ordered_json::array();
  for (const format::Slot *slot : *program.slots())
    if (slot->kind() == format::SlotKind::Arena)
      slots.push_back({viewOf(slot->name()), slot->size(), slot->offset(),
                       slot->first(), slot->last(), lineOf(slot->location()),
                       toTensorType(*slot->type()).toString()});
  return slots;
}

uint64_t constantBytes(const format::Program &program) {
  uint64_t bytes = 0;
  for (const format::Slot *slot : *program.slots())
    if (slot->kind() == format::SlotKind::Constant)
      bytes += slot->size();
  return bytes;
}

/// Counts the sends from one program to another.
ordered_json messages(const format::Graph &graph) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
  for (uint32_t p = 0; p < graph.programs()->size(); ++p)
    for (const format::Instruction *instruction :
         *graph.programs()->Get(p)->instructions())
      if (const auto *send = instruction->action_as_Send())
        if (send->edges()->size())
          ++counts[{p, graph.edges()->Get(send->edges()->Get(0))->target()}];
  ordered_json json = ordered_json::array();
  for (auto [link, count] : counts)
    json.push_back({link.first, link.second, count});
  return json;
}

ordered_json graphJson(const format::Model &index, const format::Graph &graph) {
  ordered_json programs = ordered_json::array();
  for (const format::Program *program : *graph.programs())
    programs.push_back({{"device", deviceOf(index, *program)},
                        {"arena", program->arena_bytes()},
                        {"live", program->live_bytes()},
                        {"constants", constantBytes(*program)},
                        {"instructions", program->instructions()->size()},
                        {"slots", arenaSlots(*program)}});
  ordered_json edges = ordered_json::array();
  if (graph.edges())
    for (const format::Edge *edge : *graph.edges())
      edges.push_back({edge->source(), edge->target(), edge->size(),
                       viewOf(edge->name()), lineOf(edge->location()),
                       edge->collective()});
  return {{"name", viewOf(graph.name())},
          {"programs", std::move(programs)},
          {"edges", std::move(edges)},
          {"messages", messages(graph)}};
}

ordered_json variablesJson(const format::Model &index) {
  ordered_json json = ordered_json::array();
  for (const format::Variable *variable : *index.variables()) {
    uint32_t original = variable->mirror_of();
    json.push_back({viewOf(variable->name()),
                    toTensorType(*variable->type()).numBytes(),
                    deviceOf(index, *variable),
                    original < index.variables()->size()
                        ? viewOf(index.variables()->Get(original)->name())
                        : std::string_view()});
  }
  return json;
}

/// Every device that anything names, once: full name, short name.
ordered_json devicesJson(const format::Model &index, const Report *report) {
  std::vector<std::string> names;
  auto add = [&](std::string_view name) {
    if (!name.empty() &&
        std::find(names.begin(), names.end(), name) == names.end())
      names.emplace_back(name);
  };
  // The numbers of the report's columns stay what they are.
  if (report)
    names = report->devices;
  for (const format::Variable *variable : *index.variables())
    add(deviceOf(index, *variable));
  for (const format::Graph *graph : *index.graphs())
    for (const format::Program *program : *graph->programs())
      add(deviceOf(index, *program));
  ordered_json json = ordered_json::array();
  for (const std::string &name : names)
    json.push_back({name, shortDevice(name)});
  return json;
}

std::string startGraph(const format::Model &index, std::string_view wanted) {
  if (!wanted.empty())
    return std::string(wanted);
  std::string first;
  for (const format::Graph *graph : *index.graphs()) {
    if (viewOf(graph->name()) != "init")
      return graph->name()->str();
    first = graph->name()->str();
  }
  return first;
}

/// The lines of the source that rows of the report come from, by number.
ordered_json sourceJson(const Model &model, const Report &report) {
  constexpr size_t kLongest = 240;
  ordered_json json = ordered_json::object();
  const format::Blob *blob = model.index().source();
  if (!blob)
    return json;
  auto bytes = model.blob(*blob);
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  std::set<uint32_t> wanted(report.variables.line.begin(),
                            report.variables.line.end());
  for (const ReportGraph &graph : report.graphs)
    wanted.insert(graph.ops.line.begin(), graph.ops.line.end());
  uint32_t number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!wanted.count(++number))
      continue;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    json[std::to_string(number)] = line.substr(0, kLongest);
  }
  return json;
}

std::string dataJson(const Model &model, const Report *report,
                     std::string_view graphName) {
  const format::Model &index = model.index();
  ordered_json json;
  ordered_json flags = ordered_json::array();
  if (index.flags())
    for (const flatbuffers::String *flag : *index.flags())
      flags.push_back(viewOf(flag));
  json["model"] = {{"name", viewOf(index.name())},
                   {"producer", viewOf(index.producer())},
                   {"size", model.size()},
                   {"digest", digestText(model.digest())},
                   {"flags", std::move(flags)}};
  json["source"] = report ? sourceJson(model, *report) : ordered_json::object();
  json["start"] = startGraph(index, graphName);
  json["devices"] = devicesJson(index, report);
  json["variables"] = variablesJson(index);
  json["graphs"] = ordered_json::array();
  for (const format::Graph *graph : *index.graphs())
    json["graphs"].push_back(graphJson(index, *graph));
  // Texts of the file need not be UTF-8; what is not is replaced.
  std::string text =
      json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.back() = ',';
  return text + "\"report\":" + (report ? report->text : "null") + "}";
}

/// '<' stands in texts only, where it may be written in another way.
std::string withoutTags(const std::string &json) {
  std::string text;
  text.reserve(json.size());
  for (char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

std::string escapeHtml(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  return result;
}

} // namespace

Status writeHtml(const Model &model, std::string_view graphName,
                 std::ostream &out) {
  StatusOr<Report> report = Report::of(model);
  if (!report.isOk() && report.status().code() != StatusCode::NotFound)
    return report.status();
  std::string_view name = viewOf(model.index().name());
  const std::pair<std::string_view, std::string> parts[] = {
      {"{{TITLE}}", escapeHtml(name.empty() ? "model" : name) + " – graphc"},
      {"{{STYLE}}", kPageStyle},
      {"{{DATA}}", withoutTags(dataJson(
                       model, report.isOk() ? &*report : nullptr, graphName))},
      {"{{SCRIPT}}", kPageScript}};
  std::string_view rest = kPageTemplate;
  for (const auto &[mark, text] : parts) {
    size_t place = rest.find(mark);
    out << rest.substr(0, place) << text;
    rest.remove_prefix(place + mark.size());
  }
  out << rest;
  return Status::ok();
}

} // namespace graphc::report
