// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves values from one process to another on this host and prints what it took
// as a line of JSON:
//
//   edge-bench ROUTE BYTES SECONDS [PLAN]
//
// BYTES up to 64: the median of one way, half of a round trip. Otherwise the
// bandwidth in one direction. The files of the routes say what they do.
#include "bench/edge/Task.h"

using namespace graphc::bench;

namespace {

struct Route {
  std::string_view name;
  void (*run)(const Task &);
  bool hasLatency;
};

constexpr Route kRoutes[] = {{"shm", runShm, true},
                             {"tcp", runTcp, true},
                             {"tcp-large", runTcp, true},
                             {"tcp-spin", runTcp, true},
                             {"grpc", runGrpc, false},
                             {"grpc-plain", runPlainGrpc, false},
                             {"grpc-plain-spin", runPlainGrpc, false}};

} // namespace

int main(int argc, char **argv) {
  Task task;
  bool isGrpc = argc == 5 && argv[1] == std::string_view("grpc");
  if (argc == 4 || isGrpc)
    task = {argv[1], std::strtoull(argv[2], nullptr, 10),
            std::strtod(argv[3], nullptr), isGrpc ? argv[4] : ""};
  auto route = std::ranges::find(kRoutes, task.route, &Route::name);
  if (route == std::end(kRoutes) || task.seconds <= 0 || task.bytes == 0 ||
      (task.route == "grpc") != isGrpc ||
      (task.isLatency() ? !route->hasLatency : task.bytes < kMinBandwidthBytes))
    fail("usage: edge-bench shm|tcp|tcp-large|tcp-spin|grpc-plain BYTES "
         "SECONDS, or edge-bench grpc BYTES SECONDS PLAN; BYTES from 65536, or "
         "up to 64 for shm and tcp");
  route->run(task);
  return 0;
}
