// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a GPU's program into graph segments, lets its streams wait for each
// other where bytes are the same, and makes graphs of the segments.
#include "runtime/target/cuda/program/CudaProgram.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

using Ops = std::vector<uint32_t>;

void append(Ops &script, const Ops &more) {
  script.insert(script.end(), more.begin(), more.end());
}

} // namespace

/// A part is what a stream is given at once: the copies of an instruction from
/// the host, the body of a segment, or the copies of a Send to the host. Inside
/// of a body, each op is ordered by itself; there, the other streams begin
/// after the kernels' and are done before it goes on, as a capture wants it.
class CudaSegmentMaker {
public:
  explicit CudaSegmentMaker(CudaProgram &table) : table(table) {}
  Status make();

private:
  using Kind = CudaProgram::Kind;
  using Op = CudaProgram::Op;
  using Segment = CudaProgram::Segment;
  using Script = CudaProgram::Script;

  struct Part {
    GpuStream stream = GpuStream::Compute;
    Script ops;
    uint32_t instruction = 0; ///< the last one that it is of
  };
  /// Ops before and after work that others wait for or that waits.
  struct Link {
    Script awaits, records;
    cuda::Event done = nullptr; ///< null: nobody waits for it
  };

  bool endsSegment(uint32_t instruction) const;
  void addSegment(uint32_t first, uint32_t last);
  void addPart(GpuStream stream, Script ops, uint32_t instruction);
  bool overwritesSent(CudaProgram::Range range);
  Status submitInOrder();
  StatusOr<Script> orderedBody(const Part &part);
  StatusOr<std::vector<Link>> linksOf(const std::vector<GpuWork> &works,
                                      const GpuOrder &order, bool isForHost);
  uint32_t addEventOp(Kind kind, GpuStream stream, cuda::Event event);
  bool isEvent(uint32_t op) const {
    Kind kind = table.ops[op].kind;
    return kind == Kind::Record || kind == Kind::Await;
  }

  CudaProgram &table;
  std::vector<Part> parts;
  std::vector<GpuRange> sentPlaces; ///< on the host, of Sends so far
};

/// True when the host has to do something between this instruction and the
/// next.
bool CudaSegmentMaker::endsSegment(uint32_t instruction) const {
  if (instruction + 1 == table.count() ||
      instruction + 1 == table.spec.firstUpdate)
    return true;
  const auto &all = *table.program().instructions();
  if (table.isOwnSum(instruction) ||
      (all.Get(instruction)->action_as_Send() && !table.isLeftOut(instruction)))
    return true;
  // What comes next may have to be waited for; so, what can be done before is.
  if (table.usesSums(instruction + 1))
    return true;
  auto isWaiting = [&](uint32_t each) {
    return !table.isLeftOut(each) && (all.Get(each)->action_as_Recv() ||
                                      all.Get(each)->action_as_HostCall());
  };
  return !isWaiting(instruction) && isWaiting(instruction + 1);
}

Status CudaSegmentMaker::make() {
  table.early.resize(table.count());
  table.segmentEnding.assign(table.count(), CudaProgram::kNoSegment);
  uint32_t first = 0;
  for (uint32_t i = 0; i < table.count(); ++i) {
    if (!endsSegment(i))
      continue;
    addSegment(first, i);
    first = i + 1;
  }
  return submitInOrder();
}

void CudaSegmentMaker::addPart(GpuStream stream, Script ops,
                               uint32_t instruction) {
  if (!ops.empty())
    parts.push_back({stream, std::move(ops), instruction});
}

void CudaSegmentMaker::addSegment(uint32_t first, uint32_t last) {
  bool isFirst = table.segments.empty();
  Script body, sent;
  for (uint32_t i = first; i <= last; ++i) {
    Script arrived;
    CudaProgram::Range range = table.rangeOf(i);
    for (uint32_t op = range.begin; op < range.end; ++op) {
      GpuStream stream = table.ops[op].stream;
      // Nothing runs before the first segment that its copies could run beside,
      // and nothing after the last one.
      if (stream == GpuStream::Upload && !isFirst)
        arrived.push_back(op);
      else if (stream == GpuStream::Download && op < table.epilogue.begin)
        sent.push_back(op);
      else
        body.push_back(op);
    }
    addPart(GpuStream::Upload, std::move(arrived), i);
  }
  addPart(GpuStream::Compute, std::move(body), last);
  addPart(GpuStream::Download, std::move(sent), last);
  table.segmentEnding[last] = table.segments.size();
  table.segments.emplace_back();
  table.segments.back().overwritesSent =
      overwritesSent({table.firstOp[first], table.firstOp[last + 1]});
}

/// True when ops write to the host where a Send before them did.
bool CudaSegmentMaker::overwritesSent(CudaProgram::Range range) {
  std::vector<GpuRange> places;
  for (uint32_t op = range.begin; op < range.end; ++op)
    if (table.ops[op].stream == GpuStream::Download)
      places.push_back(table.uses[op].writes.front());
  bool isOverwritten = GpuUses{{}, places}.isInConflictWith({sentPlaces, {}});
  sentPlaces.insert(sentPlaces.end(), places.begin(), places.end());
  return isOverwritten;
}

