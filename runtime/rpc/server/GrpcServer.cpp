// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/GrpcServer.h"
#include "runtime/base/ThreadAnnotations.h"

#include "runtime/base/Clock.h"
#include "runtime/base/host/Cores.h"
#include "runtime/rpc/Channels.h"
#include "runtime/rpc/link/LinkDialer.h"
#include "runtime/rpc/server/Conversation.h"
#include "runtime/rpc/server/HealthService.h"
#include "runtime/rpc/server/IncomingCalls.h"
#include "runtime/rpc/server/Listen.h"
#include "runtime/rpc/server/PeerRoles.h"
#include "runtime/rpc/server/ReliefThread.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <thread>

namespace graphc::runtime {

namespace {

constexpr std::chrono::milliseconds kGoodbyeTime{500};
constexpr std::chrono::seconds kEndTime{10};
// gRPC collects a message before it looks at its size, so the limit of a
// message does not bound what calls take. The quota does: beyond it gRPC ends
// calls with RESOURCE_EXHAUSTED, whosever message it was (docs/security.md); it
// has no quota for a single connection. It is what this server's callers may
// need: a message of each client, and what is on its way from each task (the
// credit of a link, and packets that the task has not taken).
constexpr size_t kQuotaBytes = 32 << 20;
constexpr size_t kLinkQuotaBytes = 16 << 20;

} // namespace

struct GrpcServer::State {
  explicit State(const GrpcServerOptions &options) : options(options) {}

  GrpcServerOptions options;
  TaskAddress address;
  RawTaskService service;
  HealthService health;
  LiveCalls live;
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  std::unique_ptr<grpc::Server> server;
  grpc::ResourceQuota quota{"graphc-server"};
  std::optional<LinkDialer> dialer;
  ServiceHandler *handler = nullptr;
  ReliefThread relief;
  std::thread thread;

  mutable Mutex mutex;
  std::map<ClientId, std::shared_ptr<Conversation>>
      conversations GRAPHC_GUARDED_BY(mutex);
  std::vector<std::weak_ptr<LinkStream>> streams GRAPHC_GUARDED_BY(mutex);
  ClientId nextClient = 1; ///< of the thread that awaits the next one
  bool isStopping GRAPHC_GUARDED_BY(mutex) = false;

