// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures as messages carry them.
#ifndef GRAPHC_RUNTIME_PROTOCOL_TASKFAILURE_H
#define GRAPHC_RUNTIME_PROTOCOL_TASKFAILURE_H

#include "runtime/base/Status.h"
#include "runtime/protocol/cluster.pb.h"

#include <string_view>

namespace graphc::runtime {

/// A failure whose first cause is at `task`.
protocol::Failure toFailure(const Status &status, std::string_view task);

/// "/job:ps/task:0: <message>"; a code that is none becomes UNKNOWN. The text
/// of a peer is cut where it is too long for a person, and control characters
/// are escaped.
Status toStatus(const protocol::Failure &failure);

/// A failure of a peer or a client as it may be passed on: bounded in size.
protocol::Failure boundedFailure(const protocol::Failure &failure);

} // namespace graphc::runtime

#endif
