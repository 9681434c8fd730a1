// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unit for each task, and the cluster file that they read. Units are written
// for one machine or for several: each machine gets those of its tasks.
#include "deploy/Deployment.h"
#include "runtime/base/TaskAddress.h"

#include <algorithm>
#include <map>

namespace graphc::deploy {

using namespace runtime;

namespace {

/// The n-th task's, where no cluster is given: all on this machine.
constexpr int kFirstPort = 2222;

std::string unitName(const Deployment &deployment, const DeployedTask &task) {
  return deployment.options.name + "-" + task.name() + ".service";
}

/// True when all tasks are local, so that they may use plaintext.
bool isLocal(const ClusterSpec &cluster) {
  return std::all_of(cluster.tasks().begin(), cluster.tasks().end(),
                     [](const ClusterTask &task) {
                       return TaskAddress::parse(task.address)->isLocal();
                     });
}

/// `flags`: further ones of graphc-server, such as those about trust.
std::string makeUnit(const Deployment &deployment, const DeployedTask &task,
                     const std::string &flags) {
  const ManifestOptions &options = deployment.options;
  std::string folder = "/etc/" + options.name;
  std::string unit = "# Task " + task.name() + " of plan " +
                     deployment.planDigest +
                     ".\n"
                     "[Unit]\n"
                     "Description=graphc task " +
                     task.name() +
                     "\n"
                     "Wants=network-online.target\n"
                     "After=network-online.target\n"
                     "\n"
                     "[Service]\n"
                     "ExecStart=/usr/local/bin/graphc-server --cluster=" +
                     folder + "/cluster.json --job=" + task.job +
                     " --task=" + std::to_string(task.index) +
                     " --allow=" + deployment.allowDigest + flags + "\n";
  if (options.isTls)
    for (const char *file : {"ca.pem", "cert.pem", "key.pem"})
      unit += "LoadCredential=" + std::string(file) + ":" + folder + "/tls/" +
              file + "\n";
  // One user for all tasks: those of one machine share memory.
  unit += "User=graphc\n"
          "Restart=always\n"
          "RestartSec=1\n"
          "KillSignal=SIGTERM\n"
          "TimeoutStopSec=30\n"
          "MemoryLow=" +
          std::to_string(toMebibytes(task.memoryBytes)) +
          "M\n"
          "NoNewPrivileges=yes\n"
          "ProtectSystem=strict\n"
          "ProtectHome=yes\n"
          "ProtectKernelTunables=yes\n"
          "RestrictSUIDSGID=yes\n"
          "\n"
          "[Install]\n"
          "WantedBy=multi-user.target\n";
  return unit;
}

/// Addresses at which tasks serve their counters: those of one host have the
/// given port and those that follow it.
std::vector<TaskAddress> metricsAddresses(const Deployment &deployment,
                                          const ClusterSpec &cluster) {
  std::map<std::string, int> next; ///< port, by host
  std::vector<TaskAddress> addresses;
  for (const ClusterTask &task : cluster.tasks()) {
    TaskAddress address = *TaskAddress::parse(task.address);
    if (address.isUnix())
      address = *TaskAddress::parse("localhost:0");
    auto [port, isFirst] =
        next.emplace(address.host, deployment.options.metricsPort);
    address.port = static_cast<uint16_t>(port->second++);
    addresses.push_back(std::move(address));
  }
  return addresses;
}

/// The targets as Prometheus' file_sd_configs reads them.
std::string targetsFile(const Deployment &deployment,
                        const std::vector<TaskAddress> &addresses) {
  std::string text = "[\n";
  for (size_t i = 0; i < addresses.size(); ++i) {
    const DeployedTask &task = deployment.tasks[i];
    text += "  {\"targets\": [\"" + addresses[i].toString() +
            "\"], \"labels\": {\"job\": \"graphc\", \"task\": \"" +
            task.name() + "\"}}" + (i + 1 < addresses.size() ? ",\n" : "\n");
  }
  return text + "]\n";
}

/// An argument of ExecStart, in which '%' and '$' begin something else.
std::string unitQuote(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    else if (c == '%' || c == '$')
      quoted += c;
    quoted += c;
  }
  return quoted + "\"";
}

/// The client runs once when it is started; its files are in the unit's
/// folder of state.
std::string makeClientUnit(const Deployment &deployment) {
  const ManifestOptions &options = deployment.options;
  std::string folder = "/etc/" + options.name;
  std::string unit = "# The client that runs plan " + deployment.planDigest +
                     ".\n"
                     "[Unit]\n"
                     "Description=graphc client\n"
                     "Wants=network-online.target\n"
                     "After=network-online.target\n"
                     "\n"
                     "[Service]\n"
                     "Type=exec\n"
                     "ExecStart=/usr/local/bin/graphc-run " +
                     unitQuote(folder + "/" + deployment.planFile) +
                     " --cluster=" + folder + "/cluster.json";
  if (options.isTls)
    unit += " --tls-dir=%d";
  for (const std::string &argument : deployment.clientArguments)
    unit += " " + unitQuote(argument);
  unit += "\n";
  if (options.isTls)
    for (const char *file : {"ca.pem", "cert.pem", "key.pem"})
      unit += "LoadCredential=" + std::string(file) + ":" + folder +
              "/client-tls/" + file + "\n";
  unit += "User=graphc\n"
          "StateDirectory=" +
          options.name + "\nWorkingDirectory=/var/lib/" + options.name + "\n";
  if (deployment.recoveries > 0)
    unit += "Restart=on-failure\n"
            "RestartSec=1\n";
  unit += "KillSignal=SIGTERM\n"
          "TimeoutStopSec=30\n"
          "NoNewPrivileges=yes\n"
          "ProtectSystem=strict\n"
          "ProtectHome=yes\n"
          "ProtectKernelTunables=yes\n"
          "RestrictSUIDSGID=yes\n";
  return unit;
}

} // namespace

StatusOr<std::vector<ManifestFile>> emitSystemd(const Deployment &given) {
  int port = kFirstPort;
  GRAPHC_ASSIGN_OR_RETURN(
      ClusterSpec cluster, given.clusterWith([&](const DeployedTask &task) {
        return task.address.empty() ? "localhost:" + std::to_string(port++)
                                    : task.address;
      }));
  // %d is the folder of the credentials, which only the unit's user can read.
  std::string trust = given.options.isTls ? " --tls-dir=%d"
                      : isLocal(cluster)  ? ""
                                          : " --insecure";
  std::vector<ManifestFile> files = {{"cluster.json", cluster.json() + "\n"}};
  std::vector<TaskAddress> metrics;
  if (given.hasMetrics()) {
    metrics = metricsAddresses(given, cluster);
    files.push_back({"prometheus-targets.json", targetsFile(given, metrics)});
  }
  for (size_t i = 0; i < given.tasks.size(); ++i) {
    const DeployedTask &task = given.tasks[i];
    std::string flags = trust;
    if (given.hasMetrics())
      flags += " --metrics=" + metrics[i].toString();
    files.push_back({unitName(given, task), makeUnit(given, task, flags)});
  }
  files.push_back(
      {given.options.name + "-client.service", makeClientUnit(given)});
  return files;
}

} // namespace graphc::deploy
