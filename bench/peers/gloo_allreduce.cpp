// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All-reduce with gloo over TCP on this host, between processes that this
// program forks: gloo_allreduce PROCESSES FLOATS STEPS ALGORITHM FOLDER.
// ALGORITHM: ring, bcube, ring-chunked or halving-doubling. FOLDER is empty.
#include "Samples.h"

#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/barrier.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace graphc::bench;

namespace {

struct Options {
  int processes, steps;
  size_t floats;
  std::string algorithm, folder;
};

using ContextPtr = std::shared_ptr<gloo::rendezvous::Context>;

std::vector<double> timeOne(const ContextPtr &context, const Options &options,
                            std::vector<float> &values) {
  std::vector<float *> inputs = {values.data()};
  if (options.algorithm == "ring-chunked") {
    gloo::AllreduceRingChunked<float> algorithm(context, inputs,
                                                int(options.floats));
    return timeSteps(options.steps, [&] { algorithm.run(); });
  }
  if (options.algorithm == "halving-doubling") {
    gloo::AllreduceHalvingDoubling<float> algorithm(context, inputs,
                                                    int(options.floats));
    return timeSteps(options.steps, [&] { algorithm.run(); });
  }
  gloo::AllreduceOptions call(context);
  call.setOutput(values.data(), options.floats);
  call.setAlgorithm(options.algorithm == "bcube"
                        ? gloo::AllreduceOptions::Algorithm::BCUBE
                        : gloo::AllreduceOptions::Algorithm::RING);
  using Sum = void (*)(void *, const void *, const void *, size_t);
  call.setReduceFunction(Sum(&gloo::sum<float>));
  return timeSteps(options.steps, [&] { gloo::allreduce(call); });
}

void runRank(int rank, const Options &options) {
  gloo::transport::tcp::attr address;
  address.hostname = "127.0.0.1";
  auto device = gloo::transport::tcp::CreateDevice(address);
  gloo::rendezvous::FileStore store(options.folder);
  auto context =
      std::make_shared<gloo::rendezvous::Context>(rank, options.processes);
  context->connectFullMesh(store, device);
  // Small enough to stay finite over all steps.
  std::vector<float> values(options.floats, 0.0f);
  std::vector<double> micros = timeOne(context, options, values);
  if (rank == 0)
    printSamples(micros);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: gloo_allreduce PROCESSES FLOATS STEPS "
                         "ALGORITHM FOLDER\n");
    return 2;
  }
  Options options{std::stoi(argv[1]), std::stoi(argv[3]), std::stoul(argv[2]),
                  argv[4], argv[5]};
  for (int rank = 0; rank < options.processes; ++rank)
    if (fork() == 0) {
      try {
        runRank(rank, options);
      } catch (const std::exception &error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        _exit(1);
      }
      _exit(0);
    }
  int result = 0, status = 0;
  while (wait(&status) > 0)
    result |= status;
  return result == 0 ? 0 : 1;
}
