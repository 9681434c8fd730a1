// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engines of several tasks of one graph, and what crosses between them.
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_TESTTASKS_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_TESTTASKS_H

#include "runtime/executor/TaskEngine.h"
#include "test/runtime/executor/TestProgram.h"

namespace graphc::test {

/// Changes to the engines' specs.
struct TaskChanges {
  bool stopsBeforeUpdate = false;
  std::function<std::byte *(uint32_t task, uint32_t edge, size_t bytes)>
      receiveBuffer = {};
  std::function<std::byte *(uint32_t task, uint32_t edge, size_t bytes)>
      exposure = {};
  std::function<int64_t()> clock = {};
  bool haveParts = false; ///< each task has only its part of the plan
  int threads = 1;
};

/// Keeps what leaves a task until it is delivered.
class TestSender final : public runtime::EdgeSender {
public:
  bool send(std::span<const runtime::RemoteEdge *const> edges,
            uint64_t step) override;

  struct Value {
    uint32_t edge;
    std::vector<std::byte> bytes;
  };
  std::vector<Value> values; ///< the first `count` of them
  size_t count = 0;          ///< since the last delivery
  int refusals = 0;          ///< to come
  uint64_t lastStep = 0;
};

class TestTasks {
public:
  /// `programs` by task.
  TestTasks(TestProgram &program, std::vector<std::vector<uint32_t>> programs,
            const TaskChanges &changes = {});

  runtime::TaskEngine &engine(uint32_t task) { return *engines[task]; }
  TestSender &sender(uint32_t task) { return senders[task]; }
  /// The values that a task sent and nobody has got.
  size_t sent(uint32_t task) const { return senders[task].count; }

  /// Brings all that was sent to where it belongs.
  void deliver();
  /// A step of all tasks, without stops.
  void run(uint64_t step);

  /// The floats of a slot of a program, wherever it is: feeds, fetches,
  /// variables.
  std::span<float> values(uint32_t program, uint32_t slot);

private:
  std::vector<std::vector<uint32_t>> programs;
  std::vector<TestSender> senders;
  runtime::ExecutorSpec spec;
  std::vector<std::shared_ptr<const runtime::Model>> parts; ///< by task
  std::vector<std::unique_ptr<runtime::TaskEngine>> engines;
};

} // namespace graphc::test

#endif
