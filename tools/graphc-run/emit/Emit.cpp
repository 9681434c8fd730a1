// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/emit/Emit.h"

#include "tools/graphc-run/emit/Deployment.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

namespace graphc::run {

using namespace runtime;

void addEmitFlags(CLI::App &app, EmitFlags &flags) {
  constexpr const char *kGroup = "Manifests";
  auto add = [&](const char *name, std::string &value, const char *help) {
    return app.add_option(name, value, help)->group(kGroup);
  };
  add("--emit", flags.kind,
      "Print what starts the tasks of the model, and run nothing: kubernetes, "
      "compose, systemd or slurm; with --out, into files there")
      ->type_name("KIND");
  add("--image", flags.image, "Image that has graphc-server and graphc-run");
  add("--namespace", flags.namespaceName, "Namespace of Kubernetes");
  add("--name", flags.name, "Name of what is started (default: graphc)");
  app.add_flag("--tls", flags.isTls,
               "Tasks and the client prove who they are by certificates")
      ->group(kGroup);
}

StatusOr<std::vector<EmittedFile>> emitManifests(const Model &plan,
                                                 const EmitRequest &request) {
  static constexpr std::pair<const char *, EmitFunction *> kKinds[] = {
      {"kubernetes", emitKubernetes},
      {"compose", emitCompose},
      {"systemd", emitSystemd},
      {"slurm", emitSlurm}};
  for (const auto &[name, emit] : kKinds) {
    if (request.flags.kind != name)
      continue;
    GRAPHC_ASSIGN_OR_RETURN(Deployment deployment,
                            Deployment::make(plan, request));
    return emit(deployment);
  }
  return invalidArgument(
      "--emit takes kubernetes, compose, systemd or slurm, not '" +
      request.flags.kind + "'");
}

Status writeManifests(const Model &plan, const EmitRequest &request,
                      const std::string &outDir) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<EmittedFile> files,
                          emitManifests(plan, request));
  GRAPHC_ASSIGN_OR_RETURN(Deployment deployment,
                          Deployment::make(plan, request));
  for (const std::string &dataset : deployment.missingData)
    std::fprintf(stderr,
                 "graphc-run: note: the client will stop: its graph reads "
                 "dataset '%s', which has no files; add --data=%s=FILE with a "
                 "file as the tasks see it\n",
                 dataset.c_str(), dataset.c_str());
  for (const std::string &feed : deployment.missingFeeds)
    std::fprintf(stderr,
                 "graphc-run: note: the client will stop: its graph has the "
                 "feed '%s' without a value; add --feed %s=NUMBERS, or a .npy "
                 "file as the client sees it\n",
                 feed.c_str(), feed.c_str());
  for (const EmittedFile &file : files) {
    if (outDir.empty()) {
      if (files.size() > 1)
        std::printf("# file: %s\n", file.name.c_str());
      std::fwrite(file.text.data(), 1, file.text.size(), stdout);
      continue;
    }
    std::string path = outDir + "/" + file.name;
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    if (!out.flush())
      return unavailable("'" + path +
                         "' cannot be written; make the folder, or name "
                         "another with --out");
  }
  if (std::fflush(stdout) != 0)
    return unavailable("the manifests cannot be written to the output");
  return Status::ok();
}

} // namespace graphc::run
