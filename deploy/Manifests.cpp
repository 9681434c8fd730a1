// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "deploy/Manifests.h"

#include "deploy/Deployment.h"

#include <cstdio>
#include <fstream>

namespace graphc::deploy {

using namespace runtime;

namespace {

EmitFunction *emitterOf(ManifestKind kind) {
  switch (kind) {
  case ManifestKind::Kubernetes:
    return emitKubernetes;
  case ManifestKind::Compose:
    return emitCompose;
  case ManifestKind::Systemd:
    return emitSystemd;
  case ManifestKind::Slurm:
    return emitSlurm;
  }
  return nullptr;
}

std::vector<std::string> notesOf(const Deployment &deployment) {
  std::vector<std::string> notes;
  for (const std::string &dataset : deployment.missingData)
    notes.push_back("the client will stop: its graph reads dataset '" +
                    dataset + "', which has no files; add --data=" + dataset +
                    "=FILE with a file as the tasks see it");
  for (const std::string &feed : deployment.missingFeeds)
    notes.push_back("the client will stop: its graph has the feed '" + feed +
                    "' without a value; add --feed " + feed +
                    "=NUMBERS, or a .npy file as the client sees it");
  return notes;
}

Status printFiles(const std::vector<ManifestFile> &files) {
  for (const ManifestFile &file : files) {
    if (files.size() > 1)
      std::printf("# file: %s\n", file.name.c_str());
    std::fwrite(file.text.data(), 1, file.text.size(), stdout);
  }
  if (std::fflush(stdout) != 0)
    return unavailable("the manifests cannot be written to the output");
  return Status::ok();
}

} // namespace

StatusOr<Manifests> makeManifests(const Model &plan,
                                  const ManifestRequest &request) {
  GRAPHC_ASSIGN_OR_RETURN(Deployment deployment,
                          Deployment::make(plan, request));
  Manifests result;
  GRAPHC_ASSIGN_OR_RETURN(result.files,
                          emitterOf(request.options.kind)(deployment));
  result.notes = notesOf(deployment);
  return result;
}

Status writeManifests(const Manifests &manifests, const std::string &outDir) {
  if (outDir.empty())
    return printFiles(manifests.files);
  for (const ManifestFile &file : manifests.files) {
    std::string path = outDir + "/" + file.name;
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    if (!out.flush())
      return unavailable("'" + path +
                         "' cannot be written; make the folder, or name "
                         "another with --out");
  }
  return Status::ok();
}

} // namespace graphc::deploy
