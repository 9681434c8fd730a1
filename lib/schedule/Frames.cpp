// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/schedule/Frames.h"

#include "dialects/tfir/Support.h"

#include <map>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// Smaller values share a frame with others.
constexpr int64_t kSmallValue = 64 * 1024;
/// A frame does not grow beyond this.
constexpr int64_t kLargestFrame = 1024 * 1024;

} // namespace

/// Sends between which the program does nothing else. Those that move up to the
/// first of their frame have their values there already. The parts of
/// collectives keep their places, as all programs meet them in one order.
void Frames::joinRun(ArrayRef<unsigned> run) {
  struct Open {
    unsigned frame;
    int64_t bytes;
  };
  std::map<int64_t, Open> open; // by destination
  for (unsigned number : run) {
    auto send = cast<SendOp>(graph.nodes()[number].op);
    int64_t bytes = exec::tensorBytes(tensorType(send.getValue()));
    if (bytes >= kSmallValue || getCollective(send))
      continue;
    auto [it, isNew] = open.try_emplace(send.getTo());
    if (isNew || it->second.bytes + bytes > kLargestFrame) {
      it->second = {static_cast<unsigned>(frames.size()), 0};
      frames.emplace_back();
    }
    it->second.bytes += bytes;
    frames[it->second.frame].push_back(number);
    frameOf[number] = it->second.frame;
  }
}

void Frames::joinSends() {
  std::vector<SmallVector<unsigned>> runs(graph.programs());
  for (unsigned number : order) {
    const StepNode &node = graph.nodes()[number];
    SmallVector<unsigned> &run = runs[node.program];
    if (isa<SendOp>(node.op)) {
      run.push_back(number);
      continue;
    }
    joinRun(run);
    run.clear();
  }
  for (ArrayRef<unsigned> run : runs)
    joinRun(run);
}

std::vector<StepItem> Frames::join() {
  joinSends();
  // Each frame is received where the first of its values is needed.
  std::map<int64_t, unsigned> frameOfEdge;
  std::map<int64_t, Operation *> recvs;
  for (auto [frame, sends] : llvm::enumerate(frames))
    for (unsigned send : sends)
      frameOfEdge[cast<SendOp>(graph.nodes()[send].op).getEdge()] = frame;
  for (const StepNode &node : graph.nodes())
    if (auto recv = dyn_cast<RecvOp>(node.op))
      recvs[recv.getEdge()] = recv;
  std::vector<StepItem> items;
  std::vector<bool> isSent(frames.size()), isReceived(frames.size());
  for (unsigned number : order) {
    const StepNode &node = graph.nodes()[number];
    StepItem item{node.program, {node.op}};
    std::optional<unsigned> frame;
    if (auto recv = dyn_cast<RecvOp>(node.op)) {
      if (auto it = frameOfEdge.find(recv.getEdge()); it != frameOfEdge.end())
        frame = it->second;
    } else if (auto it = frameOf.find(number); it != frameOf.end()) {
      frame = it->second;
    }
    if (frame) {
      std::vector<bool> &isDone = isa<RecvOp>(node.op) ? isReceived : isSent;
      if (isDone[*frame])
        continue;
      isDone[*frame] = true;
      item.ops.clear();
      for (unsigned send : frames[*frame]) {
        auto op = cast<SendOp>(graph.nodes()[send].op);
        item.ops.push_back(isa<RecvOp>(node.op) ? recvs[op.getEdge()]
                                                : op.getOperation());
      }
    }
    items.push_back(std::move(item));
  }
  return items;
}

} // namespace graphc
