// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-ckpt: looks at, compares and converts checkpoints.
#include "tools/flags/CommandLine.h"
#include "tools/flags/FlagValues.h"
#include "tools/graphc-ckpt/Commands.h"

#include <string>
#include <vector>

namespace {

using namespace graphc::ckpt;
using namespace graphc::runtime;

struct Command {
  const char *name;
  StatusOr<int> (*act)(const CkptOptions &);
  size_t least, most; ///< paths
  const char *use;
};

constexpr Command kCommands[] = {
    {"list", list, 1, 1, "list DIR [--best=METRIC]"},
    {"show", show, 1, 1, "show CHECKPOINT [--stats]"},
    {"diff", diff, 2, 2, "diff CHECKPOINT CHECKPOINT [--tolerance=X]"},
    {"convert", convert, 1, 1, "convert CHECKPOINT --out=PATH [--shards=N]"},
    {"average", average, 1, SIZE_MAX,
     "average CHECKPOINT... --out=PATH [--shards=N]"},
    {"prune", prune, 1, 1,
     "prune DIR --keep=N [--keep-best=N --best=METRIC] [--dry-run]"},
};

const Command *findCommand(const std::string &name) {
  for (const Command &command : kCommands)
    if (command.name == name)
      return &command;
  return nullptr;
}

std::string about() {
  std::string text = "Looks at, compares and converts checkpoints: a folder "
                     "such as DIR/checkpoint-1000 or a .safetensors file.";
  for (const Command &command : kCommands)
    text += std::string("\n  graphc-ckpt ") + command.use;
  return text;
}

Status parseBest(const std::string &text, RetentionPolicy &policy) {
  size_t colon = text.rfind(':');
  std::string word = colon == std::string::npos ? "" : text.substr(colon + 1);
  if ((word != "min" && word != "max") || colon == 0)
    return invalidArgument("--best takes NAME:min or NAME:max, such as "
                           "loss:min, not '" +
                           text + "'");
  policy.metric = text.substr(0, colon);
  policy.isLargerBetter = word == "max";
  return Status::ok();
}

Status check(CkptOptions &options, const std::string &best) {
  const Command *command = findCommand(options.command);
  if (!command) {
    std::vector<std::string_view> names;
    for (const Command &known : kCommands)
      names.push_back(known.name);
    return invalidArgument("the command is " +
                           graphc::flags::alternatives(names) + ", not '" +
                           options.command + "'");
  }
  if (options.paths.size() < command->least ||
      options.paths.size() > command->most)
    return invalidArgument(std::string("use: graphc-ckpt ") + command->use);
  bool writes = options.command == "convert" || options.command == "average";
  if (writes && options.output.empty())
    return invalidArgument(options.command +
                           " needs --out=PATH: NAME.safetensors, NAME.npz or "
                           "a folder");
  if (!best.empty())
    GRAPHC_TRY(parseBest(best, options.keeps));
  if (options.keeps.best > 0 && best.empty())
    return invalidArgument("--keep-best needs --best=METRIC");
  return Status::ok();
}

} // namespace

int main(int argc, char **argv) {
  CkptOptions options;
  options.keeps.last = 0;
  std::string best;
  graphc::flags::CommandLine line(about(), "graphc-ckpt");
  CLI::App &app = line.app();
  app.add_option("command", options.command, "What to do")->required();
  app.add_option("paths", options.paths,
                 "Checkpoints, or the folder of a "
                 "training");
  app.add_option("--out", options.output,
                 "What to write: NAME.safetensors, NAME.npz, or a folder");
  app.add_option("--shards", options.shards,
                 "Files of a folder that is written (default: 1)")
      ->check(graphc::flags::wholeNumber(1, 99999));
  app.add_flag("--stats", options.showsValues,
               "Print minimum, maximum, mean and norm of each tensor");
  app.add_option("--tolerance", options.tolerance,
                 "Largest difference of two elements that is none")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--keep", options.keeps.last, "Checkpoints to keep, the last")
      ->check(graphc::flags::wholeNumber(1));
  app.add_option("--keep-best", options.keeps.best,
                 "Apart from them, so many of the best")
      ->check(graphc::flags::wholeNumber(1));
  app.add_option("--best", best, "NAME:min or NAME:max: which are best")
      ->type_name("METRIC");
  app.add_flag("--dry-run", options.onlyTells,
               "Only print what would be removed");
  if (std::optional<int> code =
          line.read(graphc::flags::argumentsOf(argc, argv),
                    [&] { return check(options, best); }))
    return *code;
  StatusOr<int> code = findCommand(options.command)->act(options);
  if (code.isOk())
    return *code;
  graphc::flags::printError("graphc-ckpt", code.status().message());
  return options.command == "diff" ? 2 : graphc::flags::kExitFailure;
}
