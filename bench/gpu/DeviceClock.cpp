// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/gpu/DeviceClock.h"

#include <algorithm>
#include <cmath>

namespace graphc::bench {

using namespace runtime;

/// A graph of some repetitions, and what each took.
struct DeviceClock::Repeated {
  Repeated(const CudaDevice &device, int repeats)
      : device(device), repeats(repeats) {}
  Repeated(Repeated &&other) noexcept
      : device(other.device), repeats(other.repeats),
        exec(std::exchange(other.exec, nullptr)),
        seconds(std::move(other.seconds)) {}
  ~Repeated() {
    if (exec)
      device.api().graphExecDestroy(exec);
  }

  const CudaDevice &device;
  int repeats;
  cuda::GraphExec exec = nullptr;
  std::vector<double> seconds;
};

StatusOr<SharedLibrary> openDriver() {
  return SharedLibrary::open("the CUDA driver", "GRAPHC_CUDA_DRIVER",
                             {"libcuda.so.1"});
}

StatusOr<std::unique_ptr<DeviceClock>>
DeviceClock::create(const CudaDevice &device, const Effort &effort) {
  std::unique_ptr<DeviceClock> clock(new DeviceClock(device, effort));
  GRAPHC_ASSIGN_OR_RETURN(SharedLibrary driver, openDriver());
  GRAPHC_TRY(driver.find("cuEventElapsedTime", clock->elapsedTime));
  GRAPHC_TRY(device.makeCurrent());
  for (cuda::Event *event : {&clock->begin, &clock->end})
    GRAPHC_TRY(
        device.check(device.api().eventCreate(event, 0), "making an event"));
  return clock;
}

DeviceClock::~DeviceClock() {
  for (cuda::Event event : {begin, end})
    if (event && device.makeCurrent().isOk())
      device.api().eventDestroy(event);
}

StatusOr<DeviceClock::Repeated>
DeviceClock::repeat(cuda::Stream queue, const Work &work, int repeats) {
  const CudaApi &api = device.api();
  Repeated made(device, repeats);
  GRAPHC_TRY(device.check(
      api.streamBeginCapture(queue, cuda::kCaptureThreadLocal), "a capture"));
  Status status = Status::ok();
  for (int i = 0; i < repeats && status.isOk(); ++i)
    status = work(queue);
  cuda::Graph graph = nullptr;
  Status ended = device.check(api.streamEndCapture(queue, &graph), "a capture");
  GRAPHC_TRY(status);
  GRAPHC_TRY(ended);
  ended = device.check(api.graphInstantiate(&made.exec, graph, 0), "a graph");
  api.graphDestroy(graph);
  GRAPHC_TRY(ended);
  return made;
}

StatusOr<double> DeviceClock::time(cuda::Stream queue, cuda::GraphExec graph) {
  const CudaApi &api = device.api();
  for (cuda::Result result :
       {api.eventRecord(begin, queue), api.graphLaunch(graph, queue),
        api.eventRecord(end, queue), api.eventSynchronize(end)})
    GRAPHC_TRY(device.check(result, "measured work"));
  float milliseconds = 0;
  GRAPHC_TRY(device.check(elapsedTime(&milliseconds, begin, end), "a clock"));
  return static_cast<double>(milliseconds) * 1e-3;
}

StatusOr<std::vector<double>>
DeviceClock::measure(cuda::Stream queue, const std::vector<Work> &works) {
  GRAPHC_TRY(device.makeCurrent());
  std::vector<Repeated> all;
  for (const Work &work : works) {
    // The first time is slower: clocks go up, and code is loaded, which had
    // better not happen within a capture.
    GRAPHC_TRY(work(queue));
    GRAPHC_TRY(device.check(device.api().streamSynchronize(queue), "the work"));
    GRAPHC_ASSIGN_OR_RETURN(Repeated single, repeat(queue, work, 1));
    GRAPHC_TRY(time(queue, single.exec).status());
    GRAPHC_ASSIGN_OR_RETURN(double once, time(queue, single.exec));
    double wanted = std::ceil(effort.seconds / std::max(once, 1e-7));
    int repeats = static_cast<int>(
        std::clamp(wanted, 1.0, static_cast<double>(effort.mostRepeats)));
    GRAPHC_ASSIGN_OR_RETURN(Repeated made, repeat(queue, work, repeats));
    all.push_back(std::move(made));
  }
  for (int sample = 0; sample < effort.samples; ++sample)
    for (Repeated &each : all) {
      GRAPHC_ASSIGN_OR_RETURN(double seconds, time(queue, each.exec));
      each.seconds.push_back(seconds / each.repeats);
    }
  std::vector<double> medians;
  for (Repeated &each : all) {
    auto middle = each.seconds.begin() +
                  static_cast<std::ptrdiff_t>(each.seconds.size() / 2);
    std::nth_element(each.seconds.begin(), middle, each.seconds.end());
    medians.push_back(*middle);
  }
  return medians;
}

} // namespace graphc::bench
