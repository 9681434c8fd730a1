// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-server/ServerOptions.h"

#include "tools/flags/CommandLine.h"
#include "tools/flags/FlagValues.h"
#include "tools/flags/MetricsFlag.h"
#include "tools/flags/Route.h"

namespace graphc::server {

namespace {

using flags::wholeNumber;

constexpr const char *kAbout =
    "Serves one task of a cluster: clients load plans into it and run them "
    "together with the other tasks. Servers may start in any order.";

constexpr const char *kExitCodes =
    "Exit codes: 0 ended by SIGTERM, SIGINT, a client or --idle-exit; 1 "
    "failed; "
    "2 the command line or the cluster is wrong; 3 the address is taken.";

void addPlace(CLI::App &app, ServerOptions &options) {
  app.add_option("--cluster", options.cluster,
                 "The cluster: a JSON file or JSON text, "
                 "{\"ps\": [\"host:port\"], \"worker\": [...]} "
                 "(default: TF_CONFIG, else this task alone)")
      ->type_name("FILE|JSON");
  app.add_option("--job,--job_name", options.job, "The job of this task")
      ->type_name("NAME");
  app.add_option("--task,--task_index", options.task,
                 "The number of this task in its job")
      ->check(wholeNumber(0, 1'000'000))
      ->type_name("INDEX");
  app.add_option("--ps_hosts", options.psHosts,
                 "Instead of --cluster: addresses of the job ps, with commas");
  app.add_option("--worker_hosts", options.workerHosts,
                 "The same for the job worker");
  app.add_option("--chief_hosts", options.chiefHosts,
                 "The same for the job chief");
  app.add_option("--bind", options.bind,
                 "Listen here: host:port, [v6]:port or unix:/path; port 0 is "
                 "any (default: the task's address in the cluster)")
      ->type_name("ADDRESS");
  app.add_option(
         "--advertise", options.advertise,
         "Tell clients this address (default: the task's address in the "
         "cluster, with the port where it listens)")
      ->type_name("ADDRESS");
  app.add_option("--port-file", options.portFile,
                 "Write the port to this file when it listens")
      ->type_name("FILE");
}

void addRest(CLI::App &app, ServerOptions &options, std::string &route) {
  flags::addThreads(app, options.threads);
  app.add_flag("--virtual-gpus", options.virtualGpus,
               "Let the CPU execute the programs of GPUs");
  app.add_flag("--gpus-share", options.shareGpus,
               "Devices of a plan may share a GPU where there are too few");
  // For tests: the clock of timelines is wrong by so much.
  app.add_option("--test-clock-offset-ms", options.clockOffsetMillis)
      ->check(CLI::Range(-1'000'000'000, 1'000'000'000))
      ->group("");
  flags::addList(app, "--plan", options.plans,
                 "Load this model.bin at the start; may be repeated")
      ->type_name("FILE");
  flags::addList(
      app, "--allow", options.allowed,
      "Take no plan from clients but this one, by its --digest or its "
      "model.bin; may be repeated")
      ->type_name("DIGEST|FILE");
  app.add_option("--clients", options.mostClients,
                 "Take at most so many clients at a time")
      ->check(wholeNumber(1, 4096));
  app.add_option("--route", route,
                 "How values get to other tasks: auto (shared memory on one "
                 "machine, else gRPC), shm or grpc");
  app.add_option("--idle-exit", options.idleExitSeconds,
                 "End when there was no client for so long")
      ->check(wholeNumber(1, 1'000'000'000))
      ->type_name("SECONDS");
  flags::addMetricsFlag(app, options.metrics);
  app.add_option("--tls-dir", options.tlsDir,
                 "Mutual TLS with ca.pem, cert.pem and key.pem of this folder, "
                 "which must be those of a task")
      ->type_name("DIR");
  app.add_flag("--insecure", options.isInsecure,
               "Listen without TLS for other machines, too");
  app.add_option("--make-certs", options.makeCerts,
                 "Make a private CA and certificates for tasks (DIR/task) and "
                 "clients (DIR/client), and exit")
      ->type_name("DIR");
  flags::addList(app, "--host", options.certHosts,
                 "With --make-certs: a host that tasks run on; may be repeated")
      ->type_name("NAME");
  app.add_option("--digest", options.digestFile,
                 "Print what --allow takes for this model.bin, and exit")
      ->type_name("FILE");
  app.add_flag("--probe", options.isProbe,
               "Print what this machine offers, and exit");
  app.add_flag("--json", options.isJson, "With --probe: as JSON");
}

runtime::Status convert(const std::string &route, ServerOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(options.route, flags::parseRoute(route));
  bool hasHosts = !options.psHosts.empty() || !options.workerHosts.empty() ||
                  !options.chiefHosts.empty();
  if (hasHosts && !options.cluster.empty())
    return runtime::invalidArgument(
        "--cluster and --ps_hosts, --worker_hosts or --chief_hosts both name "
        "the tasks; give one of them");
  if (options.isJson && !options.isProbe)
    return runtime::invalidArgument("--json belongs to --probe");
  GRAPHC_TRY(flags::checkMetricsFlag(options.metrics));
  if (!options.certHosts.empty() && options.makeCerts.empty())
    return runtime::invalidArgument("--host belongs to --make-certs");
  return runtime::Status::ok();
}

} // namespace

void printError(const std::string &text) {
  flags::printError("graphc-server", text);
}

ParsedServerOptions parseCommandLine(int argc, char **argv) {
  ParsedServerOptions parsed;
  std::string route = "auto";
  flags::CommandLine line(kAbout, "graphc-server");
  line.app().footer(kExitCodes);
  // As TensorFlow's examples have it, a job without hosts is none.
  line.mayBeEmpty = {"ps_hosts", "worker_hosts", "chief_hosts"};
  addPlace(line.app(), parsed.options);
  addRest(line.app(), parsed.options, route);
  parsed.exitCode = line.read(flags::argumentsOf(argc, argv),
                              [&] { return convert(route, parsed.options); });
  return parsed;
}

} // namespace graphc::server
