// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/TaskDescription.h"

#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/format/FileHeader.h"
#include "runtime/target/DeviceTargets.h"

#include <sys/sysinfo.h>
#include <unistd.h>

namespace graphc::runtime {

namespace {
constexpr int64_t kMilli = 1'000'000;

uint64_t freeMemory() {
  struct sysinfo info{};
  if (sysinfo(&info) != 0)
    return 0;
  return (uint64_t(info.freeram) + info.bufferram) * info.mem_unit;
}
} // namespace

protocol::Reply::Description describeTask(const TaskOptions &options,
                                          const TaskHost &taskHost,
                                          int64_t startedAt,
                                          const StatusBoard &board,
                                          const std::string &plan) {
  protocol::Reply::Description text;
  const ClusterTask &task = options.cluster.task(options.self);
  text.set_task(task.name());
  text.set_incarnation(options.incarnation);
  text.set_up_ms((taskHost.nowNanos() - startedAt) / kMilli);
  text.set_protocol(kProtocolVersion);
  text.set_format_major(format::kFormatMajor);
  text.set_format_minor(format::kFormatMinor);
  StatusOr<CpuLevel> level = chooseLevel(detectCpuFeatures(), options.cpuLevel);
  text.set_cpu_level(level.isOk() ? cpuLevelName(*level) : "");
  const std::string device = "/job:" + task.job +
                             "/replica:0/task:" + std::to_string(task.index) +
                             "/device:";
  std::set<std::string> devices;
  for (const DeviceTarget *target : deviceTargets()) {
    std::string ofType = device + std::string(target->deviceType()) + ":";
    std::vector<DeviceFacts> found = target->listDevices();
    for (const DeviceFacts &facts : found)
      devices.insert(ofType + std::to_string(facts.number));
    if (!target->accelerator())
      continue;
    if (options.virtualGpus || (options.shareGpus && !found.empty()))
      devices.insert(ofType + "*");
    for (const DeviceFacts &facts : found)
      if (!options.virtualGpus)
        text.add_gpu_archs(facts.arch);
  }
  text.set_memory_bytes(freeMemory());
  text.set_clock_ms(taskHost.clockMillis());
  text.set_cluster_digest(options.cluster.digestText());
  for (const ClusterTask &other : options.cluster.tasks())
    text.add_addresses(other.name() + "=" + other.address);
  text.set_version("graphc " GRAPHC_VERSION);
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  text.set_host(host);
  text.set_plan_allowed(!options.allowedPlans);
  if (options.allowedPlans)
    text.mutable_allowed()->Assign(options.allowedPlans->begin(),
                                   options.allowedPlans->end());
  for (const StatusBoard::Plan &info : board.plans()) {
    text.add_plans(info.digest);
    devices.insert(info.devices.begin(), info.devices.end());
    if (info.digest != plan)
      continue;
    text.set_has_plan(true);
    text.set_plan_allowed(true);
    text.set_initialized(info.isInitialized);
    text.set_told(info.wasTold);
    text.set_values_lost(info.lost);
    text.mutable_next_steps()->insert(info.nextSteps.begin(),
                                      info.nextSteps.end());
    text.mutable_going()->Assign(info.going.begin(), info.going.end());
    text.set_data_digest(info.dataDigest);
  }
  text.mutable_devices()->Assign(devices.begin(), devices.end());
  return text;
}

} // namespace graphc::runtime
