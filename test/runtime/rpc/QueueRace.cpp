// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives a value to the thread at a completion queue: `before` the operation
// begins, as everybody must, or `after`, which is a race that ThreadSanitizer
// has to see although gRPC itself is built without it.
#include "runtime/rpc/CompletionLoop.h"

#include <grpcpp/alarm.h>
#include <iostream>
#include <string_view>
#include <thread>

using namespace graphc::runtime;

namespace {

struct Gift final : CompletionEvent {
  int value = 0;
  void complete(bool) override { std::cout << "got " << value << "\n"; }
};

} // namespace

int main(int argc, char **argv) {
  bool isBefore = argc == 2 && std::string_view(argv[1]) == "before";
  grpc::CompletionQueue queue;
  Gift gift;
  std::thread taker([&] { CompletionLoop(queue).next(INT64_MAX); });
  if (isBefore)
    gift.value = 1;
  grpc::Alarm alarm;
  alarm.Set(&queue, gpr_now(GPR_CLOCK_MONOTONIC),
            static_cast<CompletionEvent *>(&gift));
  if (!isBefore)
    gift.value = 1;
  taker.join();
}
