// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of --route.
#ifndef GRAPHC_TOOLS_FLAGS_ROUTE_H
#define GRAPHC_TOOLS_FLAGS_ROUTE_H

#include "runtime/rpc/server/GrpcTask.h"
#include "tools/flags/FlagValues.h"

namespace graphc::flags {

/// INVALID_ARGUMENT lists the routes.
inline runtime::StatusOr<runtime::Route> parseRoute(const std::string &text) {
  constexpr std::pair<std::string_view, runtime::Route> kRoutes[] = {
      {"auto", runtime::Route::Auto},
      {"shm", runtime::Route::Shm},
      {"grpc", runtime::Route::Grpc}};
  return parseChoice("--route", text, kRoutes);
}

} // namespace graphc::flags

#endif
