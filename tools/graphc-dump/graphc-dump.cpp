// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-dump model.bin: shows what a compiled model holds. Exits 1 when the
// file cannot be read or is refused, 2 on a bad command line.
#include "runtime/format/Print.h"
#include "runtime/format/Quote.h"
#include "tools/graphc-dump/Json.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace graphc;
using nlohmann::ordered_json;

namespace {

struct Options {
  std::string file;
  std::string what = "all";
  std::string graph;
  bool json = false;
  bool layout = false;

  bool wants(std::string_view part) const {
    return what == "all" || what == part;
  }
  bool wants(const format::Graph &chosen) const {
    return graph.empty() || runtime::viewOf(chosen.name()) == graph;
  }
};

void declare(CLI::App &app, Options &options) {
  app.add_option("model", options.file, "The model.bin to show")->required();
  app.add_option("--what", options.what, "The part to show")
      ->check(CLI::IsMember(
          {"all", "metadata", "schedule", "memory", "kernels", "source"}))
      ->capture_default_str();
  app.add_option("--graph", options.graph, "Show this graph only");
  app.add_flag("--json", options.json, "Print one JSON object");
  app.add_flag("--layout", options.layout,
               "Show offsets, sizes and digests, too");
}

std::string_view sourceOf(const runtime::Model &model) {
  const format::Blob *source = model.index().source();
  if (!source)
    return {};
  auto bytes = model.blob(*source);
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

void printText(const runtime::Model &model, const Options &options) {
  const format::Model &index = model.index();
  if (options.wants("metadata"))
    runtime::printMetadata(model, std::cout, options.layout, options.graph);
  for (const format::Graph *graph : *index.graphs()) {
    if (!options.wants(*graph))
      continue;
    if (options.wants("schedule"))
      runtime::printSchedule(index, *graph, std::cout);
    if (options.wants("memory"))
      runtime::printMemory(*graph, std::cout, options.layout);
  }
  if (options.wants("kernels"))
    runtime::printKernels(index, std::cout, options.layout);
  if (!options.wants("source"))
    return;
  if (options.what == "all")
    std::cout << "source\n";
  std::cout << sourceOf(model);
}

void printJson(const runtime::Model &model, const Options &options) {
  const format::Model &index = model.index();
  ordered_json json = options.wants("metadata") ? dump::metadataJson(model)
                                                : ordered_json::object();
  ordered_json graphs = ordered_json::array();
  for (const format::Graph *graph : *index.graphs()) {
    if (!options.wants(*graph))
      continue;
    ordered_json item;
    item["name"] = runtime::viewOf(graph->name());
    if (options.wants("metadata"))
      item.update(dump::portsJson(*graph));
    if (options.wants("schedule"))
      item["schedule"] = dump::scheduleJson(*graph);
    if (options.wants("memory"))
      item["memory"] = dump::memoryJson(*graph);
    graphs.push_back(std::move(item));
  }
  if (options.what != "kernels" && options.what != "source")
    json["graphs"] = std::move(graphs);
  if (options.wants("kernels"))
    json["kernels"] = dump::kernelsJson(index);
  if (options.wants("source"))
    json["source"] = sourceOf(model);
  // Texts of the file need not be UTF-8; what is not is replaced.
  std::cout << json.dump(2, ' ', false, ordered_json::error_handler_t::replace)
            << "\n";
}

runtime::Status show(const Options &options) {
  GRAPHC_ASSIGN_OR_RETURN(auto model, runtime::Model::open(options.file));
  if (!options.graph.empty() && !model->findGraph(options.graph)) {
    std::string known;
    for (const format::Graph *graph : *model->index().graphs())
      known += (known.empty() ? "" : ", ") +
               runtime::quote(runtime::viewOf(graph->name()));
    return runtime::notFound("model file " + runtime::quote(options.file) +
                             " has no graph " + runtime::quote(options.graph) +
                             "; it has " + (known.empty() ? "none" : known));
  }
  if (options.json)
    printJson(*model, options);
  else
    printText(*model, options);
  std::cout.flush();
  if (!std::cout)
    return runtime::unavailable("the output cannot be written; is the disk "
                                "full or the pipe closed?");
  return runtime::Status::ok();
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Shows what a compiled model holds.", "graphc-dump");
  Options options;
  declare(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  runtime::Status status = show(options);
  if (status.isOk())
    return 0;
  std::cerr << "graphc-dump: error: " << status.message() << "\n";
  return 1;
}
