// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags, bound to the fields of the options. CLI11 and not LLVM's own
// command line: that one is shared with the libraries, which bring hundreds of
// flags and some of our names.
#include "tools/graphc/ToolOptions.h"

#include "lib/placement/inputs/ClusterDevices.h"
#include "lib/placement/inputs/DeviceSet.h"
#include "lib/target/Target.h"
#include "tools/flags/CommandLine.h"
#include "tools/graphc/FlagChecks.h"
#include "tools/graphc/OptionChecks.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

namespace graphc {

namespace {

/// More updates than that are no bound.
constexpr int64_t kMaxStaleness = 1'000'000'000;

/// Flags as text, before they are what the options hold.
struct TextFlags {
  std::string stopAfter, startAt;
  std::string numerics = "default";
  std::string workers;
  std::string sync;
  std::string variables;
  std::string lint;
  std::vector<std::string> data, feeds; ///< of --interpret
};

/// Adds a flag that is one of the words of an enumeration; its help lists them
/// after `what`.
template <typename Enum, typename Field>
CLI::Option *addChoice(CLI::App &app, const std::string &flag, Field &field,
                       const std::string &what, const std::string &end) {
  return app
      .add_option_function<std::string>(
          flag,
          [&field](const std::string &text) {
            field = parseChoice<Enum>(text).value();
          },
          what + ": " + describeChoices<Enum>() + " (default: " + end + ")")
      ->option_text("HOW")
      ->check(wordCheck(choiceNames<Enum>()));
}

/// The same, with the field's value as the default.
template <typename Enum>
CLI::Option *addChoice(CLI::App &app, const std::string &flag, Enum &field,
                       const std::string &what) {
  return addChoice<Enum>(app, flag, field, what, choiceName(field).str());
}

void addDeviceFlags(CLI::App &app, DeviceOptions &devices) {
  app.add_option("--devices", devices.devices,
                 "Devices to compile for (default: cpu:0), such as "
                 "cpu:0,gpu:0-3,gpu:4=2GiB")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("LIST")
      ->transform(deviceItemCheck());
  app.add_option("--cpu-devices", devices.cpuDevices,
                 "Make the processor so many devices")
      ->option_text("N")
      ->check(countCheck(kMaxDevices));
  app.add_option("--cluster", devices.cluster,
                 "JSON file of tasks and their devices")
      ->option_text("FILE");
  app.add_option("--device-list", devices.deviceList,
                 "JSON file of devices of any kind")
      ->option_text("FILE");
}

void addReplicationFlags(CLI::App &app, ReplicationOptions &replication,
                         TextFlags &texts) {
  addChoice(app, "--replicate", replication.replicate, "Make towers");
  app.add_option("--replicas", replication.replicas,
                 "Number of towers (default: one per device)")
      ->option_text("N")
      ->check(countCheck(kMaxDevices));
  app.add_option("--variable-device", texts.variables,
                 "Device of the variables of towers (default: cpu:0), or "
                 "mirrored")
      ->option_text("DEVICE")
      ->check(variableDeviceCheck());
  addChoice(app, "--reduce", replication.reduce, "How gradients are added up");
  app.add_flag(
      "--shard-updates", replication.shardsUpdates,
      "Each device with a tower updates its rows of the variables, and "
      "has the optimizer's slots for these alone");
  addChoice(app, "--feeds", replication.feeds,
            "Towers share the rows of a feed, or each has its own");
  app.add_option("--numerics", texts.numerics,
                 "canonical: the same bits for a number of towers, on "
                 "whatever devices these are (default: default)")
      ->option_text("HOW")
      ->check(wordCheck({"default", "canonical"}));
}

void addPipelineFlags(CLI::App &app, PipelineOptions &pipeline) {
  app.add_option("--pipeline", pipeline.stages,
                 "Divide the graph into so many stages, each on a device of "
                 "its own, in place of towers")
      ->option_text("K")
      ->check(numberCheck(2, kMaxDevices));
  app.add_option("--micro-batches", pipeline.microBatches,
                 "Parts of a batch that go through the stages one after "
                 "another (default: 4 for each stage)")
      ->option_text("M")
      ->check(numberCheck(2, kMaxDevices));
  addChoice(app, "--pipeline-schedule", pipeline.schedule,
            "Order of micro-batches on a device");
}

void addWorkerFlags(CLI::App &app, ReplicationOptions &replication,
                    TextFlags &texts) {
  addChoice<ReplicationMode>(
      app, "--replication", replication.replication,
      "One graph for all workers of a cluster, or each has its own",
      "as --async and --sync need it");
  app.add_flag("--async", replication.async,
               "Each worker of the cluster updates the variables by itself");
  app.add_option("--sync", texts.sync,
                 "The gradients of all workers make an update, or those of "
                 "the first N (default: all)")
      ->option_text("all|N")
      ->check(syncCheck());
  app.add_option("--staleness", replication.staleness,
                 "With --async: the most updates of others between a worker's "
                 "read and its update; also --staleness<=N")
      ->option_text("N")
      ->check(numberCheck(0, kMaxStaleness));
  app.add_option("--workers", texts.workers,
                 "A plan for each of these numbers of workers, the first of "
                 "the cluster, in one model; batches are then those of one "
                 "worker")
      ->option_text("N|FIRST..LAST")
      ->check(workerRangeCheck());
}

void addCodeFlags(CLI::App &app, CompileOptions &options) {
  GpuOptions &gpu = options.gpu;
  app.add_option("--cpu-target", options.cpuTarget,
                 "How code for CPUs is made: cpu, or reference, which is a "
                 "kernel per op in scalar loops, to compare with (default: "
                 "cpu)")
      ->option_text("NAME")
      ->check(wordCheck(hostTargetNames()));
  app.add_option("--cpu-level", options.cpuLevels,
                 "Levels of x86-64 to make code for: v3, v4 (default: both)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("LIST")
      ->transform(cpuLevelCheck());
  addChoice(app, "--opt-level", options.optLevel,
            "How much LLVM optimizes kernels of CPUs: 0 compiles in half of "
            "the time, to code that is slower")
      ->option_text("N");
  app.add_option("--code-cache", options.codeCache,
                 "Folder of machine code that was made before; the model is "
                 "the same (default: $GRAPHC_CODE_CACHE, or none)")
      ->option_text("DIR")
      ->envname("GRAPHC_CODE_CACHE");
  app.add_option("--gpu-arch", gpu.archs,
                 "NVIDIA architectures to make code for, such as sm_80,sm_90, "
                 "or none (default: sm_80, which all later ones take)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("LIST")
      ->check(gpuArchCheck());
  app.add_flag("--gpu-cubin", gpu.cubin,
               "Add machine code for exactly these, by the ptxas on PATH");
  addChoice(app, "--matmul", gpu.matmul,
            "How GPUs may round what matrix products and convolutions "
            "multiply");
  addChoice(app, "--precision", options.precision,
            "Floats that products are made of and that follow from them; sums, "
            "variables and updates stay f32");
  addChoice(app, "--wire", options.wire,
            "Floats as which f32 values go from task to task");
}

void addPlacementFlags(CLI::App &app, ToolOptions &options) {
  PlacementOptions &placement = options.compile.placement;
  addChoice(app, "--placement", placement.policy, "Policy")
      ->option_text("POLICY");
  app.add_flag("--allow-soft-placement", placement.soft,
               "Ignore type and number of requested devices where they cannot "
               "be met");
  app.add_option("--place", placement.place,
                 "Rule for devices, such as name~conv.*=/gpu:0; the first that "
                 "fits counts; may be repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->option_text("RULE")
      ->check(ruleCheck());
  app.add_option("--rules", placement.rules, "File of rules, one per line")
      ->option_text("FILE");
  app.add_option("--kernels", placement.kernels,
                 "JSON file of the devices that tfir.custom ops run on")
      ->option_text("FILE");
  app.add_option("--costs", placement.costs,
                 "JSON file of the speeds of devices and links")
      ->option_text("FILE");
  app.add_option("--lock", options.lock,
                 "Write where everything is to this file")
      ->option_text("FILE");
  app.add_option("--locked", placement.lock,
                 "Refuse to move what this file, of an earlier --lock, lists")
      ->option_text("FILE");
  app.add_flag("--log-device-placement{canonical}", options.logPlacement,
               "Print where everything is; with =legacy in the older form, "
               "with =json also why")
      ->option_text("[=FORM]")
      ->check(wordCheck({"canonical", "legacy", "json"}));
  app.add_option("--explain", options.explain,
                 "Print why this op is where it is; may be repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->option_text("NAME");
}

void addInterpretFlags(CLI::App &app, InterpretFlags &flags, TextFlags &texts) {
  app.add_option("--interpret", flags.graph,
                 "Execute this graph by the reference, op by op in double "
                 "precision, and print its fetches; with --stop-after as that "
                 "phase leaves it (default: differentiated)")
      ->option_text("GRAPH");
  app.add_option("--steps", flags.steps, "With --interpret: so many steps")
      ->option_text("N")
      ->check(countCheck(std::numeric_limits<int32_t>::max()));
  app.add_option("--seed", flags.seed,
                 "With --interpret: of everything random (default: 0)")
      ->option_text("N");
  app.add_option("--against", flags.against,
                 "With --interpret: compare each op with the values in this "
                 "folder, which graphc-run --dump wrote, and name the first "
                 "that differs")
      ->option_text("DIR");
  app.add_option("--data", texts.data,
                 "With --interpret: the files of a dataset; may be repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->option_text("NAME=FILE[,FILE...]");
  app.add_option("--feed", texts.feeds,
                 "With --interpret: the value of a feed; may be repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->option_text("NAME=FILE.npy");
}

void addFlags(CLI::App &app, ToolOptions &options, TextFlags &texts) {
  CompileOptions &compile = options.compile;
  // As with other compilers, the last of two equal flags counts.
  app.option_defaults()->take_last();
  app.add_option("input", options.input, "The graph; - is stdin")
      ->option_text("model.tfir");
  app.add_option("-o,--output", options.output, "Write the model here")
      ->option_text("model.bin");
  app.add_option("--define", compile.define,
                 "Constant of the text in place of its 'let' (n=24); may be "
                 "repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE")
      ->check(defineCheck());
  app.add_option(
         "--bind", compile.bind,
         "Size of a feed (x=100,784) or batch of a dataset (train=100); "
         "may be repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->option_text("NAME=SIZES")
      ->check(bindCheck());
  // A batch that fits into the 32-bit numbers in which kernels count.
  app.add_option("--batch", compile.batch,
                 "First '?' of every feed, and batch of every dataset")
      ->option_text("N")
      ->check(countCheck(std::numeric_limits<int32_t>::max()));
  addDeviceFlags(app, compile.devices);
  addReplicationFlags(app, compile.replication, texts);
  addPipelineFlags(app, compile.replication.pipeline);
  addWorkerFlags(app, compile.replication, texts);
  addPlacementFlags(app, options);
  addCodeFlags(app, compile);
  app.add_option("--keep", compile.keep,
                 "Ops whose values graphc-run can --watch and --dump though "
                 "a kernel of several ops makes them, such as 'logits/*'; may "
                 "be repeated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("PATTERN");
  app.add_option("--budget", compile.budgets,
                 "Bound on bytes, messages or memory, such as "
                 "'link /gpu:*->/cpu:0 <= 4MiB'; may be repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->option_text("BOUND");
  app.add_option("--stop-after", texts.stopAfter,
                 "Print the text of this phase and stop: " + phaseNames())
      ->option_text("PHASE")
      ->check(phaseCheck());
  app.add_option("--start-at", texts.startAt,
                 "The input is the text that --stop-after=PHASE printed")
      ->option_text("PHASE")
      ->check(phaseCheck());
  app.add_option("--dump-phases", compile.dumpPhases,
                 "Write the text of every phase to this folder")
      ->option_text("DIR");
  app.add_flag("--print-pipeline", options.printPipeline,
               "Print the passes that these flags run, and compile nothing");
  app.add_option("--report", options.report,
                 "Write a page that shows the model on its devices")
      ->option_text("FILE");
  app.add_flag("--check", compile.check,
               "Print all errors, of every graph, and write nothing");
  app.add_flag("--lint{print}", texts.lint,
               "Warn of what is right but probably not meant; with =error "
               "fail then")
      ->check(wordCheck(choiceNames<LintMode>()));
  addInterpretFlags(app, options.interpret, texts);
  app.add_flag("--memory-report", options.memoryReport,
               "Print the memory plan of every program");
  app.add_flag("--timing", compile.timing,
               "Print what every phase took, to stderr");
}

} // namespace

/// The arguments; `--staleness<=4` is what one would write for a bound.
static std::vector<std::string> readArguments(int argc, char **argv) {
  std::vector<std::string> arguments = flags::argumentsOf(argc, argv);
  for (std::string &text : arguments)
    if (text.starts_with("--staleness<="))
      text.erase(text.find('<'), 1);
  return arguments;
}

/// Converts what is text on the command line, then compares all flags.
static runtime::Status convert(const TextFlags &texts, ToolOptions &options) {
  CompileOptions &compile = options.compile;
  compile.stopAfter = parseChoice<Phase>(texts.stopAfter);
  compile.startAt = parseChoice<Phase>(texts.startAt);
  // A run's values have the names of the last phase with whole graphs.
  if (!options.interpret.graph.empty() && !compile.stopAfter)
    compile.stopAfter = options.interpret.against.empty()
                            ? Phase::Differentiated
                            : Phase::Placed;
  compile.replication.canonical = texts.numerics == "canonical";
  GRAPHC_ASSIGN_OR_RETURN(compile.replication.variables,
                          parseVariableHome(texts.variables));
  compile.lint = parseChoice<LintMode>(texts.lint);
  if (!texts.sync.empty())
    compile.replication.sync = parseSync(texts.sync);
  if (!texts.workers.empty())
    compile.replication.workers = *parseWorkerRange(texts.workers);
  GRAPHC_ASSIGN_OR_RETURN(options.interpret.data,
                          flags::splitNamed("--data", texts.data));
  GRAPHC_ASSIGN_OR_RETURN(options.interpret.feeds,
                          flags::splitNamed("--feed", texts.feeds));
  std::string problem = describeProblem(options);
  return problem.empty() ? runtime::Status::ok()
                         : runtime::invalidArgument(problem);
}

std::optional<ToolOptions> parseCommandLine(int argc, char **argv,
                                            int &exitCode) {
  ToolOptions options;
  TextFlags texts;
  flags::CommandLine line("Compiles a graph and its devices to one model.bin.",
                          "graphc");
  line.describeExtra = [&](const std::string &text) {
    return "one model.tfir is compiled, but '" + text + "' follows '" +
           options.input + "'";
  };
  addFlags(line.app(), options, texts);
  std::optional<int> ended = line.read(readArguments(argc, argv),
                                       [&] { return convert(texts, options); });
  if (!ended)
    return options;
  exitCode = *ended;
  return std::nullopt;
}

} // namespace graphc
