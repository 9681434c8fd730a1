// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/IncomingCalls.h"

#include "runtime/rpc/Metadata.h"

#include <charconv>

namespace graphc::runtime {

namespace {

template <typename T>
Status readNumber(const grpc::ServerContext &context, const char *key,
                  T &value) {
  auto found = context.client_metadata().find(key);
  if (found == context.client_metadata().end())
    return invalidArgument(std::string("the call has no metadata '") + key +
                           "'");
  const char *begin = found->second.data();
  const char *end = begin + found->second.size();
  auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end)
    return invalidArgument(std::string("the call's metadata '") + key +
                           "' are no number");
  return Status::ok();
}

} // namespace

IncomingLink::IncomingLink() {
  greeting.done = &IncomingLink::onGreeted;
  finishing.done = &IncomingLink::onFinished;
}

void IncomingLink::Step::complete(bool) {
  std::shared_ptr<IncomingLink> self = std::move(owner);
  ((*self).*done)();
}

void *IncomingLink::start(Step &step) {
  step.owner = shared_from_this();
  return static_cast<CompletionEvent *>(&step);
}

StatusOr<Meeting> IncomingLink::caller() const {
  uint32_t task = 0, protocol = 0;
  uint64_t incarnation = 0, cluster = 0;
  GRAPHC_TRY(readNumber(context, kTaskKey, task));
  GRAPHC_TRY(readNumber(context, kIncarnationKey, incarnation));
  GRAPHC_TRY(readNumber(context, kClusterKey, cluster));
  GRAPHC_TRY(readNumber(context, kProtocolKey, protocol));
  Meeting meeting;
  meeting.set_task(task);
  meeting.set_incarnation(incarnation);
  meeting.set_cluster_digest(cluster);
  meeting.set_protocol(protocol);
  return meeting;
}

void IncomingLink::refuse(const Status &why) {
  stream.Finish(toGrpc(why), start(finishing));
}

std::shared_ptr<LinkStream> IncomingLink::accept(TaskId self,
                                                 std::function<void()> wake) {
  context.AddInitialMetadata(kTaskKey, std::to_string(self));
  packets = std::make_shared<LinkStream>(
      LinkStream::Call{
          shared_from_this(), &stream, &stream, [this] { context.TryCancel(); },
          [this] { stream.Finish(grpc::Status::CANCELLED, start(finishing)); }},
      std::move(wake));
  // The stream's first write carries the metadata, too; here they go alone,
  // since the caller waits for them.
  stream.SendInitialMetadata(start(greeting));
  return packets;
}

void IncomingLink::onGreeted() {
  std::shared_ptr<LinkStream> opened = std::move(packets);
  opened->begin();
}

void IncomingLink::onFinished() { token.reset(); }

} // namespace graphc::runtime
