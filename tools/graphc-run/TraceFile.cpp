// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/TraceFile.h"

#include "runtime/data/File.h"
#include "runtime/data/archive/Inflate.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace graphc::run {

using namespace runtime;

namespace {

using Json = nlohmann::ordered_json;

constexpr int kProcess = 1;

double micros(int64_t nanos) { return static_cast<double>(nanos) * 1e-3; }

const char *categoryOf(const format::Instruction &instruction) {
  switch (instruction.action_type()) {
  case format::Action::Dispatch:
    return "kernel";
  case format::Action::HostCall:
    return nextBatchOf(instruction) ? "input" : "host";
  case format::Action::Send:
  case format::Action::Recv:
  case format::Action::AllReduce:
    return "transfer";
  default:
    return "copy";
  }
}

/// The events of one program.
class TrackWriter {
public:
  TrackWriter(const format::Program &program, uint32_t number, int64_t start,
              Json &events)
      : program(program), track(number + 1), start(start), events(events) {}

  void add(const StepTimeline::Event &event) {
    const format::Instruction &instruction =
        *program.instructions()->Get(event.instruction);
    Json args = {{"step", event.step}, {"instruction", event.instruction}};
    if (const auto *location = instruction.location();
        location && location->line() > 0)
      args["line"] = location->line();
    events.push_back(
        {{"name", instruction.name()
                      ? instruction.name()->str()
                      : format::EnumNameAction(instruction.action_type())},
         {"cat", categoryOf(instruction)},
         {"ph", "X"},
         {"ts", micros(event.beginNanos - start)},
         {"dur", micros(event.endNanos - event.beginNanos)},
         {"pid", kProcess},
         {"tid", track},
         {"args", std::move(args)}});
    EdgeUses uses = edgesOf(instruction);
    if (uses.edges)
      for (uint32_t edge : *uses.edges)
        addArrow(uses.isSend, edge, event);
  }

private:
  /// An arrow has its two ends by one id.
  void addArrow(bool isSend, uint32_t edge, const StepTimeline::Event &event) {
    Json arrow = {
        {"name", "edge " + std::to_string(edge)},
        {"cat", "transfer"},
        {"ph", isSend ? "s" : "f"},
        {"id", std::to_string(event.step) + "." + std::to_string(edge)},
        {"ts", micros((isSend ? event.beginNanos : event.endNanos) - start)},
        {"pid", kProcess},
        {"tid", track}};
    if (!isSend)
      arrow["bp"] = "e"; // at the slice around it
    events.push_back(std::move(arrow));
  }

  const format::Program &program;
  const uint32_t track;
  const int64_t start;
  Json &events;
};

Json nameOf(const char *what, uint32_t track, const std::string &name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", kProcess},
          {"tid", track},
          {"args", {{"name", name}}}};
}

/// A gzip file of one member.
StatusOr<std::vector<std::byte>> gzipOf(const std::string &text,
                                        const std::string &path) {
  auto bytes = std::as_bytes(std::span(text));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> packed,
                          deflateBytes(bytes, path));
  constexpr uint8_t kHeader[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
  auto header = std::as_bytes(std::span(kHeader));
  std::vector<std::byte> file(header.begin(), header.end());
  file.insert(file.end(), packed.begin(), packed.end());
  for (uint32_t word : {crc32Of(bytes), static_cast<uint32_t>(text.size())})
    for (int shift = 0; shift < 32; shift += 8)
      file.push_back(static_cast<std::byte>(word >> shift & 255));
  return file;
}

} // namespace

Status writeTrace(const std::string &path, const Model &model,
                  const format::Graph &graph, const StepTimeline &timeline) {
  int64_t start = std::numeric_limits<int64_t>::max();
  for (uint32_t program = 0; program < timeline.programs(); ++program)
    for (const StepTimeline::Event &event : timeline.events(program))
      start = std::min(start, event.beginNanos);
  Json events = Json::array();
  events.push_back(nameOf("process_name", 0, "graph " + graph.name()->str()));
  for (uint32_t number = 0; number < timeline.programs(); ++number) {
    const format::Program &program = *graph.programs()->Get(number);
    events.push_back(nameOf("thread_name", number + 1,
                            std::string(deviceOf(model.index(), program))));
    TrackWriter track(program, number, start, events);
    for (const StepTimeline::Event &event : timeline.events(number))
      track.add(event);
  }
  Json trace = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}};
  std::string text =
      trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::vector<std::byte> packed;
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  if (path.ends_with(".gz")) {
    GRAPHC_ASSIGN_OR_RETURN(packed, gzipOf(text, path));
    bytes = packed;
  }
  return replaceFile(path, std::span(&bytes, 1));
}

} // namespace graphc::run
