// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, and graphs of captured work.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_GRAPH_H
#define GRAPHC_TEST_CUDA_EMULATOR_GRAPH_H

#include "test/cuda/emulator/Launch.h"

#include <chrono>
#include <functional>
#include <memory>

namespace graphc::emulator {

struct Context;
struct Stream;

/// A piece of work. It is carried out once, or at each launch of a graph.
struct Operation {
  std::string name; ///< "kernel 'softmax'", for errors
  Context *context = nullptr;
  std::function<Failure(const Actor &)> run;
};

struct GraphNode {
  Operation operation;
  std::vector<size_t> dependencies; ///< nodes before it
  uint32_t branch = 0;              ///< the captured stream it came from
};

/// Nodes in an order in which they can run.
struct Graph {
  Context *context = nullptr;
  std::vector<GraphNode> nodes;
  uint32_t branches = 0;
};

struct GraphExec {
  Context *context = nullptr;
  Graph graph;
  std::vector<uint32_t> lanes; ///< by branch
  Clock end; ///< of the launch before; two of the same graph do not overlap
};

/// A graph in the making.
struct Capture {
  Graph graph;
  Stream *origin = nullptr;
  bool isInvalid = false;
};

struct Stream {
  Context *context = nullptr;
  bool waitsForDefault = true;
  uint32_t lane = 0;
  Clock clock;
  std::shared_ptr<Capture> capture;
  std::vector<size_t> front; ///< the nodes that the next one depends on
  uint32_t branch = 0;
};

struct Event {
  Context *context = nullptr;
  bool hasTime = true;
  bool isRecorded = false;
  Clock clock;
  std::chrono::steady_clock::time_point time;
  std::shared_ptr<Capture> capture;
  std::vector<size_t> front;
};

/// Appends work to the capture of a stream.
void captureNode(Stream &stream, Operation operation);

/// A stream that waits for an event of a capture takes part in it.
void joinCapture(Stream &stream, const Event &event);

/// Is every node before the front of the stream that began the capture?
bool isJoined(const Capture &capture);

} // namespace graphc::emulator

#endif
