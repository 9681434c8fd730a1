// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/link/LinkDialer.h"

#include "runtime/rpc/Channels.h"
#include "runtime/rpc/Metadata.h"
#include "runtime/rpc/StatusMap.h"
#include "runtime/rpc/server/PeerRoles.h"

#include <grpcpp/generic/generic_stub.h>

namespace graphc::runtime {

namespace {

/// A task that is there answers at once.
constexpr std::chrono::seconds kAnswerTime{3};

Status stopping() { return cancelled("this task is ending"); }

} // namespace

/// The question who the task is.
struct LinkDialer::Dial final : CompletionEvent {
  LinkDialer *dialer;
  std::shared_ptr<void> token;
  std::shared_ptr<grpc::Channel> channel;
  grpc::ClientContext context;
  Meeting self;
  Greeting greeting;
  grpc::Status status;
  DialEvents events;
  std::unique_ptr<graphc::Task::Stub> stub;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Greeting>> call;

  void complete(bool) override {
    std::unique_ptr<Dial> owner(this);
    dialer->remove(context);
    if (!status.ok())
      return events.onFailure(fromGrpc(status));
    if (Status role = dialer->checkRole(context); !role.isOk())
      return events.onFailure(role);
    StatusOr<bool> wantsStream = events.onGreeting(greeting);
    if (!wantsStream.isOk())
      events.onFailure(wantsStream.status());
    else if (*wantsStream)
      dialer->open(channel, self, std::move(events));
  }
};

/// The caller's end of a stream. Keeps itself until it is over.
struct LinkDialer::OutgoingLink final
    : std::enable_shared_from_this<OutgoingLink> {
  struct Step final : CompletionEvent {
    void (OutgoingLink::*done)(bool isOk) = nullptr;
    std::shared_ptr<OutgoingLink> owner;
    void complete(bool isOk) override {
      std::shared_ptr<OutgoingLink> self = std::move(owner);
      ((*self).*done)(isOk);
    }
  };

  LinkDialer *dialer;
  std::shared_ptr<void> token;
  grpc::GenericStub stub;
  grpc::ClientContext context;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
  DialEvents events;
  grpc::Status status;
  Status refusal; ///< of the called side, by this one
  bool isOpen = false;
  Step starting, greeting, finishing;

  explicit OutgoingLink(const std::shared_ptr<grpc::Channel> &channel)
      : stub(channel) {
    starting.done = &OutgoingLink::onStarted;
    greeting.done = &OutgoingLink::onGreeted;
    finishing.done = &OutgoingLink::onFinished;
  }

  void *start(Step &step) {
    step.owner = shared_from_this();
    return static_cast<CompletionEvent *>(&step);
  }
  void onStarted(bool isOk) {
    if (!isOk)
      return finish();
    call->ReadInitialMetadata(start(greeting));
  }
  void onGreeted(bool isOk) {
    // Only who accepts sends this key; who refuses sends its reason alone.
    if (!isOk || !context.GetServerInitialMetadata().count(kTaskKey))
      return finish();
    // It may be another process than the one that answered before.
    refusal = dialer->checkRole(context);
    if (!refusal.isOk()) {
      context.TryCancel();
      return finish();
    }
    isOpen = true;
    std::shared_ptr<OutgoingLink> self = shared_from_this();
    auto stream = std::make_shared<LinkStream>(
        LinkStream::Call{self, call.get(), call.get(),
                         [this] { context.TryCancel(); }, [this] { finish(); }},
        events.wake);
    {
      MutexLock lock(dialer->mutex);
      std::erase_if(dialer->streams, [](auto &old) { return old.expired(); });
      dialer->streams.push_back(stream);
      if (dialer->isClosed)
        stream->close(stopping());
    }
    // From here on it may end, on another thread, and clear the events.
    auto onConnection = std::move(events.onConnection);
    stream->begin();
    onConnection(std::make_unique<GrpcConnection>(std::move(stream)));
  }
  void finish() { call->Finish(&status, start(finishing)); }
  void onFinished(bool) {
    dialer->remove(context);
    if (!isOpen)
      events.onFailure(!refusal.isOk() ? refusal
                       : status.ok()   ? unavailable("the task ended the call")
                                       : fromGrpc(status));
    events = {};
    token.reset();
  }
};

std::shared_ptr<grpc::Channel>
LinkDialer::channelTo(TaskId peer, const TaskAddress &address) {
  MutexLock lock(mutex);
  auto &[text, channel] = channels[peer];
  if (!channel || text != address.toString()) {
    text = address.toString();
    channel = makeChannel(address, credentials);
  }
  return channel;
}

Status LinkDialer::checkRole(const grpc::ClientContext &context) const {
  return checkServerRole(context, credentials.isTls());
}

bool LinkDialer::add(grpc::ClientContext &context) {
  MutexLock lock(mutex);
  if (!isClosed)
    contexts.insert(&context);
  return !isClosed;
}

void LinkDialer::remove(grpc::ClientContext &context) {
  MutexLock lock(mutex);
  contexts.erase(&context);
}

void LinkDialer::dial(TaskId peer, const TaskAddress &address,
                      const Meeting &self, DialEvents events) {
  auto dial = std::make_unique<Dial>();
  dial->dialer = this;
  dial->token = live.begin();
  if (!dial->token || !add(dial->context))
    return events.onFailure(stopping());
  dial->channel = channelTo(peer, address);
  dial->self = self;
  dial->events = std::move(events);
  dial->context.set_deadline(std::chrono::system_clock::now() + kAnswerTime);
  dial->stub = graphc::Task::NewStub(dial->channel);
  dial->call = dial->stub->AsyncMeet(&dial->context, self, &queue);
  Dial *released = dial.release(); // complete() deletes it
  released->call->Finish(&released->greeting, &released->status,
                         static_cast<CompletionEvent *>(released));
}

void LinkDialer::open(const std::shared_ptr<grpc::Channel> &channel,
                      const Meeting &self, DialEvents events) {
  auto link = std::make_shared<OutgoingLink>(channel);
  link->dialer = this;
  link->token = live.begin();
  if (!link->token || !add(link->context))
    return events.onFailure(stopping());
  link->events = std::move(events);
  link->context.AddMetadata(kTaskKey, std::to_string(self.task()));
  link->context.AddMetadata(kIncarnationKey,
                            std::to_string(self.incarnation()));
  link->context.AddMetadata(kClusterKey, std::to_string(self.cluster_digest()));
  link->context.AddMetadata(kProtocolKey, std::to_string(self.protocol()));
  link->call = link->stub.PrepareCall(&link->context, kLinkMethod, &queue);
  link->call->StartCall(link->start(link->starting));
}

void LinkDialer::close(const Status &why) {
  std::vector<std::weak_ptr<LinkStream>> all;
  {
    MutexLock lock(mutex);
    isClosed = true;
    all = streams;
    for (grpc::ClientContext *context : contexts)
      context->TryCancel();
  }
  for (const std::weak_ptr<LinkStream> &old : all)
    if (std::shared_ptr<LinkStream> stream = old.lock())
      stream->close(why);
}

} // namespace graphc::runtime
