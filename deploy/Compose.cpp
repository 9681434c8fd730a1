// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Compose file: a service for each task, and one for the client.
#include "deploy/Deployment.h"
#include "deploy/Yaml.h"

#include <map>

namespace graphc::deploy {

using namespace runtime;

namespace {

/// Compose puts variables in place of '$' unless it is doubled.
std::string literal(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '$' ? "$$" : std::string(1, c);
  return result;
}

std::string serviceName(const DeployedTask &task) {
  return hostLabel(task.name());
}

Yaml command(const std::vector<std::string> &arguments) {
  Yaml list = Yaml::list({});
  for (const std::string &argument : arguments)
    list.append(literal(argument));
  return list;
}

class ComposeFile {
public:
  explicit ComposeFile(const Deployment &deployment) : deployment(deployment) {}

  Status prepare();
  std::string print() const;

private:
  Yaml taskService(const DeployedTask &task) const;
  Yaml clientService() const;
  Yaml healthCheck() const;

  const Deployment &deployment;
  std::string cluster; ///< as JSON
};

Status ComposeFile::prepare() {
  GRAPHC_TRY(checkContainerFiles(deployment));
  std::map<std::string, std::string> taskOf; ///< by name of the service
  for (const DeployedTask &task : deployment.tasks) {
    auto [known, isNew] = taskOf.emplace(serviceName(task), task.name());
    if (!isNew)
      return invalidArgument("the tasks '" + known->second + "' and '" +
                             task.name() + "' would both be the service '" +
                             known->first + "'; rename a job");
  }
  GRAPHC_ASSIGN_OR_RETURN(
      ClusterSpec spec, deployment.clusterWith([](const DeployedTask &task) {
        return serviceName(task) + ":" + std::to_string(kTaskPort);
      }));
  cluster = spec.json();
  return Status::ok();
}

/// Asks the task itself what it waits for, as any client may.
Yaml ComposeFile::healthCheck() const {
  std::vector<std::string> test = {"CMD", "graphc-run",
                                   "--why-stuck=grpc://localhost:" +
                                       std::to_string(kTaskPort)};
  if (deployment.options.isTls)
    test.push_back("--tls-dir=/etc/graphc-client-tls");
  return Yaml::Members{{"test", command(test)},
                       {"interval", "5s"},
                       {"timeout", "5s"},
                       {"retries", 6},
                       {"start_period", "10s"}};
}

Yaml ComposeFile::taskService(const DeployedTask &task) const {
  const ManifestOptions &options = deployment.options;
  std::vector<std::string> arguments = {
      "graphc-server",
      "--cluster=" + cluster,
      "--job=" + task.job,
      "--task=" + std::to_string(task.index),
      "--bind=0.0.0.0:" + std::to_string(kTaskPort),
      "--advertise=" + serviceName(task) + ":" + std::to_string(kTaskPort),
      "--allow=" + deployment.allowDigest,
      options.isTls ? "--tls-dir=/etc/graphc-tls" : "--insecure"};
  if (deployment.hasMetrics())
    arguments.push_back(deployment.metricsFlag());
  Yaml volumes = Yaml::list({});
  if (options.isTls) {
    volumes.append("./tls/task:/etc/graphc-tls:ro");
    volumes.append("./tls/client:/etc/graphc-client-tls:ro");
  }
  if (deployment.hasData)
    volumes.append("./data:/data:ro");
  Yaml result = Yaml::Members{
      {"image", literal(options.image)},
      {"command", command(arguments)},
      {"restart", "unless-stopped"},
      {"stop_grace_period", "30s"},
      {"mem_reservation", std::to_string(toMebibytes(task.memoryBytes)) + "m"},
      {"healthcheck", healthCheck()},
      {"volumes", volumes}};
  if (deployment.hasMetrics()) {
    std::string port = std::to_string(options.metricsPort);
    result.add("expose", Yaml::texts({port}));
    result.add("labels", Yaml::Members{{"prometheus.io/scrape", "true"},
                                       {"prometheus.io/port", port},
                                       {"prometheus.io/path", "/metrics"}});
  }
  if (task.gpus > 0) {
    Yaml device = Yaml::Members{{"driver", "nvidia"},
                                {"count", static_cast<int64_t>(task.gpus)},
                                {"capabilities", Yaml::texts({"gpu"})}};
    result.add("deploy",
               Yaml::Members{
                   {"resources",
                    Yaml::Members{
                        {"reservations",
                         Yaml::Members{{"devices", Yaml::list({device})}}}}}});
  }
  return result;
}

Yaml ComposeFile::clientService() const {
  const ManifestOptions &options = deployment.options;
  std::vector<std::string> arguments = {
      "graphc-run", "/plan/" + deployment.planFile, "--cluster=" + cluster};
  if (options.isTls)
    arguments.push_back("--tls-dir=/etc/graphc-tls");
  arguments.insert(arguments.end(), deployment.clientArguments.begin(),
                   deployment.clientArguments.end());
  Yaml volumes = Yaml::texts({"./" + literal(deployment.planFile) + ":/plan/" +
                              literal(deployment.planFile) + ":ro"});
  if (options.isTls)
    volumes.append("./tls/client:/etc/graphc-tls:ro");
  if (deployment.hasFiles)
    volumes.append(std::string("./output:") + kOutputFolder);
  Yaml tasks;
  for (const DeployedTask &task : deployment.tasks)
    tasks.add(serviceName(task),
              Yaml::Members{{"condition", "service_healthy"}});
  std::string restart =
      deployment.recoveries > 0
          ? "on-failure:" + std::to_string(deployment.recoveries)
          : "no";
  Yaml result = Yaml::Members{{"image", literal(options.image)},
                              {"command", command(arguments)},
                              {"restart", restart},
                              {"depends_on", tasks},
                              {"volumes", volumes}};
  if (deployment.hasFiles)
    result.add("working_dir", kOutputFolder);
  return result;
}

std::string ComposeFile::print() const {
  std::string text =
      "# Starts the tasks of plan " + deployment.planDigest +
      " and a client that runs it.\n# Beside this file: " + deployment.planFile;
  if (deployment.options.isTls)
    text += ", tls/task and tls/client with ca.pem, cert.pem and key.pem each";
  if (deployment.hasData)
    text += ", data with the files that --data names, seen at /data";
  if (deployment.hasFiles)
    text += std::string(", output for the files of the client, seen at ") +
            kOutputFolder;
  Yaml services;
  for (const DeployedTask &task : deployment.tasks)
    services.add(serviceName(task), taskService(task));
  services.add("client", clientService());
  Yaml file =
      Yaml::Members{{"name", deployment.options.name}, {"services", services}};
  return text + ".\n" + file.print();
}

} // namespace

StatusOr<std::vector<ManifestFile>> emitCompose(const Deployment &given) {
  ComposeFile file(given);
  GRAPHC_TRY(file.prepare());
  return std::vector<ManifestFile>{{"compose.yaml", file.print()}};
}

} // namespace graphc::deploy
