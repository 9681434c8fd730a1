// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A way to reach other tasks. A new one is a folder that implements Transport
// and makes a TransportKind, and one line in a list of kinds: taskTransports()
// of runtime/rpc/server for processes, LocalClusterOptions for tasks of one
// process.
#ifndef GRAPHC_RUNTIME_TRANSPORT_TRANSPORT_H
#define GRAPHC_RUNTIME_TRANSPORT_TRANSPORT_H

#include "runtime/cluster/TaskId.h"
#include "runtime/transport/Doorbell.h"
#include "runtime/transport/PolledConnection.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A peer, as its answer to a handshake describes it.
struct PeerAddress {
  TaskId task = kNoTask;
  std::string name; ///< for people: "/job:worker/task:1"
  std::string host; ///< processes with the same can share memory
  /// Addresses of the peer's transports, by name.
  std::map<std::string, std::string> addresses;

  /// Empty: the peer does not offer that transport.
  std::string of(const std::string &transport) const {
    auto found = addresses.find(transport);
    return found == addresses.end() ? "" : found->second;
  }
};

/// Interface of the task that a transport serves; all outlives it.
struct TransportHost {
  TaskId self = kNoTask;
  std::string host; ///< see PeerAddress
  /// Rung when a sleeping task has something to poll.
  std::shared_ptr<Doorbell> doorbell;
  /// A peer has connected. Any thread. That the peer is who it claims to be,
  /// the link's handshake checks.
  std::function<void(TaskId peer, std::unique_ptr<PolledConnection> connection)>
      onConnection;
};

/// One end of a transport at a task. Its connections carry packets, put and get
/// (see Connection). Thread-safety: any thread. Ends with its last use: `done`
/// of connect() is not called any more after the destruction.
class Transport {
public:
  virtual ~Transport() = default;

  /// Address that peers connect to; empty: this task only connects.
  virtual std::string address() const { return {}; }
  /// True when the peer can be reached; why not, for people. Returns at once.
  virtual Status probe(const PeerAddress &peer) const = 0;
  /// Called once, on any thread, be it during connect().
  using Done = std::function<void(StatusOr<std::unique_ptr<PolledConnection>>)>;
  virtual void connect(const PeerAddress &peer, Done done) = 0;
};

/// A transport that tasks may have.
struct TransportKind {
  std::string name; ///< "shm", "grpc"
  std::function<StatusOr<std::unique_ptr<Transport>>(const TransportHost &)>
      open;
};
/// In the order in which they are tried.
using TransportKinds = std::vector<TransportKind>;

/// The transports of one task. Thread-safety: any thread.
class TransportSet {
public:
  static StatusOr<std::unique_ptr<TransportSet>>
  open(const TransportKinds &kinds, const TransportHost &host);

  /// For this task's answer to a handshake, by name.
  std::map<std::string, std::string> addresses() const;
  bool contains(const std::string &name) const;
  /// Connects by the first transport that reaches the peer; where that fails,
  /// by the next one. The failure is that of the last one.
  void connect(PeerAddress peer, Transport::Done done) const;

private:
  struct Attempt;
  TransportSet() = default;
  void attempt(size_t index, const std::shared_ptr<Attempt> &attempt) const;

  std::vector<std::pair<std::string, std::unique_ptr<Transport>>> transports;
};

} // namespace graphc::runtime

#endif