uint32_t CudaSegmentMaker::addEventOp(Kind kind, GpuStream stream,
                                      cuda::Event event) {
  Op op;
  op.kind = kind;
  op.stream = stream;
  op.event = event;
  table.ops.push_back(op);
  return table.ops.size() - 1;
}

/// Events for what is waited for, by other work or, if it was copied to it, by
/// the host.
StatusOr<std::vector<CudaSegmentMaker::Link>>
CudaSegmentMaker::linksOf(const std::vector<GpuWork> &works,
                          const GpuOrder &order, bool isForHost) {
  std::vector<Link> links(works.size());
  for (uint32_t number = 0; number < works.size(); ++number) {
    GpuStream stream = works[number].stream;
    for (uint32_t other : order.waits[number])
      links[number].awaits.push_back(
          addEventOp(Kind::Await, stream, links[other].done));
    if (!order.isAwaited[number] &&
        !(isForHost && stream == GpuStream::Download))
      continue;
    GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<CudaEvent> event,
                            CudaEvent::create(table.device()));
    links[number].done = event->handle();
    links[number].records = {
        addEventOp(Kind::Record, stream, links[number].done)};
    table.events.push_back(std::move(event));
  }
  return links;
}

/// The ops of a body with what orders them. The first and the last work are the
/// beginning and the end, which the kernels' stream comes to.
StatusOr<CudaSegmentMaker::Script>
CudaSegmentMaker::orderedBody(const Part &part) {
  std::vector<GpuWork> works = {{GpuStream::Compute, true, {}}};
  Script ops;
  for (uint32_t op : part.ops) {
    if (isEvent(op))
      continue;
    ops.push_back(op);
    works.push_back({table.ops[op].stream, false, table.uses[op]});
  }
  works.push_back({GpuStream::Compute, true, {}});
  GRAPHC_ASSIGN_OR_RETURN(std::vector<Link> links,
                          linksOf(works, orderWork(works), false));
  Script script;
  for (uint32_t number = 0; number < works.size(); ++number) {
    append(script, links[number].awaits);
    if (number > 0 && number <= ops.size())
      script.push_back(ops[number - 1]);
    append(script, links[number].records);
  }
  return script;
}

Status CudaSegmentMaker::submitInOrder() {
  std::vector<GpuWork> works;
  for (const Part &part : parts) {
    works.push_back({part.stream, false, {}});
    for (uint32_t op : part.ops)
      works.back().uses.add(table.uses[op]);
    works.back().uses.normalize();
  }
  GpuOrder order = orderWork(works);
  GRAPHC_ASSIGN_OR_RETURN(std::vector<Link> links, linksOf(works, order, true));
  for (uint32_t number = 0; number < parts.size(); ++number) {
    const Part &part = parts[number];
    const Link &link = links[number];
    if (part.stream == GpuStream::Upload) {
      Script &early = table.early[part.instruction];
      append(early, link.awaits);
      append(early, part.ops);
      append(early, link.records);
      continue;
    }
    Segment &segment = table.segments[table.segmentEnding[part.instruction]];
    if (part.stream == GpuStream::Compute) {
      segment.before = link.awaits;
      GRAPHC_ASSIGN_OR_RETURN(segment.body, orderedBody(part));
      segment.after = link.records;
      for (uint32_t op : part.ops)
        if (isEvent(op))
          (table.ops[op].kind == Kind::Await ? segment.before : segment.after)
              .push_back(op);
      continue;
    }
    append(segment.after, link.awaits);
    append(segment.after, part.ops);
    append(segment.after, link.records);
    segment.sent = link.done;
    // What computed the values is done when they are there.
    for (uint32_t other = 0;
         other < order.done[number][size_t(GpuStream::Compute)]; ++other)
      if (parts[other].stream == GpuStream::Compute)
        segment.doneThen = parts[other].instruction + 1;
  }
  return Status::ok();
}

Status CudaProgram::makeSegments() {
  GRAPHC_TRY(CudaSegmentMaker(*this).make());
  uses = {};
  return Status::ok();
}

void CudaProgram::capture() {
  for (Segment &segment : segments) {
    auto isWork = [&](uint32_t op) {
      return ops[op].kind != Kind::Record && ops[op].kind != Kind::Await;
    };
    if (std::ranges::count_if(segment.body, isWork) < 2)
      continue;
    StatusOr<CudaGraph> graph = streams[size_t(GpuStream::Compute)]->capture(
        [&] { return submitScript(segment.body); });
    isBusy = {};
    if (graph.isOk())
      segment.graph = std::move(*graph);
    else
      notCaptured = graph.status();
  }
}

} // namespace graphc::runtime
