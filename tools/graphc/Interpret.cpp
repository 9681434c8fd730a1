// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds files to the reference interpreter and prints what it gives.
#include "tools/graphc/Interpret.h"

#include "graphc/Compiler.h"
#include "lib/interpreter/Interpreter.h"
#include "runtime/data/DataSource.h"
#include "runtime/data/Npy.h"
#include "tools/graphc/CompilerOutputs.h"
#include "tools/graphc/RunComparison.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

namespace {

using interpreter::Interpreter;
using interpreter::Tensor;
using runtime::Status;
using runtime::StatusOr;

/// The type of an example, or of a feed, as files are told it.
runtime::TensorType typeOf(RankedTensorType type) {
  runtime::TensorType result;
  result.dtype =
      interpreter::toDType(interpreter::kindOf(type.getElementType()));
  result.shape.assign(type.getShape().begin(), type.getShape().end());
  return result;
}

/// The datasets of a module with the files of --data.
class Data {
public:
  Data(ModuleOp module, const InterpretFlags &flags)
      : module(module), flags(flags) {}

  std::optional<std::vector<Tensor>> next(StringRef name, int64_t rows);

  const Status &failure() const { return firstFailure; }

private:
  Status open(StringRef name, int64_t rows);

  struct Open {
    std::unique_ptr<runtime::DataSource> source;
    SmallVector<RankedTensorType> types; ///< of a batch, by field
  };
  ModuleOp module;
  const InterpretFlags &flags;
  llvm::StringMap<Open> opened; ///< by name
  Status firstFailure;
};

Status Data::open(StringRef name, int64_t rows) {
  const std::string *files = nullptr;
  for (const auto &[dataset, list] : flags.data)
    if (name == dataset)
      files = &list;
  if (!files)
    return runtime::invalidArgument(
        "dataset '" + name.str() +
        "' has no data; name the files with --data " + name.str() +
        "=FILE[,FILE...]");
  auto dataset = module.lookupSymbol<tfir::DatasetOp>(name);
  runtime::DatasetSpec spec;
  spec.name = name.str();
  spec.batch = rows;
  spec.shuffleBuffer = static_cast<int64_t>(dataset.getShuffle());
  spec.seed = static_cast<uint64_t>(dataset.getSeed());
  spec.repeat = static_cast<int64_t>(dataset.getRepeat());
  spec.minAfterDequeue =
      dataset.getMinAfterDequeue()
          ? static_cast<int64_t>(*dataset.getMinAfterDequeue())
          : -1;
  spec.shufflesFiles = dataset.getShuffleFiles();
  spec.cycleLength = static_cast<int64_t>(dataset.getCycleLength());
  spec.blockLength = static_cast<int64_t>(dataset.getBlockLength());
  spec.mask = dataset.getMask() ? dataset.indexOfField(*dataset.getMask()) : -1;
  if (dataset.getAugment())
    for (auto each :
         dataset.getAugment()->getAsRange<tfir::TransformAttrInterface>()) {
      SmallVector<double> numbers = each.getNumbers();
      spec.transforms.push_back(
          {each.getTransformName().str(),
           static_cast<uint32_t>(dataset.indexOfField(each.getFieldName())),
           {numbers.begin(), numbers.end()}});
    }
  Open &entry = opened[name];
  for (auto [field, type] :
       llvm::zip(dataset.getFieldNames().getAsValueRange<StringAttr>(),
                 dataset.getFieldTypes().getAsValueRange<TypeAttr>())) {
    auto one = cast<RankedTensorType>(type);
    spec.fields.push_back({field.str(), typeOf(one)});
    SmallVector<int64_t> shape(one.getShape());
    shape.insert(shape.begin(), rows);
    entry.types.push_back(one.clone(shape));
  }
  auto source = runtime::openDataset(spec, *files, flags.seed);
  if (!source.isOk())
    return source.status();
  entry.source = std::move(*source);
  return Status::ok();
}

std::optional<std::vector<Tensor>> Data::next(StringRef name, int64_t rows) {
  if (!opened.contains(name))
    if (firstFailure = open(name, rows); !firstFailure.isOk())
      return std::nullopt;
  Open &entry = opened[name];
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::byte *> places;
  for (RankedTensorType type : entry.types) {
    bytes.emplace_back(typeOf(type).numBytes());
    places.push_back(bytes.back().data());
  }
  Status status = entry.source->next(places);
  if (!status.isOk()) {
    if (status.code() != runtime::StatusCode::OutOfRange)
      firstFailure = status;
    return std::nullopt;
  }
  std::vector<Tensor> batch;
  for (auto [type, own] : llvm::zip(entry.types, bytes))
    batch.push_back(Tensor::ofBytes(type, own));
  return batch;
}

/// The value of a feed: the array of a .npy file.
StatusOr<Tensor> readFeed(StringRef name, RankedTensorType type,
                          const InterpretFlags &flags) {
  for (const auto &[feed, file] : flags.feeds) {
    if (name != feed)
      continue;
    GRAPHC_ASSIGN_OR_RETURN(runtime::HostTensor value, runtime::loadNpy(file));
    if (!(value.type == typeOf(type))) {
      std::string expected;
      llvm::raw_string_ostream(expected) << type;
      return runtime::invalidArgument("feed '" + name.str() + "' is a " +
                                      expected + ", but '" + file +
                                      "' holds an array of another type");
    }
    return Tensor::ofBytes(type, value.bytes);
  }
  return runtime::invalidArgument("feed '" + name.str() +
                                  "' has no value; give one with --feed " +
                                  name.str() + "=FILE.npy");
}

/// Says how much was compared; fails if nothing was.
int reportAgreement(const RunComparison &run, const InterpretFlags &flags) {
  if (!run.ops())
    return fail("'" + flags.against + "' has no value of the graph '" +
                flags.graph +
                "' in these steps; make it with graphc-run --dump='*' "
                "--dump-dir=DIR, and say --steps=N here");
  llvm::outs() << run.ops() << " values of " << run.steps()
               << " steps agree with the reference; " << run.missing()
               << " are within kernels (graphc --keep); "
               << run.counts().undecided << " of "
               << run.counts().checked + run.counts().undecided
               << " elements depend on rounding\n";
  return 0;
}

int runSteps(ModuleOp module, const InterpretFlags &flags) {
  auto graph = module.lookupSymbol<tfir::GraphOp>(flags.graph);
  if (!graph)
    return fail("there is no graph '" + flags.graph + "'");
  llvm::StringMap<Tensor> feeds;
  for (auto [name, argument] :
       llvm::zip(graph.getFeedNames().getAsValueRange<StringAttr>(),
                 graph.getBlock().getArguments())) {
    StatusOr<Tensor> value =
        readFeed(name, cast<RankedTensorType>(argument.getType()), flags);
    if (!value.isOk())
      return fail(value.status().message());
    feeds[name] = std::move(*value);
  }
  Data data(module, flags);
  interpreter::InterpreterOptions how;
  how.seed = flags.seed;
  how.nextBatch = [&](StringRef name, int64_t rows) {
    return data.next(name, rows);
  };
  RunComparison run(flags.against);
  bool isCompared = !flags.against.empty();
  if (isCompared)
    how.observe = [&](OpResult result, Tensor &value) {
      return run.observe(result, value);
    };
  Interpreter reference(module, how);
  if (failed(reference.initialize()))
    return 1;
  auto names =
      llvm::to_vector(graph.getFetchNames().getAsValueRange<StringAttr>());
  for (int64_t step = 1; step <= flags.steps; ++step) {
    if (isCompared)
      if (Status status = run.beginStep(step); !status.isOk())
        return fail(status.message());
    FailureOr<std::vector<Tensor>> fetches = reference.step(flags.graph, feeds);
    if (failed(fetches) || failed(run.endStep(reference, module)))
      return 1;
    if (!data.failure().isOk())
      return fail(data.failure().message());
    if (fetches->size() != names.size()) {
      llvm::outs() << "the data ended after " << step - 1 << " steps\n";
      return 0;
    }
    if (isCompared)
      continue;
    for (auto [name, value] : llvm::zip(names, *fetches))
      llvm::outs() << "step " << step << " " << name << " " << toText(value)
                   << "\n";
  }
  return isCompared ? reportAgreement(run, flags) : 0;
}

} // namespace

int interpret(StringRef text, const InterpretFlags &flags) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "interpreted"), SMLoc());
  SourceMgrDiagnosticHandler printer(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  return module ? runSteps(*module, flags) : 1;
}

} // namespace graphc
