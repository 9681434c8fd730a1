// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/ReplyBatcher.h"

namespace graphc::runtime {

namespace {
constexpr size_t kMaxBatchBytes = 64 << 10;
constexpr int64_t kMaxNanos = 2'000'000;
} // namespace

void ReplyBatcher::add(uint64_t step, bool isLast, int64_t now,
                       ClientChannel &clients, const protocol::RunId &run) {
  if (fetches.empty() || (lastOnly && !isLast))
    return;
  if (steps == 0) {
    first = step;
    since = now;
  }
  ++steps;
  for (std::span<const std::byte> fetch : fetches)
    values.append(reinterpret_cast<const char *>(fetch.data()), fetch.size());
  if (values.size() >= kMaxBatchBytes || now - since >= kMaxNanos)
    flush(now, clients, run);
}

void ReplyBatcher::flush(int64_t now, ClientChannel &clients,
                         const protocol::RunId &run) {
  protocol::Reply reply;
  if (take(now, run, reply))
    clients.reply(client, std::move(reply));
}

bool ReplyBatcher::take(int64_t now, const protocol::RunId &run,
                        protocol::Reply &reply) {
  if (steps == 0)
    return false;
  reply.set_id(request);
  protocol::Reply::Results &results = *reply.mutable_results();
  *results.mutable_run() = run;
  results.set_first_step(first);
  results.set_steps(steps);
  size_t capacity = values.size();
  *results.mutable_values() = std::move(values);
  results.set_seconds(double(now - begun) * 1e-9);
  values = {};
  values.reserve(capacity);
  steps = 0;
  begun = now;
  mayBeBlocked = true;
  return true;
}

int64_t ReplyBatcher::due() const {
  return steps > 0 ? since + kMaxNanos : INT64_MAX;
}

bool ReplyBatcher::isBlocked(ClientChannel &clients) {
  if (mayBeBlocked)
    mayBeBlocked = !clients.canReply(client);
  return mayBeBlocked;
}

} // namespace graphc::runtime
