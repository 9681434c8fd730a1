// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A batch script: a task on each node, and the client on the first.
#include "deploy/Deployment.h"

#include <algorithm>

namespace graphc::deploy {

using namespace runtime;

namespace {

/// The shell's text that is the cluster file, with the nodes' names in it.
std::string clusterText(const Deployment &deployment) {
  std::string text = "'{";
  for (size_t i = 0; i < deployment.tasks.size(); ++i) {
    const DeployedTask &task = deployment.tasks[i];
    bool isFirst = i == 0 || deployment.tasks[i - 1].job != task.job;
    bool isLast = i + 1 == deployment.tasks.size() ||
                  deployment.tasks[i + 1].job != task.job;
    if (isFirst)
      text += (i == 0 ? "\"" : ", \"") + task.job + "\": {";
    else
      text += ", ";
    text += "\"" + std::to_string(task.index) + "\": \"'\"${nodes[" +
            std::to_string(i) + "]}:$port\"'\"" + (isLast ? "}" : "");
  }
  return text + "}'";
}

std::string batchOptions(const Deployment &deployment) {
  uint64_t memory = 0;
  unsigned gpus = 0;
  for (const DeployedTask &task : deployment.tasks) {
    memory = std::max(memory, task.memoryBytes);
    gpus = std::max(gpus, task.gpus);
  }
  std::string count = std::to_string(deployment.tasks.size());
  std::string text = "#SBATCH --job-name=" + deployment.options.name +
                     "\n#SBATCH --nodes=" + count +
                     "\n#SBATCH --ntasks=" + count +
                     "\n#SBATCH --ntasks-per-node=1\n#SBATCH --mem=" +
                     std::to_string(toMebibytes(memory)) + "M\n";
  if (gpus > 0)
    text += "#SBATCH --gpus-per-node=" + std::to_string(gpus) + "\n";
  return text;
}

std::string jobList(const Deployment &deployment, bool isJobs) {
  std::string text;
  for (const DeployedTask &task : deployment.tasks)
    text += (text.empty() ? "" : " ") +
            (isJobs ? task.job : std::to_string(task.index));
  return text;
}

std::string makeScript(const Deployment &deployment) {
  std::string count = std::to_string(deployment.tasks.size());
  bool isTls = deployment.options.isTls;
  std::string server = isTls ? "--tls-dir=\"$GRAPHC_TLS/task\"" : "--insecure";
  if (deployment.hasMetrics())
    server += " " + deployment.metricsFlag();
  std::string client = isTls ? " --tls-dir=\"$GRAPHC_TLS/client\"" : "";
  for (const std::string &argument : deployment.clientArguments)
    client += " " + shellQuote(argument);
  std::string text = "#!/usr/bin/env bash\n"
                     "# Runs plan " +
                     deployment.planDigest + " with a task on each of " +
                     count + " nodes.\n" + batchOptions(deployment) +
                     "set -euo pipefail\n\n";
  if (isTls)
    text += "# A folder that all nodes see, with task/ and client/.\n"
            ": \"${GRAPHC_TLS:?name the folder of the certificates}\"\n"
            "export GRAPHC_TLS\n";
  text +=
      "model=${1:-" + shellQuote(deployment.planFile) +
      "}\n"
      "mapfile -t nodes < <(scontrol show hostnames "
      "\"$SLURM_JOB_NODELIST\")\n"
      "# Jobs that share a node must not share a port.\n"
      "port=$((20000 + SLURM_JOB_ID % 20000))\n"
      "cluster=" +
      clusterText(deployment) +
      "\n"
      "export cluster port\n\n"
      "srun --ntasks=" +
      count +
      " --kill-on-bad-exit=1 bash -c '\n"
      "  jobs=(" +
      jobList(deployment, /*isJobs=*/true) +
      ")\n"
      "  tasks=(" +
      jobList(deployment, /*isJobs=*/false) +
      ")\n"
      "  exec graphc-server --cluster=\"$cluster\" \\\n"
      "    --job=\"${jobs[SLURM_PROCID]}\" "
      "--task=\"${tasks[SLURM_PROCID]}\" \\\n"
      "    --bind=\"0.0.0.0:$port\" --advertise=\"$SLURMD_NODENAME:$port\" \\\n"
      "    --allow=" +
      deployment.allowDigest + " " + server +
      "' &\n"
      "servers=$!\n"
      "trap 'kill \"$servers\" 2>/dev/null || true; "
      "wait \"$servers\" || true' EXIT\n\n"
      "graphc-run \"$model\" --cluster=\"$cluster\"" +
      client + "\n";
  return text;
}

} // namespace

StatusOr<std::vector<ManifestFile>> emitSlurm(const Deployment &given) {
  return std::vector<ManifestFile>{
      {given.options.name + ".sbatch", makeScript(given)}};
}

} // namespace graphc::deploy
