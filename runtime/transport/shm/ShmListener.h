// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Listens for tasks on the same host, to share memory with them.
#ifndef GRAPHC_RUNTIME_TRANSPORT_SHM_SHMLISTENER_H
#define GRAPHC_RUNTIME_TRANSPORT_SHM_SHMLISTENER_H

#include "runtime/cluster/TaskId.h"
#include "runtime/transport/Doorbell.h"
#include "runtime/transport/PolledConnection.h"

#include <functional>
#include <memory>
#include <string>

namespace graphc::runtime {

/// Waits on a thread of its own for peers that dial, on a local socket that
/// belongs to no folder and vanishes with the process. Thread-safety: any
/// thread.
class ShmListener {
public:
  /// `onConnection` is called on the listener's thread, and `peer` is what the
  /// dialer claims to be: the link's handshake checks it.
  using OnConnection = std::function<void(
      TaskId peer, std::unique_ptr<PolledConnection> connection)>;
  static StatusOr<std::unique_ptr<ShmListener>>
  start(TaskId self, std::shared_ptr<Doorbell> bell, OnConnection onConnection);
  /// onConnection is not called any more.
  ~ShmListener();

  /// For dialShm() of processes on this host.
  const std::string &address() const;

private:
  struct State;
  ShmListener();
  std::unique_ptr<State> state;
};

/// Connects with the listener of a peer; waits for it, but not past
/// `untilNanos` (nowNanos()). UNAVAILABLE: nobody is there;
/// FAILED_PRECONDITION: another task listens there.
StatusOr<std::unique_ptr<PolledConnection>>
dialShm(const std::string &address, TaskId self, TaskId peer,
        const std::shared_ptr<Doorbell> &bell, int64_t untilNanos);

} // namespace graphc::runtime

#endif
