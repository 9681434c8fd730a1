// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// records-bench FILES BATCH SHUFFLE SECONDS [SIZE [THREADS]]: batches of images and
// labels, 28x28x1 or SIZExSIZEx3, on this thread or made ahead by others: examples
// per second, and the most memory that the process had.
#include "runtime/base/Clock.h"
#include "runtime/data/TableSource.h"

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

int main(int argc, char **argv) {
  using namespace graphc::runtime;
  if (argc < 5 || argc > 7) {
    std::fprintf(stderr, "use: records-bench FILES BATCH SHUFFLE SECONDS "
                         "[SIZE [THREADS]]\n");
    return 2;
  }
  DatasetSpec spec;
  spec.name = "images";
  int64_t size = argc >= 6 ? std::atoll(argv[5]) : 28;
  TensorType image{DType::UInt8, {size, size, size == 28 ? 1 : 3}};
  spec.fields = {{"image", image}, {"label", {DType::Int64, {}}}};
  spec.batch = std::atoll(argv[2]);
  spec.shuffleBuffer = std::atoll(argv[3]);
  spec.repeat = 0;
  int64_t seconds = std::atoll(argv[4]);
  // Opening is part of what is measured: tf.data opens in each pass, too.
  int64_t begin = nowNanos(), count = 0;
  spec.readerThreads = argc == 7 ? std::atoll(argv[6]) : 0;
  auto source = argc == 7 ? openDataset(spec, argv[1], 1)
                          : TableSource::open(spec, argv[1], 1);
  if (!source.isOk()) {
    std::fprintf(stderr, "records-bench: %s\n",
                 source.status().message().c_str());
    return 1;
  }
  std::vector<std::byte> images(static_cast<size_t>(spec.batch) *
                                image.numBytes());
  std::vector<std::byte> labels(static_cast<size_t>(spec.batch) * 8);
  std::byte *places[] = {images.data(), labels.data()};
  while (nowNanos() - begin < seconds * 1'000'000'000) {
    Status status = (*source)->next(places);
    if (!status.isOk()) {
      std::fprintf(stderr, "records-bench: %s\n", status.message().c_str());
      return 1;
    }
    count += spec.batch;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("%.0f examples/s, %lld examples in a pass, %ld KiB of memory\n",
              static_cast<double>(count) * 1e9 /
                  static_cast<double>(nowNanos() - begin),
              static_cast<long long>((*source)->examples()), usage.ru_maxrss);
  return 0;
}
