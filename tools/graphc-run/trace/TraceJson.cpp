// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trace Event Format.
#include "tools/graphc-run/trace/TraceFormats.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace graphc::run {

namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string &text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string microsOf(int64_t nanos) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(nanos) * 1e-3);
  return text;
}

double microsNumber(int64_t nanos) { return static_cast<double>(nanos) * 1e-3; }

/// Events are many, so they are written as texts and not kept as values.
class JsonWriter {
public:
  explicit JsonWriter(const TraceData &trace)
      : trace(trace), start(trace.start()) {
    for (const std::string &name : trace.names)
      names.push_back(quoted(name));
  }

  std::string write() {
    text = "{\"traceEvents\":[\n";
    for (uint32_t i = 0; i < trace.processes.size(); ++i) {
      addName("process_name", i, 0, "name", trace.processes[i].name);
      if (!trace.processes[i].note.empty())
        addName("process_labels", i, 0, "labels", trace.processes[i].note);
    }
    for (uint32_t i = 0; i < trace.tracks.size(); ++i)
      addName("thread_name", trace.tracks[i].process, i + 1, "name",
              trace.tracks[i].name);
    for (uint32_t index : trace.inOrder())
      addSlice(trace.slices[index]);
    for (uint32_t i = 0; i < trace.arrows.size(); ++i)
      addArrow(i);
    text +=
        "\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":" + notes() + "}\n";
    return std::move(text);
  }

private:
  void beginEvent() {
    if (!isFirst)
      text += ",\n";
    isFirst = false;
  }

  void addPlace(uint32_t process, uint32_t track) {
    text += ",\"pid\":" + std::to_string(process + 1) +
            ",\"tid\":" + std::to_string(track);
  }

  void addName(const char *what, uint32_t process, uint32_t track,
               const char *key, const std::string &name) {
    beginEvent();
    text += std::string("{\"name\":\"") + what + "\",\"ph\":\"M\"";
    addPlace(process, track);
    text += std::string(",\"args\":{\"") + key + "\":" + quoted(name) + "}}";
  }

  void addSlice(const TraceSlice &slice) {
    beginEvent();
    text += "{\"name\":" + names[slice.name] + ",\"cat\":\"" + slice.category +
            "\",\"ph\":\"X\",\"ts\":" + microsOf(slice.begin - start) +
            ",\"dur\":" + microsOf(slice.end - slice.begin);
    addPlace(trace.tracks[slice.track].process, slice.track + 1);
    text += ",\"args\":{";
    const char *comma = "";
    auto add = [&](const char *key, uint64_t value) {
      text += std::string(comma) + "\"" + key + "\":" + std::to_string(value);
      comma = ",";
    };
    if (slice.step > 0)
      add("step", slice.step);
    if (slice.instruction != TraceSlice::kNone)
      add("instruction", slice.instruction);
    if (slice.line > 0)
      add("line", slice.line);
    if (slice.bytes > 0)
      add("bytes", slice.bytes);
    text += "}}";
  }

  /// An arrow has its two ends by one id.
  void addArrow(uint32_t number) {
    const TraceArrow &arrow = trace.arrows[number];
    for (bool isEnd : {false, true}) {
      const TraceSlice &slice = trace.slices[isEnd ? arrow.to : arrow.from];
      beginEvent();
      text += "{\"name\":\"edge " + std::to_string(arrow.edge) +
              "\",\"cat\":\"transfer\",\"ph\":\"" + (isEnd ? "f" : "s") +
              "\",\"id\":" + std::to_string(number + 1) +
              ",\"ts\":" + microsOf((isEnd ? slice.end : slice.begin) - start);
      addPlace(trace.tracks[slice.track].process, slice.track + 1);
      text += ",\"args\":{\"edge\":" + std::to_string(arrow.edge) +
              ",\"step\":" + std::to_string(arrow.step) + "}";
      if (isEnd)
        text += ",\"bp\":\"e\""; // at the slice around it
      text += "}";
    }
  }

  std::string notes() const {
    Json notes = Json::object();
    for (const TraceProcess &process : trace.processes)
      if (process.errorNanos >= 0)
        notes[process.name] = {
            {"note", process.note},
            {"clock_error_us", microsNumber(process.errorNanos)},
            {"clock_offset_us", microsNumber(process.offsetNanos)}};
      else if (!process.note.empty())
        notes[process.name] = {{"note", process.note}};
    return notes.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  const TraceData &trace;
  const int64_t start;
  std::vector<std::string> names; ///< quoted
  std::string text;
  bool isFirst = true;
};

} // namespace

std::string traceAsJson(const TraceData &trace) {
  return JsonWriter(trace).write();
}

} // namespace graphc::run