  void drain() {
    // The task's thread and a local client's wait eagerly, too: three such
    // threads need more than two cores.
    CompletionLoop loop(*queue, usableCores() > 3);
    while (loop.next(INT64_MAX) != CompletionLoop::Next::Shutdown) {
    }
  }
  /// When a client or a task has come or gone.
  void resizeQuota() GRAPHC_REQUIRES(mutex) {
    quota.Resize(kQuotaBytes + conversations.size() * kMaxMessageBytes +
                 streams.size() * kLinkQuotaBytes);
  }
  bool isTls() const { return options.credentials.isTls(); }
  /// The arrival of the next call of a kind, unless the server ends.
  template <typename Begin> void await(Begin begin) {
    MutexLock lock(mutex);
    if (!isStopping)
      begin();
  }
  template <typename Call, typename Request, typename Handle>
  void awaitUnary(Request request, Handle handle);
  void awaitDescribe();
  void awaitMeet();
  void awaitCheck();
  void awaitWatch();
  void awaitConverse();
  void awaitLink();
  void onConverse(const std::shared_ptr<Conversation> &conversation);
  void onLink(const std::shared_ptr<IncomingLink> &link);
  std::shared_ptr<Conversation> find(ClientId client) const;
};

template <typename Call, typename Request, typename Handle>
void GrpcServer::State::awaitUnary(Request request, Handle handle) {
  await([&] {
    auto call = std::make_shared<std::unique_ptr<Call>>(new Call);
    auto *arrival = new CallArrival([this, call, request, handle](bool isOk) {
      if (!isOk)
        return;
      awaitUnary<Call>(request, handle);
      (*call)->token = live.begin();
      if (!(*call)->token)
        return;
      Call *running = call->release(); // it deletes itself when finished
      running->finish(handle(*running));
    });
    request(**call, static_cast<CompletionEvent *>(arrival));
  });
}

void GrpcServer::State::awaitDescribe() {
  using Call =
      UnaryCall<protocol::Request::Describe, protocol::Reply::Description>;
  awaitUnary<Call>(
      [this](Call &call, void *tag) {
        service.RequestDescribe(&call.context, &call.request, &call.writer,
                                queue.get(), queue.get(), tag);
      },
      [this](Call &call) -> StatusOr<protocol::Reply::Description> {
        Roles roles = rolesOfCaller(call.context, isTls());
        if (!roles.isClient && !roles.isTask)
          return callerLacksRole(roles, "client");
        return handler->describe(call.request.plan());
      });
}

void GrpcServer::State::awaitMeet() {
  using Call = UnaryCall<Meeting, Greeting>;
  awaitUnary<Call>(
      [this](Call &call, void *tag) {
        service.RequestMeet(&call.context, &call.request, &call.writer,
                            queue.get(), queue.get(), tag);
      },
      [this](Call &call) -> StatusOr<Greeting> {
        Roles roles = rolesOfCaller(call.context, isTls());
        if (!roles.isTask)
          return callerLacksRole(roles, "task");
        return handler->meet(call.request);
      });
}

void GrpcServer::State::awaitCheck() {
  using Call = UnaryCall<HealthService::Question, HealthService::Answer>;
  awaitUnary<Call>(
      [this](Call &call, void *tag) {
        health.service().RequestCheck(&call.context, &call.request,
                                      &call.writer, queue.get(), queue.get(),
                                      tag);
      },
      [this](Call &call) { return health.check(call.request.service()); });
}

void GrpcServer::State::awaitWatch() {
  await([&] {
    auto watch = std::make_shared<HealthWatch>(health);
    auto *arrival = new CallArrival([this, watch](bool isOk) {
      if (!isOk)
        return watch->forget();
      awaitWatch();
      if (std::shared_ptr<void> token = live.begin())
        health.begin(watch, std::move(token));
    });
    watch->request(*queue, arrival);
  });
}

void GrpcServer::State::awaitConverse() {
  await([&] {
    auto conversation = std::make_shared<Conversation>(nextClient++, *handler,
                                                       ConversationLimits());
    auto *arrival = new CallArrival([this, conversation](bool isOk) {
      if (!isOk)
        return;
      awaitConverse();
      onConverse(conversation);
    });
    service.RequestConverse(&conversation->context(), &conversation->stream(),
                            queue.get(), queue.get(),
                            static_cast<CompletionEvent *>(arrival));
  });
}

void GrpcServer::State::onConverse(
    const std::shared_ptr<Conversation> &conversation) {
  std::shared_ptr<void> token = live.begin();
  if (!token)
    return;
  if (Roles roles = rolesOfCaller(conversation->context(), isTls());
      !roles.isClient)
    return conversation->refuse(callerLacksRole(roles, "client"),
                                std::move(token));
  {
    MutexLock lock(mutex);
    if (conversations.size() >= options.mostClients)
      return conversation->refuse(
          resourceExhausted("this task has " +
                            std::to_string(options.mostClients) +
                            " clients, which is all that it takes; close one, "
                            "or raise --clients"),
          std::move(token));
    conversations[conversation->id()] = conversation;
    resizeQuota();
  }
  ClientId client = conversation->id();
  conversation->begin([this, client, token = std::move(token)]() mutable {
    handler->onClientGone(client);
    {
      MutexLock lock(mutex);
      conversations.erase(client);
      resizeQuota();
    }
    token.reset();
  });
}

void GrpcServer::State::awaitLink() {
  await([&] {
    auto link = std::make_shared<IncomingLink>();
    auto *arrival = new CallArrival([this, link](bool isOk) {
      if (!isOk)
        return;
      awaitLink();
      link->token = live.begin();
      if (link->token)
        onLink(link);
    });
    service.RequestLink(&link->context, &link->stream, queue.get(), queue.get(),
                        static_cast<CompletionEvent *>(arrival));
  });
}

void GrpcServer::State::onLink(const std::shared_ptr<IncomingLink> &link) {
  if (Roles roles = rolesOfCaller(link->context, isTls()); !roles.isTask)
    return link->refuse(callerLacksRole(roles, "task"));
  StatusOr<Meeting> caller = link->caller();
  if (!caller.isOk())
    return link->refuse(caller.status());
  if (Status status = handler->acceptLink(*caller); !status.isOk())
    return link->refuse(status);
  std::shared_ptr<LinkStream> stream =
      link->accept(caller->task(), [this] { handler->wake(); });
  {
    MutexLock lock(mutex);
    std::erase_if(streams, [](auto &old) { return old.expired(); });
    streams.push_back(stream);
    resizeQuota();
  }
  handler->onLink(caller->task(),
                  std::make_unique<GrpcConnection>(std::move(stream)));
}

std::shared_ptr<Conversation> GrpcServer::State::find(ClientId client) const {
  MutexLock lock(mutex);
  auto found = conversations.find(client);
  return found == conversations.end() ? nullptr : found->second;
}

GrpcServer::GrpcServer() = default;

GrpcServer::~GrpcServer() { stop(cancelled("the task is ending")); }

StatusOr<std::unique_ptr<GrpcServer>>
GrpcServer::listen(const GrpcServerOptions &options) {
  prepareProcess();
  GRAPHC_TRY(checkCanListen(options.bind));
  std::unique_ptr<GrpcServer> server(new GrpcServer());
  server->state = std::make_unique<State>(options);
  State &state = *server->state;
  grpc::EnableDefaultHealthCheckService(false); // see HealthService
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  configure(builder);
  state.quota.Resize(kQuotaBytes);
  builder.SetResourceQuota(state.quota);
  int port = 0;
  builder.AddListeningPort(options.bind.toString(),
                           serverCredentials(options.credentials), &port);
  builder.RegisterService(&state.service);
  builder.RegisterService(&state.health.service());
  state.queue = builder.AddCompletionQueue();
  // The socket of a unix address is its owner's alone.
  mode_t oldMask = umask(0077);
  state.server = builder.BuildAndStart();
  umask(oldMask);
  if (!state.server || port == 0) {
    state.queue->Shutdown();
    GRAPHC_TRY(checkCanListen(options.bind)); // knows why, mostly
    return invalidArgument("cannot listen at " + options.bind.toString() +
                           (options.credentials.isTls()
                                ? "; or the certificates are broken"
                                : ""));
  }
  state.address = options.bind;
  if (!options.bind.isUnix())
    state.address.port = static_cast<uint16_t>(port);
  state.dialer.emplace(*state.queue, options.credentials, state.live);
  server->setReady(false);
  return server;
}

const TaskAddress &GrpcServer::address() const { return state->address; }

size_t GrpcServer::clients() const {
  MutexLock lock(state->mutex);
  return state->conversations.size();
}

void GrpcServer::start(ServiceHandler &handler) {
  state->handler = &handler;
  state->health.set("", true);
  state->awaitDescribe();
  state->awaitMeet();
  state->awaitCheck();
  state->awaitWatch();
  state->awaitConverse();
  state->awaitLink();
  state->thread = std::thread([this] { state->drain(); });
  state->relief.start(*state->queue,
                      [&handler] { return handler.helpingSince(); });
}

void GrpcServer::stop(const Status &why) {
  if (!state || !state->server)
    return;
  if (!state->thread.joinable()) // it was never started, but may have dialled
    state->thread = std::thread([this] { state->drain(); });
  std::map<ClientId, std::shared_ptr<Conversation>> conversations;
  std::vector<std::weak_ptr<LinkStream>> streams;
  {
    MutexLock lock(state->mutex);
    state->isStopping = true;
    conversations = state->conversations;
    streams = state->streams;
  }
  state->health.stop(why);
  for (auto &[client, conversation] : conversations)
    conversation->close(why);
  for (const std::weak_ptr<LinkStream> &old : streams)
    if (std::shared_ptr<LinkStream> stream = old.lock())
      stream->close(why);
  state->dialer->close(why);
  state->server->Shutdown(std::chrono::system_clock::now() + kGoodbyeTime);
  state->live.close();
  // Everything is cancelled, so what is left ends at once.
  state->live.waitForNone(kEndTime);
  state->relief.stop();
  state->queue->Shutdown();
  state->thread.join();
  state->server.reset();
}

void GrpcServer::setReady(bool isReady) {
  state->health.set(graphc::Task::service_full_name(), isReady);
}

bool GrpcServer::canReply(ClientId client) const {
  std::shared_ptr<Conversation> conversation = state->find(client);
  return conversation && conversation->canReply();
}

void GrpcServer::reply(ClientId client, protocol::Reply reply) {
  if (std::shared_ptr<Conversation> conversation = state->find(client))
    conversation->reply(reply);
}

void GrpcServer::dial(TaskId peer, const TaskAddress &address,
                      const Meeting &self, DialEvents events) {
  state->dialer->dial(peer, address, self, std::move(events));
}

void GrpcServer::openLink(TaskId peer, const TaskAddress &address,
                          const Meeting &self, DialEvents events) {
  state->dialer->open(peer, address, self, std::move(events));
}

} // namespace graphc::runtime
