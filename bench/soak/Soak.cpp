// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients of servers whose memory run-soak looks at.
//
//   soak-bench steps PLAN ADDRESS WARM STEPS   the graph "step", WARM times and
//                                              then STEPS times
//   soak-bench failures PLAN ADDRESS WARM RUNS failing runs of the graph "fail"
//   soak-bench visits PLAN ADDRESS WARM RUNS   the same, each by a client that
//                                              comes for it and goes
//   soak-bench flood PLAN ADDRESS CLIENTS SECONDS
// All but `flood` print a line after each of the two parts and wait for one;
// `flood` prints one when the plan is loaded, waits, floods, and prints a line
// of JSON.
#include "bench/PlanClient.h"
#include "bench/soak/Flood.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/rpc/server/Conversation.h"
#include "runtime/state/GraphPorts.h"

#include <string_view>

using namespace graphc::bench;
using namespace graphc::runtime;

namespace {

constexpr int64_t kAtOnce = 100; ///< steps of a request

void waitForLine() {
  std::fflush(stdout);
  for (int c = 0; c != '\n' && c != EOF;)
    c = std::getchar();
}

void steps(const char *plan, const char *address, int64_t warm, int64_t count) {
  PlanClient client(plan, address);
  client.initialize();
  client.run.graph = "step";
  for (int64_t part : {warm, count}) {
    for (int64_t done = 0; done < part; done += kAtOnce)
      client.steps(std::min(kAtOnce, part - done));
    std::puts("done");
    waitForLine();
  }
}

/// A run whose step fails at one of the tasks.
void failOnce(PlanClient &client) {
  client.run.graph = "fail";
  Status status = client.trySteps(kAtOnce);
  if (status.code() == StatusCode::Aborted)
    return;
  std::fprintf(stderr, "soak-bench: the run was to fail, not: %s\n",
               status.toString().c_str());
  std::exit(1);
}

void failures(const char *plan, const char *address, int64_t warm,
              int64_t count, bool isVisit) {
  PlanClient client(plan, address);
  client.initialize();
  for (int64_t part : {warm, count}) {
    for (int64_t done = 0; done < part; ++done)
      if (isVisit) {
        PlanClient visitor(plan, address);
        failOnce(visitor);
      } else {
        failOnce(client);
      }
    std::puts("done");
    waitForLine();
  }
}

int flood(const char *plan, const char *address, size_t clients,
          double seconds) {
  PlanClient client(plan, address);
  auto model = Model::open(plan);
  if (!model.isOk())
    return 1;
  auto graph = findGraph(**model, "flood");
  auto feed = graph.isOk() ? findFeed(**graph, "x") : graph.status();
  if (!feed.isOk()) {
    std::fprintf(stderr, "soak-bench: %s\n", feed.status().toString().c_str());
    return 1;
  }
  size_t bytes = toTensorType(*(*feed)->type()).numBytes();
  std::puts("loaded");
  waitForLine();
  FloodResult result = graphc::bench::flood(
      address, planDigest(**model), bytes / sizeof(float), clients, seconds);
  std::printf("{\"requests\": %zu, \"replies\": %zu, \"ended\": %zu, "
              "\"feed_bytes\": %zu, \"client_bytes\": %zu}\n",
              result.requests, result.replies, result.ended, bytes,
              mostBytes(ConversationLimits()));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "steps" && argc == 6) {
    steps(argv[2], argv[3], std::atoll(argv[4]), std::atoll(argv[5]));
    return 0;
  }
  if ((mode == "failures" || mode == "visits") && argc == 6) {
    failures(argv[2], argv[3], std::atoll(argv[4]), std::atoll(argv[5]),
             mode == "visits");
    return 0;
  }
  if (mode == "flood" && argc == 6)
    return flood(argv[2], argv[3], size_t(std::atoll(argv[4])),
                 std::atof(argv[5]));
  std::fprintf(stderr, "usage: soak-bench steps|failures|visits PLAN ADDRESS "
                       "WARM COUNT | "
                       "flood PLAN ADDRESS CLIENTS SECONDS\n");
  return 2;
}
