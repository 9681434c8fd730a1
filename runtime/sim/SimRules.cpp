// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sim/SimRules.h"

#include <algorithm>

using namespace graphc::runtime;

namespace {
/// After a partition the next attempt to connect may be so late.
constexpr int64_t kMaxDialNanos = 500'000'000;
} // namespace

bool graphc::runtime::mayEndRun(const Fault &fault,
                                const SimulationOptions &options) {
  const LinkOptions &links = options.links;
  switch (fault.kind) {
  case Fault::Kind::Crash:
    return true;
  case Fault::Kind::Slow:
    return false;
  case Fault::Kind::Cut:
    // A conversation with a client is not taken up again.
    return fault.a == kClientEnd || fault.b == kClientEnd ||
           fault.forNanos + 200'000'000 >= links.reconnectNanos;
  case Fault::Kind::Stop:
  case Fault::Kind::Partition:
    return fault.forNanos >=
           std::min(links.silenceNanos - 2 * links.heartbeatNanos,
                    options.keepaliveNanos);
  }
  return true;
}

std::vector<std::string>
graphc::runtime::checkCause(const Status &failure,
                            const std::vector<Simulation::Happened> &happened,
                            const SimulationOptions &options) {
  std::vector<std::string> violations;
  if (failure.isOk())
    return violations;
  std::vector<Fault> causes;
  int64_t together = 0; // one after the other they may be too long, too
  for (const Simulation::Happened &fault : happened) {
    if (mayEndRun(fault.fault, options))
      causes.push_back(fault.fault);
    if (fault.fault.kind != Fault::Kind::Slow)
      together += fault.fault.forNanos + kMaxDialNanos;
  }
  std::string text = failure.toString();
  if (causes.empty() && together < options.links.reconnectNanos)
    violations.push_back("no fault explains this: " + text);
  if (causes.size() != 1)
    return violations;
  const ClusterSpec &cluster = options.cluster;
  for (TaskId end : {causes[0].a, causes[0].b})
    if (end < cluster.size() &&
        text.find(cluster.task(end).name()) != std::string::npos)
      return violations;
  violations.push_back("the failure does not name what '" +
                       describeFault(causes[0], cluster) + "' hit: " + text);
  return violations;
}

std::vector<std::string>
graphc::runtime::findResidue(Simulation &simulation,
                             const ClusterSpec &cluster) {
  std::vector<std::string> violations;
  for (TaskId id = 0; id < cluster.size(); ++id) {
    const TaskMachine *task = simulation.task(id);
    if (!task || simulation.isStopped(id))
      continue;
    TaskMachine::Residue residue = task->residue();
    if (residue.runs || residue.earlyBytes || residue.sharedPlaces)
      violations.push_back(
          cluster.task(id).name() + " keeps " + std::to_string(residue.runs) +
          " runs, " + std::to_string(residue.earlyBytes) +
          " bytes of values and " + std::to_string(residue.sharedPlaces) +
          " shared places");
  }
  return violations;
}

void graphc::runtime::compareRuns(SimRunReport &report,
                                  const SimRunReport &undisturbed) {
  if (!report.status.isOk() || !undisturbed.status.isOk())
    return;
  if (report.steps != undisturbed.steps)
    report.violations.push_back("it ran another number of steps than without "
                                "faults");
  if (report.results != undisturbed.results)
    report.violations.push_back("its results differ from those without faults");
  for (const auto &[name, bytes] : undisturbed.variables)
    if (report.variables[name] != bytes)
      report.violations.push_back("variable '" + name +
                                  "' differs from the run without faults");
}
