// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-top/TopOptions.h"

#include "tools/flags/FlagValues.h"

#include <filesystem>

namespace graphc::top {

using runtime::invalidArgument;
using runtime::Status;

namespace {

constexpr const char *kAbout =
    "Shows what the tasks of a cluster do: rates, losses, waits, memory, "
    "links.\n"
    "Keys: q quit, 1 2 3 views, arrows or j k select, s sort, p pause, h help.";

constexpr std::pair<std::string_view, TopView> kViews[] = {
    {"tasks", TopView::Tasks},
    {"links", TopView::Links},
    {"graphs", TopView::Graphs}};

void addFlags(CLI::App &app, TopOptions &options, std::string &view) {
  app.add_option("address", options.targets,
                 "Any task of the cluster, grpc://HOST:PORT, HOST:PORT or "
                 "unix:PATH, or several with commas; or a cluster file")
      ->delimiter(',')
      ->type_name("ADDRESS");
  app.add_option("--cluster", options.cluster,
                 "The tasks of the cluster: a JSON file, or its text")
      ->type_name("FILE|JSON");
  app.add_option("--interval", options.interval, "Ask every so many seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->type_name("SECONDS");
  app.add_option("--view", view, "Begin with tasks, links or graphs");
  app.add_flag("--once", options.isOnce,
               "Print the view once and exit, as where stdout is no terminal");
  app.add_flag("--json", options.isJson,
               "Print a line of JSON at each interval, or once with --once");
  app.add_option("--tls-dir", options.tlsDir,
                 "Folder with ca.pem, cert.pem and key.pem of a client for "
                 "mutual TLS")
      ->type_name("DIR");
}

Status convert(const std::string &view, TopOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(options.view,
                          flags::parseChoice("--view", view, kViews));
  std::error_code error;
  if (options.cluster.empty() && options.targets.size() == 1 &&
      std::filesystem::is_regular_file(options.targets[0], error)) {
    options.cluster = options.targets[0];
    options.targets.clear();
  }
  if (options.cluster.empty() && options.targets.empty())
    return invalidArgument("no task is given: name the address of one, or "
                           "--cluster");
  if (!options.cluster.empty() && !options.targets.empty())
    return invalidArgument("an address and --cluster both name the tasks; give "
                           "one of them");
  return Status::ok();
}

} // namespace

ParsedTopOptions parseCommandLine(int argc, char **argv) {
  ParsedTopOptions parsed;
  std::string view = "tasks";
  flags::CommandLine line(kAbout, "graphc-top");
  addFlags(line.app(), parsed.options, view);
  parsed.exitCode = line.read(flags::argumentsOf(argc, argv),
                              [&] { return convert(view, parsed.options); });
  return parsed;
}

} // namespace graphc::top
