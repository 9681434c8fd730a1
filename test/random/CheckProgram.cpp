// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program, four ways: interpreted as it was written, interpreted after the
// compiler has differentiated it, compiled, and (where asked) printed at some
// phase, read back and compiled from there.
#include "dialects/tfir/Names.h"
#include "graphc/Compiler.h"
#include "graphc/Pipeline.h"
#include "runtime/data/Npy.h"
#include "runtime/target/cpu/CpuLevel.h"
#include "test/random/Check.h"
#include "test/random/ProgramRun.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace mlir;

namespace graphc::random {

using interpreter::Interpreter;
using interpreter::Tensor;
using runtime::HostTensor;

CheckOptions parseCheckOptions(StringRef text) {
  CheckOptions options;
  StringRef line = text.split("// check: ").second.split('\n').first;
  for (StringRef word : llvm::split(line, ' ')) {
    auto [key, value] = word.split('=');
    if (key == "steps")
      value.getAsInteger(10, options.steps);
    else if (key == "seed")
      value.getAsInteger(10, options.seed);
    else if (key == "gpus")
      value.getAsInteger(10, options.gpus);
    else if (key == "threads")
      value.getAsInteger(10, options.threads);
    else if (key == "canonical")
      options.canonical = true;
    else if (key == "level")
      options.level = value.str();
    else if (key == "resume")
      options.resume = value.str();
    else if (key == "devices")
      options.devices = value.str();
    else if (key == "replicate")
      options.replicate = value.str();
    else if (key == "cluster")
      options.isCluster = true;
    else if (key == "faults")
      value.getAsInteger(10, options.faults);
    else if (key == "reduce")
      options.reduce = value.str();
    else if (key == "variables")
      options.variables = value.str();
  }
  return options;
}

namespace {

runtime::TensorType hostType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  runtime::TensorType result;
  Type element = tensor.getElementType();
  result.dtype = element.isF32()    ? runtime::DType::Float32
                 : element.isF64()  ? runtime::DType::Float64
                 : element.isF16()  ? runtime::DType::Float16
                 : element.isBF16() ? runtime::DType::BFloat16
                                    : runtime::DType::Bool;
  static constexpr std::tuple<unsigned, bool, runtime::DType> kIntegers[] = {
      {8, false, runtime::DType::Int8},   {8, true, runtime::DType::UInt8},
      {16, false, runtime::DType::Int16}, {16, true, runtime::DType::UInt16},
      {32, false, runtime::DType::Int32}, {32, true, runtime::DType::UInt32},
      {64, false, runtime::DType::Int64}, {64, true, runtime::DType::UInt64}};
  for (auto [width, isUnsigned, dtype] : kIntegers)
    if (element.isInteger(width) && element.isUnsignedInteger() == isUnsigned)
      result.dtype = dtype;
  result.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return result;
}

/// A tensor of the runtime for the reference; `type` is that of the language.
Tensor toReference(const HostTensor &host, Type type) {
  return Tensor::ofBytes(cast<RankedTensorType>(type), host.bytes);
}

/// Feeds and data of a program, by names.
class Inputs {
public:
  Inputs(ModuleOp module, const CheckOptions &options) {
    for (auto graph : module.getOps<tfir::GraphOp>()) {
      llvm::StringMap<HostTensor> &own = feeds[graph.getSymName()];
      for (auto [name, argument] :
           llvm::zip(graph.getFeedNames().getAsValueRange<StringAttr>(),
                     graph.getBlock().getArguments()))
        own[name] = randomTensor(hostType(argument.getType()), options.seed,
                                 (graph.getSymName() + name).str());
    }
    for (auto dataset : module.getOps<tfir::DatasetOp>())
      addDataset(dataset, options);
  }

  llvm::StringMap<llvm::StringMap<HostTensor>> feeds; ///< by graph, by name
  /// One tensor of rows per field.
  llvm::StringMap<std::vector<HostTensor>> data;
  /// The same for the reference.
  llvm::StringMap<std::vector<Tensor>> tables;

  /// Reads from the beginning, around and around.
  interpreter::NextBatch reader() const {
    auto places = std::make_shared<llvm::StringMap<int64_t>>();
    return [this, places](StringRef name, int64_t rows) {
      int64_t &place = (*places)[name];
      std::vector<Tensor> batch;
      for (const Tensor &field : tables.find(name)->second) {
        // What fills no batch at the end of a pass is left out.
        int64_t total = kRows / rows * rows;
        batch.push_back(rowsOf(field, place % total, rows));
      }
      place += rows;
      return std::optional(std::move(batch));
    };
  }

private:
  static constexpr int64_t kRows = 37;

  void addDataset(tfir::DatasetOp dataset, const CheckOptions &options) {
    for (auto [name, type] :
         llvm::zip(dataset.getFieldNames().getAsValueRange<StringAttr>(),
                   dataset.getFieldTypes().getAsValueRange<TypeAttr>())) {
      auto one = cast<RankedTensorType>(type);
      SmallVector<int64_t> shape(one.getShape());
      shape.insert(shape.begin(), kRows);
      RankedTensorType all = one.clone(shape);
      HostTensor table = randomTensor(hostType(all), options.seed, name);
      tables[dataset.getSymName()].push_back(toReference(table, all));
      data[dataset.getSymName()].push_back(std::move(table));
    }
  }

