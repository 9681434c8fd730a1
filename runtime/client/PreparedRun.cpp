// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/PreparedRun.h"

#include <algorithm>
#include <utility>

namespace graphc::runtime {

namespace {

constexpr int64_t kReleaseNanos = 1'000'000'000;

/// Has tasks forget the runs that are prepared there, and waits for them.
class EndRunsOperation final : public ClientOperation {
public:
  explicit EndRunsOperation(ClientMachine::State &state) : state(state) {}

  void start() override {
    std::vector<std::unique_ptr<PreparedRun>> runs =
        std::exchange(state.prepared, {});
    for (const std::unique_ptr<PreparedRun> &run : runs)
      if (!run->isAttached)
        missing += run->participants.size();
    if (missing == 0)
      return state.finish(Status::ok());
    for (const std::unique_ptr<PreparedRun> &run : runs)
      run->forEachRelease([this](TaskId task, protocol::Request request) {
        state.request(
            task, std::move(request),
            [this](TaskId, const protocol::Reply &) {
              if (--missing == 0)
                state.finish(Status::ok());
            },
            kReleaseNanos);
      });
  }

private:
  ClientMachine::State &state;
  size_t missing = 0;
};

} // namespace

bool PreparedRun::hasTask(TaskId task) const {
  return std::ranges::find(participants, task, &Participant::task) !=
         participants.end();
}

bool PreparedRun::hasFeeds(std::span<const NamedTensor *const> values) const {
  return std::ranges::equal(
      values, feeds,
      [](const NamedTensor *feed, const std::vector<std::byte> &value) {
        return feed->tensor.bytes == value;
      });
}

void PreparedRun::forEachRelease(
    const std::function<void(TaskId, protocol::Request)> &send) const {
  if (isAttached)
    return;
  for (const Participant &participant : participants) {
    protocol::Request request;
    *request.mutable_release()->mutable_run() = id;
    send(participant.task, std::move(request));
  }
}

void PreparedRun::release(ClientMachine::State &state) const {
  forEachRelease([&](TaskId task, protocol::Request request) {
    state.tell(task, std::move(request));
  });
}

std::unique_ptr<ClientOperation> endRunsOperation(ClientMachine::State &state) {
  return std::make_unique<EndRunsOperation>(state);
}

} // namespace graphc::runtime
