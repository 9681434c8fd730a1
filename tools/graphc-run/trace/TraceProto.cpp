// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Perfetto's format, by the field numbers of its public schema
// (protos/perfetto/trace): a few of its messages, which hold slices and arrows.
#include "runtime/summary/ProtoWriter.h"
#include "tools/graphc-run/trace/TraceFormats.h"

namespace graphc::run {

using runtime::ProtoWriter;

namespace {

namespace packet { // TracePacket
constexpr uint32_t kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11,
                   kInternedData = 12, kSequenceFlags = 13,
                   kTrackDescriptor = 60;
constexpr int64_t kStateCleared = 1, kNeedsState = 2; // SequenceFlags
} // namespace packet
namespace descriptor { // TrackDescriptor, ProcessDescriptor, ThreadDescriptor
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5;
constexpr uint32_t kPid = 1, kTid = 2, kThreadName = 5, kProcessName = 6,
                   kLabels = 8;
} // namespace descriptor
namespace event { // TrackEvent
constexpr uint32_t kAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11,
                   kCategories = 22, kFlows = 47, kLastFlows = 48;
constexpr int64_t kSliceBegin = 1, kSliceEnd = 2; // Type
} // namespace event
namespace annotation { // DebugAnnotation
constexpr uint32_t kUint = 3, kName = 10;
} // namespace annotation
namespace interned { // InternedData, EventName
constexpr uint32_t kEventNames = 2, kIid = 1, kName = 2;
} // namespace interned

/// Numbers that no other producer of a merged trace is likely to have.
constexpr int64_t kSequence = 0x6772;
constexpr uint64_t kTrackBase = uint64_t(0x6772617068) << 24;

class ProtoTrace {
public:
  explicit ProtoTrace(const TraceData &trace)
      : trace(trace), starts(trace.slices.size()), ends(trace.slices.size()) {
    for (uint32_t i = 0; i < trace.arrows.size(); ++i) {
      starts[trace.arrows[i].from].push_back(i + 1);
      ends[trace.arrows[i].to].push_back(i + 1);
    }
  }

  std::string write() {
    addNames();
    for (uint32_t i = 0; i < trace.processes.size(); ++i)
      addProcess(i);
    for (uint32_t i = 0; i < trace.tracks.size(); ++i)
      addTrack(i);
    for (uint32_t index : trace.inOrder())
      addSlice(index);
    return file.bytes();
  }

private:
  static int64_t uuidOfProcess(uint32_t process) {
    return static_cast<int64_t>(kTrackBase + process + 1);
  }
  int64_t uuidOfTrack(uint32_t track) const {
    return static_cast<int64_t>(kTrackBase + trace.processes.size() + track +
                                1);
  }

  void addPacket(ProtoWriter &body, int64_t flags = packet::kNeedsState) {
    body.addInt(packet::kSequenceId, kSequence);
    body.addInt(packet::kSequenceFlags, flags);
    file.addMessage(1, body);
  }

  void addNames() {
    ProtoWriter data;
    for (uint32_t i = 0; i < trace.names.size(); ++i) {
      ProtoWriter name;
      name.addInt(interned::kIid, i + 1);
      name.addBytes(interned::kName, trace.names[i]);
      data.addMessage(interned::kEventNames, name);
    }
    ProtoWriter body;
    body.addMessage(packet::kInternedData, data);
    addPacket(body, packet::kStateCleared | packet::kNeedsState);
  }

  void addProcess(uint32_t process) {
    ProtoWriter of;
    of.addInt(descriptor::kPid, process + 1);
    of.addBytes(descriptor::kProcessName, trace.processes[process].name);
    if (!trace.processes[process].note.empty())
      of.addBytes(descriptor::kLabels, trace.processes[process].note);
    ProtoWriter track;
    track.addInt(descriptor::kUuid, uuidOfProcess(process));
    track.addMessage(descriptor::kProcess, of);
    ProtoWriter body;
    body.addMessage(packet::kTrackDescriptor, track);
    addPacket(body);
  }

  void addTrack(uint32_t number) {
    const TraceTrack &of = trace.tracks[number];
    ProtoWriter thread;
    thread.addInt(descriptor::kPid, of.process + 1);
    thread.addInt(descriptor::kTid, number + 1);
    thread.addBytes(descriptor::kThreadName, of.name);
    ProtoWriter track;
    track.addInt(descriptor::kUuid, uuidOfTrack(number));
    track.addInt(descriptor::kParent, uuidOfProcess(of.process));
    track.addBytes(descriptor::kName, of.name);
    track.addMessage(descriptor::kThread, thread);
    ProtoWriter body;
    body.addMessage(packet::kTrackDescriptor, track);
    addPacket(body);
  }

  static void annotate(ProtoWriter &event, const char *name, uint64_t value) {
    ProtoWriter annotation;
    annotation.addInt(annotation::kUint, static_cast<int64_t>(value));
    annotation.addBytes(annotation::kName, name);
    event.addMessage(event::kAnnotations, annotation);
  }

  void addEvent(const ProtoWriter &event, int64_t nanos) {
    ProtoWriter body;
    body.addInt(packet::kTimestamp, nanos);
    body.addMessage(packet::kTrackEvent, event);
    addPacket(body);
  }

  void addSlice(uint32_t index) {
    const TraceSlice &slice = trace.slices[index];
    ProtoWriter begin;
    begin.addInt(event::kType, event::kSliceBegin);
    begin.addInt(event::kTrackUuid, uuidOfTrack(slice.track));
    begin.addInt(event::kNameIid, slice.name + 1);
    begin.addBytes(event::kCategories, slice.category);
    if (slice.step > 0)
      annotate(begin, "step", slice.step);
    if (slice.instruction != TraceSlice::kNone)
      annotate(begin, "instruction", slice.instruction);
    if (slice.line > 0)
      annotate(begin, "line", slice.line);
    if (slice.bytes > 0)
      annotate(begin, "bytes", slice.bytes);
    for (uint32_t flow : starts[index])
      begin.addFixed64(event::kFlows, flow);
    for (uint32_t flow : ends[index])
      begin.addFixed64(event::kLastFlows, flow);
    addEvent(begin, slice.begin);
    ProtoWriter end;
    end.addInt(event::kType, event::kSliceEnd);
    end.addInt(event::kTrackUuid, uuidOfTrack(slice.track));
    addEvent(end, slice.end);
  }

  const TraceData &trace;
  std::vector<std::vector<uint32_t>> starts, ends; ///< arrows, by slice
  ProtoWriter file;
};

} // namespace

std::string traceAsProto(const TraceData &trace) {
  return ProtoTrace(trace).write();
}

} // namespace graphc::run
