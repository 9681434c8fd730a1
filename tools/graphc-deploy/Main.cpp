// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-deploy: writes the manifests with which Kubernetes, Compose, systemd
// or Slurm start the tasks of a model.bin and the client that runs it. Exits 1
// when the model or the output fails, 2 on a bad command line.
#include "tools/flags/ClientFlags.h"
#include "tools/flags/CommandLine.h"
#include "tools/flags/DeployFlags.h"
#include "tools/flags/RunFlags.h"

namespace {

using namespace graphc;
using runtime::Status;

constexpr const char *kTool = "graphc-deploy";
constexpr const char *kAbout =
    "Writes what starts the tasks of a model.bin on a cluster, and the client "
    "that runs it. The client gets the flags that are given here; they mean "
    "what they mean for graphc-run.";

struct Options {
  flags::RunFlags run;
  flags::ClientFlags client;
  flags::DeployFlags deploy;
  std::string cluster;
};

void addFlags(CLI::App &app, Options &options, flags::RunTexts &texts) {
  flags::addDeployFlags(app, options.deploy, "--kind", "Manifests");
  app.add_option("--metrics", options.deploy.options.metricsPort,
                 "Port at which each task serves what it counts to Prometheus, "
                 "with the annotations by which that finds it")
      ->type_name("PORT")
      ->check(flags::wholeNumber(1, 65535))
      ->group("Manifests");
  flags::addRunFlags(app, options.run, texts, "The model.bin to deploy",
                     "Folder for the files, which must be there (default: "
                     "print them)");
  flags::addNumericsFlags(app, options.run, texts);
  flags::addClusterFlag(app, options.cluster);
  flags::addClientFlags(app, options.client);
}

/// Converts what is text on the command line and compares all flags.
Status complete(const CLI::App &app, const flags::RunTexts &texts,
                Options &options) {
  if (options.run.model.empty())
    return runtime::invalidArgument("no model.bin is given");
  if (options.deploy.kind.empty())
    return runtime::invalidArgument("no --kind is given; it takes " +
                                    flags::manifestKinds());
  if (options.run.workers != 0 && !options.cluster.empty())
    return runtime::invalidArgument(
        "--workers and --cluster both say how many workers there are; give one "
        "of them");
  GRAPHC_TRY(flags::convertRunFlags(texts, options.run));
  GRAPHC_TRY(flags::checkRunFlags(options.run));
  GRAPHC_TRY(flags::checkClientFlags(options.client,
                                     !options.run.checkpointFile.empty()));
  return flags::convertDeployFlags(app, "--kind", options.deploy);
}

} // namespace

int main(int argc, char **argv) {
  flags::CommandLine line(kAbout, kTool);
  Options options;
  flags::RunTexts texts;
  line.describeExtra = [&](const std::string &text) {
    return "one model.bin is deployed, but '" + text + "' follows '" +
           options.run.model + "'";
  };
  addFlags(line.app(), options, texts);
  auto exitCode = line.read(flags::argumentsOf(argc, argv), [&] {
    return complete(line.app(), texts, options);
  });
  if (exitCode)
    return *exitCode;
  Status status =
      flags::deployPlan(kTool, options.deploy, options.run, options.cluster);
  if (status.isOk())
    return 0;
  flags::printError(kTool, status.message());
  return flags::kExitFailure;
}
