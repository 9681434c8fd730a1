// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/debug/OpVerification.h"

#include "runtime/data/Npy.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/Model.h"
#include "runtime/state/ChooseGraph.h"
#include "tools/graphc-run/Feeds.h"
#include "tools/graphc-run/FindTool.h"

#include <filesystem>
#include <fstream>

namespace graphc::run {

using namespace runtime;
namespace fs = std::filesystem;

namespace {

Status checkUse(const RunOptions &options) {
  const char *other = options.train.isTrain             ? "train"
                      : !options.loadFile.empty()       ? "--load"
                      : !options.checkpointFile.empty() ? "--checkpoint"
                      : options.debug.isUsed()          ? "--watch, --dump or "
                                                          "--break-on-nan"
                                                        : nullptr;
  if (!other)
    return Status::ok();
  return invalidArgument(
      std::string("--verify-ops starts from the first values "
                  "of the variables and keeps what it needs "
                  "itself; it does not go with ") +
      other);
}

} // namespace

Status OpVerification::writeFeeds(const RunOptions &options) {
  // Numbers are typed as the feeds of the graph, whatever their text is.
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                          Model::open(options.model));
  const format::Graph *graph = model->findGraph(options.graph);
  if (!graph)
    return Status::ok(); // The run says so.
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> feeds,
                          readFeeds(*graph, options.feeds));
  for (size_t i = 0; i < feeds.size(); ++i) {
    std::string path = folder->file("feed-" + std::to_string(i) + ".npy");
    GRAPHC_TRY(saveNpy(path, feeds[i].tensor));
    inputs.push_back("--feed=" + feeds[i].name + "=" + path);
  }
  return Status::ok();
}

StatusOr<std::unique_ptr<OpVerification>>
OpVerification::prepare(RunOptions &options) {
  GRAPHC_TRY(checkUse(options));
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                          Model::open(options.model));
  const format::Blob *source = model->index().source();
  if (!source)
    return invalidArgument("'" + options.model +
                           "' does not hold the text that it was compiled "
                           "from; compile it again");
  if (options.graph.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> plain,
                            takeVariant(model, /*onHost=*/true));
    GRAPHC_ASSIGN_OR_RETURN(options.graph,
                            onlyGraph(*plain, sourceGraphs(*plain)));
  }
  auto all = std::unique_ptr<OpVerification>(new OpVerification);
  GRAPHC_ASSIGN_OR_RETURN(all->compiler,
                          findTool("graphc", "--verify-ops needs",
                                   "build it, or add its folder to the PATH"));
  GRAPHC_ASSIGN_OR_RETURN(all->folder, TemporaryFolder::make());
  std::string text = all->folder->file("model.tfir");
  std::span<const std::byte> bytes = model->blob(*source);
  std::ofstream file(text, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  file.close();
  if (!file)
    return internalError("cannot write '" + text + "'");
  all->flags = {text};
  if (const auto *flags = model->index().flags())
    for (const auto *flag : *flags)
      all->flags.push_back(flag->str());
  std::string kept = all->folder->file("kept.bin");
  std::vector<std::string> arguments = all->flags;
  arguments.insert(arguments.end(), {"--keep=*", "-o", kept});
  GRAPHC_ASSIGN_OR_RETURN(int code, runTool(all->compiler, arguments));
  if (code != 0)
    return failedPrecondition("graphc cannot compile the text of '" +
                              options.model +
                              "' again, see above; files that its flags name "
                              "must be where they were");
  all->inputs = {"--interpret=" + options.graph,
                 "--seed=" + std::to_string(options.seed)};
  for (const flags::NamedText &data : options.data)
    all->inputs.push_back("--data=" + data.name + "=" + data.text);
  GRAPHC_TRY(all->writeFeeds(options));
  options.model = kept;
  options.debug.dump = {"*"};
  options.debug.dumpFolder = all->folder->file("values");
  return all;
}

StatusOr<int> OpVerification::compare() const {
  std::string values = folder->file("values");
  int64_t steps = 0;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(values, error))
    steps += entry.path().extension() == ".npz";
  std::vector<std::string> arguments = flags;
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  arguments.push_back("--steps=" + std::to_string(std::max<int64_t>(steps, 1)));
  arguments.push_back("--against=" + values);
  return runTool(compiler, arguments);
}

} // namespace graphc::run
