// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A headless Service, a StatefulSet for each job, whose pods have stable names,
// and a Job for the client.
#include "deploy/Deployment.h"
#include "deploy/Yaml.h"

#include <algorithm>
#include <map>

namespace graphc::deploy {

using namespace runtime;

namespace {

/// A StatefulSet puts a label with 11 characters more on its pods.
constexpr size_t kMaxName = 52;

/// Properties common to a job's pods.
struct Job {
  std::string setName;
  uint32_t replicas = 0;
  uint64_t memoryBytes = 0; ///< of the task that needs the most
  unsigned gpus = 0;
};

class KubernetesObjects {
public:
  explicit KubernetesObjects(const Deployment &deployment)
      : deployment(deployment) {}

  Status prepare();
  std::string print() const;

private:
  std::string name(const char *suffix = "") const {
    return deployment.options.name + suffix;
  }
  /// Of a pod's address, after its name.
  std::string domain() const {
    return "." + name() + "." + deployment.options.namespaceName +
           ".svc:" + std::to_string(kTaskPort);
  }
  Yaml labels(const std::string &component) const;
  Yaml metadata(const std::string &objectName,
                const std::string &component) const;
  Yaml object(const char *version, const char *kind,
              const std::string &objectName,
              const std::string &component) const;
  Yaml configMap() const;
  Yaml service() const;
  Yaml networkPolicy() const;
  Yaml statefulSet(const std::string &jobName, const Job &job) const;
  Yaml clientJob() const;
  Yaml taskContainer(const std::string &jobName, const Job &job) const;
  Yaml pod(Yaml container, const char *secret, Yaml volumes) const;
  Yaml probe(int period, int failures) const;
  Yaml taskVolumes() const;
  Yaml taskMetadata(const std::string &component) const;

