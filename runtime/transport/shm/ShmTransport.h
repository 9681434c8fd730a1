// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory as a transport: between processes of one host, and between
// tasks of one process.
#ifndef GRAPHC_RUNTIME_TRANSPORT_SHM_SHMTRANSPORT_H
#define GRAPHC_RUNTIME_TRANSPORT_SHM_SHMTRANSPORT_H

#include "runtime/transport/Transport.h"

namespace graphc::runtime {

inline constexpr const char *kShmTransport = "shm";

/// Each end listens on a local socket. connect() waits for the peer, which
/// answers at once, on the calling thread: 300 ms at most.
TransportKind shmTransport();

/// Its ends find each other in this process: all tasks have the same kind, and
/// all ends are opened before the first one connects, and closed after the last
/// one has. Connections have the name "inproc".
TransportKind inprocShmTransport();

} // namespace graphc::runtime

#endif
