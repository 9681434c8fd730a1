// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of the floor programs, and their clock.
#include "bench/floor/Step.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace graphc::bench {

namespace {

constexpr int kWarmUpSteps = 5;

struct Settings {
  int64_t steps = 200;
  int threads = 2;
  bool parts = false;
};

/// Reads `--NAME=NUMBER` with a number from 1.
bool readNumber(const char *argument, const char *name, int64_t &number) {
  const size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0)
    return false;
  char *end = nullptr;
  const long long value = std::strtoll(argument + length, &end, 10);
  if (end == argument + length || *end != '\0' || value < 1)
    return false;
  number = value;
  return true;
}

bool readSettings(int argc, char **argv, Settings &settings) {
  int64_t threads = settings.threads;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--parts") == 0)
      settings.parts = true;
    else if (!readNumber(argv[i], "--steps=", settings.steps) &&
             !readNumber(argv[i], "--threads=", threads)) {
      std::fprintf(stderr,
                   "%s: '%s' is not understood; options are --steps=N, "
                   "--threads=N (numbers from 1) and --parts\n",
                   argv[0], argv[i]);
      return false;
    }
  }
  settings.threads = int(threads);
  return true;
}

double microseconds(const std::function<void()> &work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

/// Prints the best time of each part, to see where a step spends it.
void printParts(const Step &step) {
  constexpr int kRounds = 50;
  for (const Step::Part &part : step.parts) {
    double best = microseconds(part.run);
    for (int round = 1; round < kRounds; ++round)
      best = std::min(best, microseconds(part.run));
    std::fprintf(stderr, "%9.1f us  %s\n", best, part.name.c_str());
  }
}

} // namespace

int benchmark(const char *name, int64_t batch, int argc, char **argv,
              const std::function<void(Step &)> &build) {
  Settings settings;
  if (!readSettings(argc, argv, settings))
    return 2;
  omp_set_num_threads(settings.threads);

  Step step;
  build(step);
  step.run();
  const float firstLoss = step.loss;
  for (int i = 1; i < kWarmUpSteps; ++i)
    step.run();

  std::vector<double> times(settings.steps);
  for (double &time : times)
    time = microseconds([&] { step.run(); });
  const float lastLoss = step.loss;
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("{\"name\": \"%s\", \"threads\": %d, \"batch\": %lld, "
              "\"steps\": %lld, \"median_us\": %.1f, \"min_us\": %.1f, "
              "\"examples_per_second\": %.0f, \"first_loss\": %.4f, "
              "\"last_loss\": %.4f}\n",
              name, settings.threads, static_cast<long long>(batch),
              static_cast<long long>(settings.steps), median, times.front(),
              double(batch) * 1e6 / median, firstLoss, lastLoss);
  if (settings.parts)
    printParts(step);
  return 0;
}

} // namespace graphc::bench