  const Deployment &deployment;
  std::map<std::string, Job> jobs;
  ClusterSpec cluster; ///< with the pods' addresses
};

Yaml mount(const std::string &volume, const std::string &path) {
  return Yaml::Members{
      {"name", volume}, {"mountPath", path}, {"readOnly", true}};
}

Yaml outputMount() {
  return Yaml::Members{{"name", "output"}, {"mountPath", kOutputFolder}};
}

Yaml tmpMount() {
  return Yaml::Members{{"name", "tmp"}, {"mountPath", "/tmp"}};
}

Yaml claim(const std::string &volume, const std::string &claimName) {
  return Yaml::Members{
      {"name", volume},
      {"persistentVolumeClaim",
       Yaml::Members{{"claimName", claimName}, {"readOnly", true}}}};
}

/// Pods of a set are numbered from 0 without gaps, so a job has all tasks up to
/// its last one.
Status KubernetesObjects::prepare() {
  GRAPHC_TRY(checkContainerFiles(deployment));
  std::map<std::string, std::string> jobOf; ///< by name of the set
  for (const DeployedTask &task : deployment.tasks) {
    Job &job = jobs[task.job];
    job.setName = name("-") + hostLabel(task.job);
    auto [known, isNew] = jobOf.emplace(job.setName, task.job);
    if (!isNew && known->second != task.job)
      return invalidArgument("the jobs '" + known->second + "' and '" +
                             task.job + "' would both be the StatefulSet '" +
                             job.setName + "'; rename one of them");
    std::string podName = job.setName + "-" + std::to_string(task.index);
    if (podName.size() > kMaxName)
      return invalidArgument("the name of pod '" + podName +
                             "' is longer than " + std::to_string(kMaxName) +
                             " letters; give a shorter --name");
    job.replicas = std::max(job.replicas, task.index + 1);
    job.memoryBytes = std::max(job.memoryBytes, task.memoryBytes);
    job.gpus = std::max(job.gpus, task.gpus);
  }
  std::vector<ClusterTask> tasks;
  for (const auto &[jobName, job] : jobs) {
    if (tasks.size() + job.replicas > ClusterSpec::kMaxTasks)
      return invalidArgument("job '" + jobName + "' needs the pods 0 to " +
                             std::to_string(job.replicas - 1) +
                             "; number its tasks from 0");
    for (uint32_t i = 0; i < job.replicas; ++i)
      tasks.push_back(
          {jobName, i, job.setName + "-" + std::to_string(i) + domain()});
  }
  GRAPHC_ASSIGN_OR_RETURN(cluster, ClusterSpec::make(std::move(tasks)));
  return Status::ok();
}

Yaml KubernetesObjects::labels(const std::string &component) const {
  Yaml result = Yaml::Members{{"app.kubernetes.io/name", "graphc"},
                              {"app.kubernetes.io/instance", name()}};
  if (!component.empty())
    result.add("app.kubernetes.io/component", component);
  return result;
}

Yaml KubernetesObjects::metadata(const std::string &objectName,
                                 const std::string &component) const {
  return Yaml::Members{{"name", objectName},
                       {"namespace", deployment.options.namespaceName},
                       {"labels", labels(component)}};
}

Yaml KubernetesObjects::object(const char *version, const char *kind,
                               const std::string &objectName,
                               const std::string &component) const {
  return Yaml::Members{{"apiVersion", version},
                       {"kind", kind},
                       {"metadata", metadata(objectName, component)}};
}

Yaml KubernetesObjects::configMap() const {
  Yaml result = object("v1", "ConfigMap", name("-cluster"), "");
  result.add("data", Yaml::Members{{"cluster.json", cluster.json()}});
  return result;
}

/// Gives each pod a name. Tasks find each other while they start, hence before
/// they are ready.
Yaml KubernetesObjects::service() const {
  Yaml port = Yaml::Members{
      {"name", "grpc"}, {"port", kTaskPort}, {"targetPort", "grpc"}};
  Yaml ports = Yaml::list({port});
  if (deployment.hasMetrics())
    ports.append(Yaml::Members{{"name", "metrics"},
                               {"port", deployment.options.metricsPort},
                               {"targetPort", "metrics"}});
  Yaml result = object("v1", "Service", name(), "");
  result.add("spec", Yaml::Members{{"clusterIP", "None"},
                                   {"publishNotReadyAddresses", true},
                                   {"selector", labels("")},
                                   {"ports", ports}});
  return result;
}

/// Only tasks and clients of this cluster reach the tasks; their counters are
/// for the Prometheus of any namespace.
Yaml KubernetesObjects::networkPolicy() const {
  Yaml peer = Yaml::Members{
      {"podSelector", Yaml::Members{{"matchLabels", labels("")}}}};
  Yaml port = Yaml::Members{{"port", kTaskPort}, {"protocol", "TCP"}};
  Yaml rule = Yaml::Members{{"from", Yaml::list({peer})},
                            {"ports", Yaml::list({port})}};
  Yaml rules = Yaml::list({rule});
  if (deployment.hasMetrics()) {
    Yaml anyone = Yaml::Members{{"namespaceSelector", Yaml()}};
    Yaml metrics = Yaml::Members{{"port", deployment.options.metricsPort},
                                 {"protocol", "TCP"}};
    rules.append(Yaml::Members{{"from", Yaml::list({anyone})},
                               {"ports", Yaml::list({metrics})}});
  }
  Yaml result =
      object("networking.k8s.io/v1", "NetworkPolicy", name("-tasks"), "");
  result.add("spec", Yaml::Members{{"podSelector",
                                    Yaml::Members{{"matchLabels", labels("")}}},
                                   {"policyTypes", Yaml::texts({"Ingress"})},
                                   {"ingress", rules}});
  return result;
}

/// The kubelet's gRPC probe knows no certificates; with them it can only see
/// whether the task listens.
Yaml KubernetesObjects::probe(int period, int failures) const {
  Yaml result;
  if (deployment.options.isTls)
    result.add("tcpSocket", Yaml::Members{{"port", kTaskPort}});
  else
    result.add("grpc", Yaml::Members{{"port", kTaskPort}});
  result.add("periodSeconds", period);
  result.add("timeoutSeconds", 2);
  result.add("failureThreshold", failures);
  return result;
}

Yaml KubernetesObjects::taskContainer(const std::string &jobName,
                                      const Job &job) const {
  // The pod's number is the task's: its name ends with it.
  std::string command =
      "exec graphc-server --cluster=/etc/graphc/cluster.json"
      " --job=" +
      jobName + " --task=\"${HOSTNAME##*-}\" --bind=0.0.0.0:" +
      std::to_string(kTaskPort) + " --advertise=\"${HOSTNAME}" + domain() +
      "\" --allow=" + deployment.allowDigest;
  command +=
      deployment.options.isTls ? " --tls-dir=/etc/graphc-tls" : " --insecure";
  if (deployment.hasMetrics())
    command += " " + deployment.metricsFlag();
  Yaml mounts = Yaml::list({mount("cluster", "/etc/graphc"), tmpMount()});
  if (deployment.options.isTls)
    mounts.append(mount("tls", "/etc/graphc-tls"));
  if (deployment.hasData)
    mounts.append(mount("data", "/data"));
  Yaml resources = Yaml::Members{
      {"requests",
       Yaml::Members{
           {"cpu", "1"},
           {"memory", std::to_string(toMebibytes(job.memoryBytes)) + "Mi"}}}};
  if (job.gpus > 0)
    resources.add("limits",
                  Yaml::Members{{"nvidia.com/gpu", std::to_string(job.gpus)}});
  Yaml ports = Yaml::list(
      {Yaml::Members{{"name", "grpc"}, {"containerPort", kTaskPort}}});
  if (deployment.hasMetrics())
    ports.append(
        Yaml::Members{{"name", "metrics"},
                      {"containerPort", deployment.options.metricsPort}});
  return Yaml::Members{{"name", "graphc-server"},
                       {"image", deployment.options.image},
                       {"command", Yaml::texts({"/bin/sh", "-c", command})},
                       {"ports", ports},
                       {"readinessProbe", probe(/*period=*/2, /*failures=*/2)},
                       {"livenessProbe", probe(/*period=*/10, /*failures=*/6)},
                       {"resources", resources},
                       {"volumeMounts", mounts}};
}

/// `secret`: the one with certificates, without the cluster's name.
Yaml KubernetesObjects::pod(Yaml container, const char *secret,
                            Yaml volumes) const {
  volumes.append(
      Yaml::Members{{"name", "cluster"},
                    {"configMap", Yaml::Members{{"name", name("-cluster")}}}});
  if (deployment.options.isTls)
    volumes.append(
        Yaml::Members{{"name", "tls"},
                      {"secret", Yaml::Members{{"secretName", name(secret)},
                                               {"defaultMode", 0440}}}});
  volumes.append(Yaml::Members{{"name", "tmp"}, {"emptyDir", Yaml()}});
  container.add("securityContext",
                Yaml::Members{{"allowPrivilegeEscalation", false},
                              {"readOnlyRootFilesystem", true},
                              {"capabilities",
                               Yaml::Members{{"drop", Yaml::texts({"ALL"})}}}});
  return Yaml::Members{{"automountServiceAccountToken", false},
                       {"enableServiceLinks", false},
                       {"terminationGracePeriodSeconds", 30},
                       {"securityContext", Yaml::Members{{"runAsNonRoot", true},
                                                         {"runAsUser", 10001},
                                                         {"runAsGroup", 10001},
                                                         {"fsGroup", 10001}}},
                       {"containers", Yaml::list({container})},
                       {"volumes", volumes}};
}

Yaml KubernetesObjects::taskVolumes() const {
  Yaml volumes = Yaml::list({});
  if (deployment.hasData)
    volumes.append(claim("data", name("-data")));
  return volumes;
}

/// Of a pod, with what Prometheus' usual rules for pods look for.
Yaml KubernetesObjects::taskMetadata(const std::string &component) const {
  Yaml result = Yaml::Members{{"labels", labels(component)}};
  if (deployment.hasMetrics())
    result.add("annotations",
               Yaml::Members{{"prometheus.io/scrape", "true"},
                             {"prometheus.io/port",
                              std::to_string(deployment.options.metricsPort)},
                             {"prometheus.io/path", "/metrics"}});
  return result;
}

Yaml KubernetesObjects::statefulSet(const std::string &jobName,
                                    const Job &job) const {
  std::string component = hostLabel(jobName);
  Yaml spec = pod(taskContainer(jobName, job), "-task-tls", taskVolumes());
  spec.add("restartPolicy", "Always");
  Yaml result = object("apps/v1", "StatefulSet", job.setName, component);
  result.add(
      "spec",
      Yaml::Members{
          {"serviceName", name()},
          {"replicas", static_cast<int64_t>(job.replicas)},
          {"podManagementPolicy", "Parallel"},
          {"selector", Yaml::Members{{"matchLabels", labels(component)}}},
          {"template", Yaml::Members{{"metadata", taskMetadata(component)},
                                     {"spec", spec}}}});
  return result;
}

Yaml KubernetesObjects::clientJob() const {
  std::vector<std::string> command = {"graphc-run",
                                      "/plan/" + deployment.planFile,
                                      "--cluster=/etc/graphc/cluster.json"};
  if (deployment.options.isTls)
    command.push_back("--tls-dir=/etc/graphc-tls");
  command.insert(command.end(), deployment.clientArguments.begin(),
                 deployment.clientArguments.end());
  Yaml mounts = Yaml::list(
      {mount("cluster", "/etc/graphc"), tmpMount(), mount("plan", "/plan")});
  if (deployment.options.isTls)
    mounts.append(mount("tls", "/etc/graphc-tls"));
  Yaml volumes = Yaml::list({claim("plan", name("-plan"))});
  Yaml container = Yaml::Members{{"name", "graphc-run"},
                                 {"image", deployment.options.image},
                                 {"command", Yaml::texts(command)}};
  if (deployment.hasFiles) {
    mounts.append(outputMount());
    volumes.append(
        Yaml::Members{{"name", "output"},
                      {"persistentVolumeClaim",
                       Yaml::Members{{"claimName", name("-output")}}}});
    container.add("workingDir", kOutputFolder);
  }
  container.add("volumeMounts", mounts);
  Yaml spec = pod(std::move(container), "-client-tls", std::move(volumes));
  spec.add("restartPolicy", "Never");
  Yaml result = object("batch/v1", "Job", name("-client"), "client");
  result.add("spec",
             Yaml::Members{
                 {"backoffLimit", deployment.recoveries},
                 {"template",
                  Yaml::Members{
                      {"metadata", Yaml::Members{{"labels", labels("client")}}},
                      {"spec", spec}}}});
  return result;
}

std::string KubernetesObjects::print() const {
  std::string text = "# Starts the tasks of plan " + deployment.planDigest +
                     " and a client that runs it.\n# Needs a claim '" +
                     name("-plan") + "' that holds '" + deployment.planFile +
                     "'";
  if (deployment.hasData)
    text += " and a claim '" + name("-data") + "' with the data, seen at /data";
  text += ".\n";
  if (deployment.hasFiles)
    text += "# Needs a claim '" + name("-output") +
            "' that the client may write, seen at " + kOutputFolder +
            ", where its files are.\n";
  if (deployment.options.isTls)
    text += "# Needs the secrets '" + name("-task-tls") + "' and '" +
            name("-client-tls") +
            "' with ca.pem, cert.pem and key.pem each;\n"
            "# the tasks' certificate is for the hosts '*." +
            name() + "." + deployment.options.namespaceName + ".svc'.\n";
  for (const Yaml &document : {configMap(), service(), networkPolicy()})
    text += "---\n" + document.print();
  for (const auto &[jobName, job] : jobs)
    text += "---\n" + statefulSet(jobName, job).print();
  return text + "---\n" + clientJob().print();
}

} // namespace

StatusOr<std::vector<ManifestFile>> emitKubernetes(const Deployment &given) {
  KubernetesObjects manifests(given);
  GRAPHC_TRY(manifests.prepare());
  return std::vector<ManifestFile>{
      {given.options.name + ".yaml", manifests.print()}};
}

} // namespace graphc::deploy
