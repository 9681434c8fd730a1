// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/trace/TracedStore.h"

#include "runtime/base/Clock.h"

namespace graphc::run {

using namespace runtime;

namespace {

class TracedStore final : public CheckpointStore {
public:
  TracedStore(std::shared_ptr<CheckpointStore> store,
              std::shared_ptr<TraceCollector> trace)
      : store(std::move(store)), trace(std::move(trace)) {}

  std::string name() const override { return store->name(); }
  bool exists() override { return store->exists(); }
  StatusOr<Texts> texts() override { return store->texts(); }
  StatusOr<Texts> load(Session &session) override {
    int64_t begin = nowNanos();
    StatusOr<Texts> texts = store->load(session);
    trace->addSpan("checkpoints", "load", begin, nowNanos());
    return texts;
  }
  Status write(Session &session, const std::string &graph, uint64_t step,
               const Texts &texts) override {
    int64_t begin = nowNanos();
    Status status = store->write(session, graph, step, texts);
    trace->addSpan("checkpoints", "save", begin, nowNanos());
    return status;
  }
  Status finish() override {
    int64_t begin = nowNanos();
    Status status = store->finish();
    trace->addSpan("checkpoints", "wait for the file", begin, nowNanos());
    return status;
  }

private:
  std::shared_ptr<CheckpointStore> store;
  std::shared_ptr<TraceCollector> trace;
};

} // namespace

std::shared_ptr<CheckpointStore>
tracedStore(std::shared_ptr<CheckpointStore> store,
            std::shared_ptr<TraceCollector> trace) {
  return std::make_shared<TracedStore>(std::move(store), std::move(trace));
}

} // namespace graphc::run
