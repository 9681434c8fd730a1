// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A null step on a remote task beside a bare gRPC call; run-rpc starts the
// sides.
//
//   rpc-bench call ADDRESS SECONDS         bare unary calls
//   rpc-bench steps MODEL ADDRESS SECONDS  steps one by one, then 1,000 at once
//   rpc-bench serve                        the other side of `call`
// Each prints one line of JSON; `serve` prints its port and waits for the end
// of its input.
#include "bench/PlanClient.h"
#include "runtime/rpc/service.grpc.pb.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <grpcpp/create_channel.h>
#include <grpcpp/server_builder.h>
#include <vector>

using namespace graphc::runtime;

namespace {

constexpr int64_t kSecond = 1'000'000'000;

double medianMicros(std::vector<int64_t> nanos) {
  std::nth_element(nanos.begin(), nanos.begin() + nanos.size() / 2,
                   nanos.end());
  return nanos[nanos.size() / 2] / 1e3;
}

/// Repeats `step` for some time; the median in microseconds.
template <typename Step> double measure(double seconds, Step step) {
  for (int i = 0; i < 200; ++i)
    step();
  std::vector<int64_t> nanos;
  int64_t end = nowNanos() + static_cast<int64_t>(seconds * kSecond);
  while (nowNanos() < end) {
    int64_t begin = nowNanos();
    step();
    nanos.push_back(nowNanos() - begin);
  }
  return medianMicros(std::move(nanos));
}

[[noreturn]] void fail(const Status &status) {
  std::fprintf(stderr, "rpc-bench: %s\n", status.toString().c_str());
  std::exit(1);
}

/// Answers with an empty message: what gRPC itself costs.
class BareService final : public graphc::Task::Service {
  grpc::Status Meet(grpc::ServerContext *, const graphc::Meeting *,
                    graphc::Greeting *) override {
    return grpc::Status::OK;
  }
};

int serve() {
  BareService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("localhost:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  std::printf("%d\n", port);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  server->Shutdown(std::chrono::system_clock::now());
  return 0;
}

int call(const char *address, double seconds) {
  auto stub = graphc::Task::NewStub(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  double micros = measure(seconds, [&] {
    grpc::ClientContext context;
    graphc::Meeting request;
    graphc::Greeting answer;
    if (!stub->Meet(&context, request, &answer).ok())
      fail(unavailable("the bare server does not answer"));
  });
  std::printf("{\"call_us\": %.2f}\n", micros);
  return 0;
}

int steps(const char *plan, const char *target, double seconds) {
  graphc::bench::PlanClient client(plan, target);
  client.run.graph = "null";
  const std::vector<float> value = {1};
  client.run.feeds = {{"x", HostTensor::of<float>({}, value)}};
  constexpr int64_t kMany = 1000;
  double one = measure(
      seconds, [&] { client.steps(1); });
  double many = measure(seconds, [&] { client.steps(kMany); }) / kMany;
  std::printf("{\"step_us\": %.2f, \"of_1000_us\": %.3f}\n", one, many);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "serve")
    return serve();
  if (mode == "call" && argc == 4)
    return call(argv[2], std::atof(argv[3]));
  if (mode == "steps" && argc == 5)
    return steps(argv[2], argv[3], std::atof(argv[4]));
  std::fprintf(stderr, "usage: rpc-bench serve | call ADDRESS SECONDS | "
                       "steps MODEL ADDRESS SECONDS\n");
  return 2;
}
