// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of several programs with values of known results.
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_RANDOMGRAPH_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_RANDOMGRAPH_H

#include "test/runtime/executor/TestProgram.h"

#include <random>

namespace graphc::test {

/// Random programs: values are made, changed in place and sent about.
class RandomGraph {
public:
  /// Program i, but for the first, is on device `head` i `tail`.
  RandomGraph(uint32_t seed, TestProgram &program, const std::string &head,
              const std::string &tail = "")
      : random(seed), graph(program.graph) {
    add = program.kernel("add", kFloats);
    twice = program.kernel("twice", kFloats);
    uint32_t programs = 2 + below(4);
    for (uint32_t i = 1; i < programs; ++i)
      graph.addProgram(head + std::to_string(i) + tail);
    slots.resize(programs);
    for (uint32_t i = 0; i < programs; ++i) {
      uint32_t start = graph.program(i).addConstant(
          "start", {DType::Float32, {kFloats}},
          bytesOf(std::vector<float>(kFloats, 1.0f + float(i))));
      uint32_t copy = newSlot(i);
      graph.program(i).addCopy(start, copy);
      slots[i].push_back(copy);
    }
    for (int i = 0; i < 60; ++i)
      addOne();
    for (uint32_t i = 0; i < programs; ++i)
      graph.addFetch("f" + std::to_string(i), slots[i].back(), i);
    for (uint32_t i = 0; i < programs; ++i)
      graph.program(i).addWaits();
  }

  uint32_t programs() const { return graph.programCount(); }

  /// The values of all fetches; `source` gives them by program and slot.
  template <typename Source> std::vector<float> results(Source &source) {
    std::vector<float> all;
    for (const PortSpec &fetch : graph.fetches)
      for (float value : source.values(fetch.program, fetch.slot))
        all.push_back(value);
    return all;
  }

private:
  static constexpr int64_t kFloats = 300;

  uint32_t below(uint32_t bound) { return random() % bound; }
  uint32_t newSlot(uint32_t index) {
    return graph.program(index).addArena("v", {DType::Float32, {kFloats}});
  }
  uint32_t any(uint32_t index) {
    return slots[index][below(slots[index].size())];
  }
  void addOne() {
    uint32_t index = below(graph.programCount());
    ProgramSpec &here = graph.program(index);
    uint32_t a = any(index), b = any(index);
    switch (below(5)) {
    case 0: { // a new value
      uint32_t c = newSlot(index);
      here.addDispatch(add, {a, b, c}, {c});
      slots[index].push_back(c);
      break;
    }
    case 1: // overwrites an old one
      here.addFill(a, {0, 0, 0, 0x3f});
      break;
    case 2: // in place
      here.addDispatch(add, {a, b, a}, {a});
      break;
    default: {
      uint32_t target = below(graph.programCount());
      if (target != index)
        slots[target].push_back(graph.transfer(index, a, target));
      break;
    }
    }
  }

  std::mt19937 random;
  GraphSpec &graph;
  uint32_t add, twice;
  std::vector<std::vector<uint32_t>> slots;
};

} // namespace graphc::test

#endif
