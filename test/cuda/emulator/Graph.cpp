// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/Graph.h"

#include <algorithm>

namespace graphc::emulator {

void captureNode(Stream &stream, Operation operation) {
  Graph &graph = stream.capture->graph;
  graph.nodes.push_back(
      {std::move(operation), std::move(stream.front), stream.branch});
  stream.front = {graph.nodes.size() - 1};
}

void joinCapture(Stream &stream, const Event &event) {
  if (stream.capture != event.capture) {
    stream.capture = event.capture;
    stream.branch = stream.capture->graph.branches++;
    stream.front.clear();
  }
  for (size_t node : event.front)
    if (std::find(stream.front.begin(), stream.front.end(), node) ==
        stream.front.end())
      stream.front.push_back(node);
}

bool isJoined(const Capture &capture) {
  std::vector<bool> isLast(capture.graph.nodes.size(), true);
  for (const GraphNode &node : capture.graph.nodes)
    for (size_t dependency : node.dependencies)
      isLast[dependency] = false;
  for (size_t node : capture.origin->front)
    isLast[node] = false;
  return std::find(isLast.begin(), isLast.end(), true) == isLast.end();
}

} // namespace graphc::emulator