  static Tensor rowsOf(const Tensor &all, int64_t begin, int64_t rows) {
    int64_t width = all.size() / all.shape[0];
    Tensor part = all;
    part.shape[0] = rows;
    part.elements.assign(all.elements.begin() + begin * width,
                         all.elements.begin() + (begin + rows) * width);
    return part;
  }
};

/// The level that a program asks for, or the best of this CPU if it is lower.
std::string levelHere(const std::string &wanted) {
  using namespace runtime;
  StatusOr<CpuLevel> best = chooseLevel(detectCpuFeatures(), std::nullopt);
  std::optional<CpuLevel> level = parseCpuLevel(wanted);
  return best.isOk() && level && *best < *level ? cpuLevelName(*best) : wanted;
}

CompileOptions compileOptions(const CheckOptions &options) {
  CompileOptions result;
  result.cpuLevels = {levelHere(options.level)};
  result.gpu.archs = {kNoGpuArch.str()};
  if (const char *folder = std::getenv("GRAPHC_CODE_CACHE"))
    result.codeCache = folder;
  result.replication.canonical = options.canonical;
  if (!options.devices.empty()) {
    for (StringRef device : llvm::split(options.devices, ','))
      result.devices.devices.push_back(device.str());
    result.replication.replicate = *parseChoice<Replicate>(options.replicate);
    result.replication.variables = *parseVariableHome(options.variables);
    if (!options.reduce.empty())
      result.replication.reduce = *parseChoice<Reduce>(options.reduce);
  } else if (options.gpus > 0) {
    result.devices.devices = {"gpu:0-" + std::to_string(options.gpus - 1)};
    result.replication.replicate = Replicate::None;
  }
  return result;
}

LogicalResult runPhase(ModuleOp module, Phase phase,
                       const CompileOptions &options) {
  PassManager pm(module.getContext());
  buildPhase(pm, phase, options);
  return pm.run(module);
}

std::unique_ptr<llvm::MemoryBuffer> bufferOf(const std::string &text) {
  return llvm::MemoryBuffer::getMemBufferCopy(text, "program.tfir");
}

DialectRegistry allDialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

/// Compares one program; the first difference ends it.
class Checker {
public:
  Checker(const std::string &text, std::string folder, const CpuCode &code,
          Counts &counts)
      : text(text), folder(std::move(folder)), code(code), counts(counts),
        options(parseCheckOptions(text)) {}

  std::string run();

private:
  std::string parse();
  std::string compileModel(std::vector<std::byte> &model);
  std::string openSession(std::vector<std::byte> model);
  std::string step(tfir::GraphOp graph);
  std::string compareGradients(const Tensor &defined, const Tensor &expected,
                               const std::string &place);
  std::string compareVariables(StringRef when);

