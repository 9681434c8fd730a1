// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/flags/DeployFlags.h"

#include "tools/flags/OpenPlan.h"

#include <cstdio>
#include <set>

namespace graphc::flags {

using namespace runtime;

namespace {

/// Arguments that manifests have in their own way, or not at all.
const std::set<std::string> kNotTheClients = {
    "model",  "--out",     "--cluster",   "--graph", "--steps",
    "--data", "--emit",    "--kind",      "--image", "--name",
    "--tls",  "--workers", "--namespace",
};

} // namespace

std::string manifestKinds() {
  std::vector<std::string_view> kinds;
  for (const auto &[name, kind] : deploy::kManifestKinds)
    kinds.push_back(name);
  return alternatives(kinds);
}

void addDeployFlags(CLI::App &app, DeployFlags &flags, const char *kindFlag,
                    const char *group) {
  auto add = [&](const char *name, std::string &value,
                 const std::string &help) {
    return app.add_option(name, value, help)->group(group);
  };
  add(kindFlag, flags.kind, "What starts the tasks: " + manifestKinds())
      ->type_name("KIND");
  deploy::ManifestOptions &options = flags.options;
  add("--image", options.image, "Image that has graphc-server and graphc-run");
  add("--namespace", options.namespaceName, "Namespace of Kubernetes");
  add("--name", options.name, "Name of what is started (default: graphc)");
  app.add_flag("--tls", options.isTls,
               "Tasks and the client prove who they are by certificates")
      ->group(group);
}

std::string optionName(const CLI::Option &option) {
  return option.get_lnames().empty() ? option.get_name()
                                     : "--" + option.get_lnames().front();
}

Status convertDeployFlags(const CLI::App &app, const char *kindFlag,
                          DeployFlags &flags) {
  GRAPHC_ASSIGN_OR_RETURN(
      flags.options.kind,
      parseChoice(kindFlag, flags.kind, deploy::kManifestKinds));
  for (const CLI::Option *option : app.get_options()) {
    std::string name = optionName(*option);
    if (option->count() == 0 || kNotTheClients.count(name))
      continue;
    if (name == "--metrics" && flags.options.metricsPort > 0)
      continue; // it is the servers'
    bool isSwitch = option->get_items_expected_max() == 0;
    if (isSwitch)
      flags.clientArguments.push_back(name);
    for (const std::string &value : option->results())
      if (!isSwitch)
        flags.clientArguments.push_back(name + "=" + value);
  }
  return Status::ok();
}

Status deployPlan(const char *tool, const DeployFlags &flags,
                  const RunFlags &run, const std::string &cluster) {
  deploy::ManifestRequest request{
      flags.options, cluster, run.graph, run.steps, {}, flags.clientArguments};
  for (const NamedText &data : run.data)
    request.data.emplace_back(data.name, data.text);
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> plan,
                          openPlan(run, cluster, /*onHost=*/false,
                                   "choose one with --workers=N, or by the "
                                   "--cluster that it is for"));
  GRAPHC_ASSIGN_OR_RETURN(deploy::Manifests manifests,
                          deploy::makeManifests(*plan, request));
  for (const std::string &note : manifests.notes)
    std::fprintf(stderr, "%s: note: %s\n", tool, note.c_str());
  return deploy::writeManifests(manifests, run.outDir);
}

} // namespace graphc::flags
