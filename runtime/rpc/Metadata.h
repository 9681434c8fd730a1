// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that both ends of a call use.
#ifndef GRAPHC_RUNTIME_RPC_METADATA_H
#define GRAPHC_RUNTIME_RPC_METADATA_H

namespace graphc::runtime {

/// Metadata of a Link call; the called task answers with kTaskKey, its own
/// number, when it takes the call. A conversation that is taken is answered
/// with kProtocolKey.
inline constexpr const char *kTaskKey = "graphc-task";
inline constexpr const char *kIncarnationKey = "graphc-incarnation";
inline constexpr const char *kClusterKey = "graphc-cluster";
inline constexpr const char *kProtocolKey = "graphc-protocol";
inline constexpr const char *kLinkMethod = "/graphc.Task/Link";

} // namespace graphc::runtime

#endif
