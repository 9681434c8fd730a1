// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs graphs of a model, one step each, in one process:
//
//   run-graphs MODEL FEEDS.npz OUT.npz [--threads=N] [--cpu-level=v3|v4] <
//   NAMES
//
// Feeds and fetches are called `GRAPH/NAME`. A graph that fails is a line
// `GRAPH: error` and has no fetches in OUT.npz; all others run. The exit code
// is 0 unless nothing could run.
#include "runtime/data/Npy.h"
#include "runtime/session/LocalSession.h"

#include <cstdio>
#include <iostream>
#include <map>

namespace {

using namespace graphc::runtime;

/// The feeds of all graphs, by graph.
using Feeds = std::map<std::string, std::vector<NamedTensor>>;

int fail(const Status &status) {
  std::fprintf(stderr, "run-graphs: error: %s\n", status.message().c_str());
  return 1;
}

StatusOr<Feeds> readFeeds(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> arrays, loadNpz(path));
  Feeds feeds;
  for (NamedTensor &array : arrays) {
    size_t slash = array.name.find('/');
    if (slash == std::string::npos)
      return invalidArgument("'" + array.name + "' is not GRAPH/FEED");
    feeds[array.name.substr(0, slash)].push_back(
        {array.name.substr(slash + 1), std::move(array.tensor)});
  }
  return feeds;
}

/// One step of a graph from the first values of variables.
Status runGraph(LocalSession &session, const std::string &name, Feeds &feeds,
                std::vector<NamedTensor> &out) {
  GRAPHC_TRY(session.initialize(true));
  RunRequest request;
  request.graph = name;
  request.feeds = std::move(feeds[name]);
  StatusOr<RunOutcome> done =
      session.runSteps(request, [&](const StepView &step) {
        for (size_t i = 0; i < step.size(); ++i)
          out.push_back(
              {name + "/" + std::string(step.name(i)), step.tensor(i)});
        return true;
      });
  return done.isOk() ? Status::ok() : done.status();
}

Status runGraphs(LocalSession &session, Feeds feeds, const std::string &path) {
  std::vector<NamedTensor> out;
  for (std::string name; std::getline(std::cin, name);) {
    Status status = runGraph(session, name, feeds, out);
    if (!status.isOk())
      std::printf("%s: %s\n", name.c_str(), status.message().c_str());
  }
  return saveNpz(path, out);
}

} // namespace

int main(int argc, char **argv) {
  SessionOptions options;
  options.numerics.policy = NanPolicy::Ignore;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.starts_with("--threads="))
      options.threads = std::atoi(argument.c_str() + 10);
    else if (argument.starts_with("--cpu-level="))
      options.cpuLevel = parseCpuLevel(argument.substr(12));
    else
      paths.push_back(argument);
  }
  if (paths.size() != 3)
    return fail(invalidArgument(
        "it takes MODEL FEEDS.npz OUT.npz, and names of graphs on stdin"));
  auto feeds = readFeeds(paths[1]);
  if (!feeds.isOk())
    return fail(feeds.status());
  auto session = LocalSession::open(paths[0], options);
  if (!session.isOk())
    return fail(session.status());
  Status status = runGraphs(**session, std::move(*feeds), paths[2]);
  return status.isOk() ? 0 : fail(status);
}
