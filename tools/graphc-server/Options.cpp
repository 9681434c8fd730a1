// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-server/Options.h"

#include "runtime/base/Arguments.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <map>

namespace graphc::server {

namespace {

constexpr const char *kAbout =
    "Serves one task of a cluster: clients load plans into it and run them "
    "together with the other tasks. Servers may start in any order.";

constexpr const char *kExitCodes =
    "Exit codes: 0 ended by SIGTERM, SIGINT, a client or --idle-exit; 1 "
    "failed; "
    "2 the command line or the cluster is wrong; 3 the address is taken.";

const std::map<std::string, runtime::Route> kRoutes = {
    {"auto", runtime::Route::Auto},
    {"shm", runtime::Route::Shm},
    {"grpc", runtime::Route::Grpc}};

/// Accepts whole numbers from `least` to `most`.
CLI::Validator wholeNumber(int64_t least, int64_t most) {
  auto check = [least, most](const std::string &text) -> std::string {
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() &&
        value >= least && value <= most)
      return "";
    return "it takes a whole number from " + std::to_string(least) + " to " +
           std::to_string(most) + ", not '" + text + "'";
  };
  return CLI::Validator(check, "");
}

void addPlace(CLI::App &app, Options &options) {
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

void addRest(CLI::App &app, Options &options, std::string &route) {
  app.add_option("--threads", options.threads,
                 "Threads to compute with (default: one per core)")
      ->check(wholeNumber(1, 1024));
  app.add_flag("--virtual-gpus", options.virtualGpus,
               "Let the CPU execute the programs of GPUs");
  app.add_flag("--gpus-share", options.shareGpus,
               "Devices of a plan may share a GPU where there are too few");
  app.add_option("--plan", options.plans,
                 "Load this model.bin at the start; may be repeated")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option(
         "--allow", options.allowed,
         "Take no plan from clients but this one, by its --digest or its "
         "model.bin; may be repeated")
      ->allow_extra_args(false)
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
  app.add_option("--host", options.certHosts,
                 "With --make-certs: a host that tasks run on; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--digest", options.digestFile,
                 "Print what --allow takes for this model.bin, and exit")
      ->type_name("FILE");
  app.add_flag("--probe", options.isProbe,
               "Print what this machine offers, and exit");
  app.add_flag("--json", options.isJson, "With --probe: as JSON");
}

/// What CLI11 could make nothing of, or success.
runtime::Status checkRest(const CLI::App &app) {
  for (const std::string &text : app.remaining())
    return runtime::invalidArgument(
        text.starts_with('-') ? runtime::describeUnknownFlag(app, text)
                              : "'" + text + "' is no flag");
  // As TensorFlow's examples have it, a job without hosts is none.
  if (std::string problem = runtime::describeEmptyFlag(
          app, {"ps_hosts", "worker_hosts", "chief_hosts"});
      !problem.empty())
    return runtime::invalidArgument(problem);
  return runtime::Status::ok();
}

runtime::Status convert(const std::string &route, Options &options) {
  auto found = kRoutes.find(route);
  if (found == kRoutes.end())
    return runtime::invalidArgument("--route takes auto, shm or grpc, not '" +
                                    route + "'");
  options.route = found->second;
  bool hasHosts = !options.psHosts.empty() || !options.workerHosts.empty() ||
                  !options.chiefHosts.empty();
  if (hasHosts && !options.cluster.empty())
    return runtime::invalidArgument(
        "--cluster and --ps_hosts, --worker_hosts or --chief_hosts both name "
        "the tasks; give one of them");
  if (options.isJson && !options.isProbe)
    return runtime::invalidArgument("--json belongs to --probe");
  if (!options.certHosts.empty() && options.makeCerts.empty())
    return runtime::invalidArgument("--host belongs to --make-certs");
  return runtime::Status::ok();
}

ParsedCommandLine badCommandLine(const std::string &text) {
  printError(text + "; see graphc-server --help");
  ParsedCommandLine parsed;
  parsed.exitCode = kExitBadCommandLine;
  return parsed;
}

} // namespace

void printError(const std::string &text) {
  std::fprintf(stderr, "graphc-server: error: %s\n", text.c_str());
}

ParsedCommandLine parseCommandLine(int argc, char **argv) {
  ParsedCommandLine parsed;
  std::string route = "auto";
  CLI::App app(kAbout, "graphc-server");
  app.allow_extras();
  app.footer(kExitCodes);
  app.set_version_flag("--version", "graphc-server " GRAPHC_VERSION);
  addPlace(app, parsed.options);
  addRest(app, parsed.options, route);
  try {
    app.parse(runtime::reversedArguments(argc, argv));
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != 0)
      return badCommandLine(runtime::describeParseError(app, error.what()));
    parsed.exitCode = app.exit(error);
    return parsed;
  }
  runtime::Status status = checkRest(app);
  if (status.isOk())
    status = convert(route, parsed.options);
  if (!status.isOk())
    return badCommandLine(status.message());
  return parsed;
}

} // namespace graphc::server