  const std::string &text;
  std::string folder;
  CpuCode code;
  Counts &counts;
  CheckOptions options;
  MLIRContext context{allDialects(), MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> written, differentiated;
  std::unique_ptr<Inputs> inputs;
  std::unique_ptr<Interpreter> byDefinition; ///< of the written module
  std::unique_ptr<Interpreter> byRules;      ///< of the differentiated one
  std::unique_ptr<ProgramRun> session;
};

std::string Checker::parse() {
  written = parseSourceString<ModuleOp>(text, &context, "program.tfir");
  CompileOptions single;
  if (!written || failed(runPhase(*written, Phase::Parsed, single)))
    return "the program does not parse";
  differentiated = cast<ModuleOp>(written->clone());
  if (failed(runPhase(*differentiated, Phase::Differentiated, single)))
    return "the program cannot be differentiated";
  inputs = std::make_unique<Inputs>(*written, options);
  interpreter::InterpreterOptions how;
  how.seed = options.seed;
  how.maxDerivatives = 4096;
  how.nextBatch = inputs->reader();
  byRules = std::make_unique<Interpreter>(*differentiated, how);
  how.nextBatch = inputs->reader();
  byDefinition = std::make_unique<Interpreter>(*written, how);
  if (failed(byRules->initialize()) || failed(byDefinition->initialize()))
    return "the reference has no first values";
  return "";
}

std::string Checker::compileModel(std::vector<std::byte> &model) {
  CompileOptions how = compileOptions(options);
  how.cpuTarget = code.target;
  how.optLevel = code.optLevel;
  std::string source = text;
  if (!options.resume.empty()) {
    Phase phase = *parseChoice<Phase>(options.resume);
    CompileOptions first = how;
    first.stopAfter = phase;
    FailureOr<CompileResult> printed = compile(bufferOf(text), first);
    if (failed(printed))
      return "the compiler fails before phase '" + options.resume + "'";
    source = printed->text;
    how.startAt = phase;
  }
  FailureOr<CompileResult> result = compile(bufferOf(source), how);
  if (failed(result))
    return "the compiler refuses a valid program";
  model = std::move(result->model);
  return "";
}

std::string Checker::openSession(std::vector<std::byte> bytes) {
  auto model = runtime::Model::fromBytes(std::move(bytes), "program.bin");
  if (!model.isOk())
    return "the runtime refuses the model: " + model.status().message();
  auto opened = openProgram(*model, options);
  if (!opened.isOk())
    return "the session does not open: " + opened.status().message();
  session = std::move(*opened);
  for (auto &entry : inputs->data) {
    std::string files;
    for (auto [i, field] : llvm::enumerate(entry.second)) {
      std::string path = folder + "/field" + std::to_string(i) + ".npy";
      if (runtime::Status status = runtime::saveNpy(path, field);
          !status.isOk())
        return status.message();
      files += (i ? "," : "") + path;
    }
    if (runtime::Status status =
            session->bindDataset(entry.first().str(), files);
        !status.isOk())
      return "the data do not fit: " + status.message();
  }
  if (runtime::Status status = session->initialize(); !status.isOk())
    return "the first values fail: " + status.message();
  return "";
}

/// The polynomial by which compiled code draws from the truncated normal
/// distribution is good to seven digits only: no basis for comparing two ways
/// to differentiate.
std::string Checker::compareGradients(const Tensor &defined,
                                      const Tensor &expected,
                                      const std::string &place) {
  if (text.find("tfir.truncated_normal") != std::string::npos)
    return "";
  std::string difference = compareValues(defined, expected, counts);
  return difference.empty() ? "" : "gradient in " + place + ": " + difference;
}

std::string Checker::compareVariables(StringRef when) {
  for (const auto &[name, expected] : byRules->variables()) {
    auto value = session->readVariable(name);
    if (!value.isOk())
      return "variable '" + name + "' is missing: " + value.status().message();
    if (std::string difference = compare(*value, expected, counts);
        !difference.empty())
      return "variable '" + name + "' " + when.str() + ": " + difference;
    const Tensor *defined = byDefinition->variable(name);
    if (!defined)
      return "the reference has no variable '" + name + "'";
    std::string difference = compareGradients(
        *defined, expected, "variable '" + name + "' " + when.str());
    if (!difference.empty())
      return difference;
  }
  return "";
}

std::string Checker::step(tfir::GraphOp graph) {
  std::string name = graph.getSymName().str();
  llvm::StringMap<Tensor> references;
  runtime::RunRequest request;
  request.graph = name;
  for (auto [feed, argument] :
       llvm::zip(graph.getFeedNames().getAsValueRange<StringAttr>(),
                 graph.getBlock().getArguments())) {
    const HostTensor &value = inputs->feeds[name][feed];
    references[feed] = toReference(value, argument.getType());
    request.feeds.push_back({feed.str(), value});
  }
  auto expected = byRules->step(name, references);
  auto defined = byDefinition->step(name, references);
  if (failed(expected) || failed(defined))
    return "the reference fails";
  auto found = session->run(request);
  if (!found.isOk())
    return "the step fails: " + found.status().message();
  auto names =
      llvm::to_vector(graph.getFetchNames().getAsValueRange<StringAttr>());
  if (found->size() != names.size())
    return "so many fetches: " + std::to_string(found->size());
  for (size_t i = 0; i < names.size(); ++i) {
    std::string place =
        "fetch '" + names[i].str() + "' of graph '" + name + "'";
    std::string difference = compare((*found)[i], (*expected)[i], counts);
    if (!difference.empty())
      return place + ": " + difference;
    difference = compareGradients((*defined)[i], (*expected)[i], place);
    if (!difference.empty())
      return difference;
  }
  return "";
}

std::string Checker::run() {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  if (std::string fault = parse(); !fault.empty())
    return fault;
  std::vector<std::byte> model;
  if (std::string fault = compileModel(model); !fault.empty())
    return fault;
  if (std::string fault = openSession(std::move(model)); !fault.empty())
    return fault;
  if (std::string fault = compareVariables("at first"); !fault.empty())
    return fault;
  // First values are compared above; from here on both ways to differentiate
  // start with the same numbers.
  for (const auto &[name, value] : byRules->variables())
    byDefinition->setVariable(name, value);
  for (auto graph : written->getOps<tfir::GraphOp>())
    for (int64_t i = 0; i < options.steps; ++i) {
      if (std::string fault = step(graph); !fault.empty())
        return fault + " in step " + std::to_string(i);
      if (std::string fault =
              compareVariables("after step " + std::to_string(i) +
                               " of graph '" + graph.getSymName().str() + "'");
          !fault.empty())
        return fault;
    }
  return "";
}

} // namespace

std::string checkProgram(const std::string &text, const std::string &folder,
                         const CpuCode &code, Counts &counts) {
  return Checker(text, folder, code, counts).run();
}

} // namespace graphc::random
