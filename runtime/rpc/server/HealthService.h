// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports the health of a server and its services to orchestrators:
// grpc.health.v1.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_HEALTHSERVICE_H
#define GRAPHC_RUNTIME_RPC_SERVER_HEALTHSERVICE_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/rpc/CompletionLoop.h"
#include "runtime/rpc/StatusMap.h"
#include "runtime/rpc/health.grpc.pb.h"

#include <grpcpp/server_context.h>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace graphc::runtime {

class HealthWatch;

/// The statuses of services, and the calls that wait for them to change. gRPC's
/// own service for it has threads of its own, which look at the same
/// connections, so that each message of a client would wake one thread more;
/// this one lives on the server's queue. Thread-safety: any thread.
class HealthService {
public:
  using Answer = grpc::health::v1::HealthCheckResponse;
  using Question = grpc::health::v1::HealthCheckRequest;
  using AsyncService = grpc::health::v1::Health::AsyncService;
  static constexpr size_t kMaxWatches = 64;

  AsyncService &service() { return calls; }

  /// Of a service by its full name; "": of the server. A name that was never
  /// set is unknown.
  void set(const std::string &name, bool isServing);
  StatusOr<Answer> check(const std::string &name) const;

  /// A Watch call has come. `token` is kept until it is over.
  void begin(const std::shared_ptr<HealthWatch> &watch,
             std::shared_ptr<void> token);
  /// Nothing serves any more: watches are told so, and end with the reason.
  void stop(const Status &why);

private:
  friend class HealthWatch;
  Answer::ServingStatus find(const std::string &name) const
      GRAPHC_REQUIRES(mutex);

  AsyncService calls;
  mutable Mutex mutex; ///< also of the watches
  std::map<std::string, Answer::ServingStatus>
      statuses GRAPHC_GUARDED_BY(mutex);
  std::set<std::shared_ptr<HealthWatch>> watches GRAPHC_GUARDED_BY(mutex);
};

/// A Watch call. Lives until its last operation is over.
class HealthWatch final : public std::enable_shared_from_this<HealthWatch> {
public:
  explicit HealthWatch(HealthService &health);

  /// Awaits the call; `arrival` is completed when it has come, or never will.
  void request(grpc::ServerCompletionQueue &queue, CompletionEvent *arrival);
  /// It never will.
  void forget();

private:
  friend class HealthService;
  /// One kind of operation, of which one at a time is on its way.
  struct Operation final : CompletionEvent {
    void (HealthWatch::*done)() = nullptr;
    std::shared_ptr<HealthWatch> owner; ///< keeps it while on its way
    void complete(bool isOk) override;
  };

  void *start(Operation &operation);
  void onWritten();
  void onFinished() {}
  void onOver();
  void update() GRAPHC_REQUIRES(health.mutex);
  void finish(const Status &why) GRAPHC_REQUIRES(health.mutex);

  std::shared_ptr<void> token; ///< goes last
  HealthService &health;
  grpc::ServerContext context;
  HealthService::Question question;
  grpc::ServerAsyncWriter<HealthService::Answer> writer;
  Operation writing, finishing, over;
  HealthService::Answer sent GRAPHC_GUARDED_BY(health.mutex);
  bool hasSent GRAPHC_GUARDED_BY(health.mutex) = false;
  bool isWriting GRAPHC_GUARDED_BY(health.mutex) = false;
  bool isEnding GRAPHC_GUARDED_BY(health.mutex) = false;
  bool isOver GRAPHC_GUARDED_BY(health.mutex) = false;
  Status ending GRAPHC_GUARDED_BY(health.mutex);
};

} // namespace graphc::runtime

#endif
