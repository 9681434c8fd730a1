// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-dump model.bin: shows what a compiled model holds. Exits 1 when the
// file cannot be read or is refused, 2 on a bad command line.
// graphc-dump --diff a.bin b.bin: exits 0 when they do not differ, 1 when they
// do, 2 when that is not known.
#include "report/Report.h"
#include "report/WriteDot.h"
#include "report/WriteHtml.h"
#include "report/WriteSvg.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/Quote.h"
#include "runtime/format/print/Print.h"
#include "tools/flags/CommandLine.h"
#include "tools/graphc-dump/Diff.h"
#include "tools/graphc-dump/Json.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

using namespace graphc;
using nlohmann::ordered_json;

namespace {

struct Options {
  std::vector<std::string> files;
  std::string what = "all";
  std::string graph;   ///< shown alone; empty: all
  std::string picture; ///< dot, svg, html; empty: text
  std::string output;
  std::string format = "text";
  bool diff = false;
  bool json = false;
  bool layout = false;

  bool wants(std::string_view part) const {
    return what == "all" || what == part;
  }
  bool wants(const format::Graph &chosen) const {
    // A variant for the host is shown where it is named.
    return graph.empty() ? !runtime::isHostVariant(chosen)
                         : runtime::viewOf(chosen.name()) == graph;
  }
};

void declare(CLI::App &app, Options &options) {
  app.add_option("model", options.files,
                 "The model.bin to show; two for --diff");
  app.add_option("--what", options.what, "The part to show")
      ->check(CLI::IsMember({"all", "metadata", "schedule", "memory", "kernels",
                             "source", "report", "ptx"}))
      ->capture_default_str();
  app.add_option("--graph", options.picture,
                 "Draw a graph: dot, svg or html; any other word is read as "
                 "--of=NAME");
  app.add_option("--of", options.graph, "Show or draw this graph only");
  app.add_option("-o,--output", options.output,
                 "Write to this file instead of stdout");
  app.add_flag("--diff", options.diff, "Show how two models differ");
  app.add_option("--format", options.format, "Of --diff: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_flag("--json", options.json, "Print one JSON object");
  app.add_flag("--layout", options.layout,
               "Show offsets, sizes and digests, too");
}

/// Returns the error in flags that CLI11 took; empty when there is none.
std::string describeProblem(const CLI::App &app, Options &options) {
  if (options.files.empty())
    return "no model.bin is given";
  const std::string &picture = options.picture;
  if (!picture.empty() && picture != "dot" && picture != "svg" &&
      picture != "html") {
    if (!options.graph.empty())
      return "--graph=" + picture +
             " is no kind of picture; there are dot, "
             "svg and html";
    options.graph = std::exchange(options.picture, "");
  }
  if (options.diff && options.files.size() != 2)
    return "--diff compares two models, but " +
           std::to_string(options.files.size()) +
           " are named; write graphc-dump --diff a.bin b.bin";
  if (!options.diff && options.files.size() != 1)
    return "one model is shown at a time; to compare two add --diff";
  if (options.what == "report" && options.json)
    return "--what=report is JSON already; leave out --json";
  if (options.what == "ptx" && options.json)
    return "--what=ptx is a text for assemblers; leave out --json";
  if (!options.diff && app.count("--format"))
    return "--format is of --diff; for a model as JSON use --json";
  for (const char *flag : {"--what", "--graph", "--of", "--json", "--layout"})
    if (options.diff && app.count(flag))
      return std::string(flag) + " has no effect with --diff; leave it out";
  for (const char *flag : {"--what", "--json", "--layout"})
    if (!options.picture.empty() && app.count(flag))
      return std::string(flag) +
             " has no effect with --graph=" + options.picture +
             "; leave it out";
  return "";
}

std::string_view textOf(const runtime::Model &model, const format::Blob *blob) {
  if (!blob)
    return {};
  auto bytes = model.blob(*blob);
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

void printText(const runtime::Model &model, const Options &options,
               std::ostream &out) {
  const format::Model &index = model.index();
  if (options.wants("metadata"))
    runtime::printMetadata(model, out, options.layout, options.graph);
  for (const format::Graph *graph : *index.graphs()) {
    if (!options.wants(*graph))
      continue;
    if (options.wants("schedule"))
      runtime::printSchedule(index, *graph, out);
    if (options.wants("memory"))
      runtime::printMemory(index, *graph, out, options.layout);
  }
  if (options.wants("kernels"))
    runtime::printKernels(model, out, options.layout);
  // As JSON for other programs; it has more than a person wants to read.
  if (options.what == "report")
    out << textOf(model, index.report()) << (index.report() ? "\n" : "");
  // As an assembler wants it, which takes the text of one architecture.
  if (options.what == "ptx")
    for (const runtime::ExecutableFormat *format : runtime::executableFormats())
      if (runtime::ExecutableCode code = model.executable(format->target());
          !code.bytes.empty())
        for (std::string_view text : format->assembly(code))
          out << text;
  if (!options.wants("source"))
    return;
  if (options.what == "all")
    out << "source\n";
  out << textOf(model, index.source());
}

void printJson(const runtime::Model &model, const Options &options,
               std::ostream &out) {
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
      item["schedule"] = dump::scheduleJson(index, *graph);
    if (options.wants("memory"))
      item["memory"] = dump::memoryJson(index, *graph);
    graphs.push_back(std::move(item));
  }
  if (options.what != "kernels" && options.what != "source")
    json["graphs"] = std::move(graphs);
  if (options.wants("kernels"))
    json["kernels"] = dump::kernelsJson(model);
  if (options.wants("source"))
    json["source"] = textOf(model, index.source());
  // Texts of the file need not be UTF-8; what is not is replaced.
  out << json.dump(2, ' ', false, ordered_json::error_handler_t::replace)
      << "\n";
}

runtime::Status drawGraph(const runtime::Model &model, const Options &options,
                          std::ostream &out) {
  if (options.picture == "html")
    return report::writeHtml(model, options.graph, out);
  GRAPHC_ASSIGN_OR_RETURN(report::Report report, report::Report::of(model));
  const report::ReportGraph *graph = options.graph.empty()
                                         ? report::defaultGraph(report)
                                         : report.findGraph(options.graph);
  if (!graph)
    return runtime::dataLoss("model file " + runtime::quote(model.name()) +
                             " has a report without the graph; compile the "
                             "model again");
  if (options.picture == "dot")
    report::writeDot(report, *graph, out);
  else
    report::writeSvg(report, *graph, out);
  return runtime::Status::ok();
}

runtime::Status checkGraphName(const runtime::Model &model,
                               const std::string &name) {
  if (name.empty() || model.findGraph(name))
    return runtime::Status::ok();
  std::string known;
  for (const format::Graph *graph : *model.index().graphs())
    known += (known.empty() ? "" : ", ") +
             runtime::quote(runtime::viewOf(graph->name()));
  return runtime::notFound("model file " + runtime::quote(model.name()) +
                           " has no graph " + runtime::quote(name) +
                           "; it has " + (known.empty() ? "none" : known));
}

/// Fails when the file or stdout does not take the text.
runtime::Status writeOut(const std::string &text, const std::string &path) {
  if (path.empty() || path == "-") {
    std::cout << text;
    std::cout.flush();
    if (std::cout)
      return runtime::Status::ok();
    return runtime::unavailable("the output cannot be written; is the disk "
                                "full or the pipe closed?");
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file)
    return runtime::Status::ok();
  return runtime::unavailable("cannot write " + runtime::quote(path) + ": " +
                              std::strerror(errno) +
                              "; name a file in a folder that is yours");
}

runtime::Status show(const Options &options) {
  GRAPHC_ASSIGN_OR_RETURN(auto model,
                          runtime::Model::open(options.files.front()));
  GRAPHC_TRY(checkGraphName(*model, options.graph));
  std::ostringstream text;
  if (!options.picture.empty())
    GRAPHC_TRY(drawGraph(*model, options, text));
  else if (options.json)
    printJson(*model, options, text);
  else
    printText(*model, options, text);
  return writeOut(text.str(), options.output);
}

/// True when the models differ.
runtime::StatusOr<bool> compare(const Options &options) {
  GRAPHC_ASSIGN_OR_RETURN(auto before, runtime::Model::open(options.files[0]));
  GRAPHC_ASSIGN_OR_RETURN(auto after, runtime::Model::open(options.files[1]));
  GRAPHC_ASSIGN_OR_RETURN(dump::ModelDiff diff,
                          dump::diffModels(*before, *after));
  std::ostringstream text;
  if (options.format == "json")
    text << dump::diffJson(diff).dump(2, ' ', false,
                                      ordered_json::error_handler_t::replace)
         << "\n";
  else
    dump::printDiff(diff, text);
  GRAPHC_TRY(writeOut(text.str(), options.output));
  return !diff.isEmpty();
}

int fail(const runtime::Status &status, int code) {
  flags::printError("graphc-dump", status.message());
  return code;
}

} // namespace

int main(int argc, char **argv) {
  flags::CommandLine line("Shows what a compiled model holds.", "graphc-dump");
  Options options;
  declare(line.app(), options);
  auto check = [&] {
    std::string problem = describeProblem(line.app(), options);
    return problem.empty() ? runtime::Status::ok()
                           : runtime::invalidArgument(problem);
  };
  if (auto exitCode = line.read(flags::argumentsOf(argc, argv), check))
    return *exitCode;
  if (options.diff) {
    runtime::StatusOr<bool> differ = compare(options);
    if (!differ.isOk())
      return fail(differ.status(), 2);
    return *differ ? 1 : 0;
  }
  runtime::Status status = show(options);
  return status.isOk() ? 0 : fail(status, 1);
}
