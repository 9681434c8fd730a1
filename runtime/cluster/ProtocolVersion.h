// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Version of what tasks and clients send each other: frames and messages.
#ifndef GRAPHC_RUNTIME_CLUSTER_PROTOCOLVERSION_H
#define GRAPHC_RUNTIME_CLUSTER_PROTOCOLVERSION_H

#include <cstdint>

namespace graphc::runtime {

/// Tasks and clients with different versions refuse each other.
inline constexpr uint32_t kProtocolVersion = 2;

} // namespace graphc::runtime

#endif
