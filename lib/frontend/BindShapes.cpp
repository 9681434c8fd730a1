// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every `?` dimension a size: with bind=x:100x784,
//
//   tfir.graph @g(%x: tensor<?x784xf32>)  ->  (%x: tensor<100x784xf32>)
//
// and so on for all that follows from it. The towers of a graph share the rows.
// Guarantees: the shapes of all values, fetches and batches are static.
#include "graphc/Passes.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Support.h"
#include "lib/frontend/InferShapes.h"
#include "runtime/base/Suggest.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_BINDSHAPESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

using Shape = SmallVector<int64_t>;

/// Sizes that the user binds, by the names of feeds and datasets.
struct Bindings {
  llvm::StringMap<Shape> sizes;
  int64_t batch = 0;     ///< 0: not given
  bool perTower = false; ///< feeds are bound for one tower, not for all
  int64_t workers = 0;   ///< each of so many takes what is bound; 0: all do

  /// The rows that the towers of a graph share. `what` completes "... is too
  /// large".
  FailureOr<int64_t> sharedRows(int64_t rows, Location loc,
                                const Twine &what) const {
    int64_t all = rows;
    if (workers && (__builtin_mul_overflow(rows, workers, &all) ||
                    all > std::numeric_limits<int32_t>::max()))
      return emitError(loc) << what << " of " << rows << " rows for each of "
                            << workers << " workers is too large; give "
                            << "fewer rows";
    return all;
  }
};

/// A binding as the command line spells it.
std::string spell(StringRef name, ArrayRef<int64_t> shape) {
  return ("'--bind " + name + "=" +
          llvm::join(
              llvm::map_range(shape,
                              [](int64_t dim) { return std::to_string(dim); }),
              ",") +
          "'")
      .str();
}

//===-- Reading the options -----------------------------------------------===//

FailureOr<Shape> parseShape(StringRef text) {
  Shape shape;
  if (text.empty())
    return shape;
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts)
    if (part.getAsInteger(10, shape.emplace_back()) || shape.back() < 1)
      return failure();
  return shape;
}

std::vector<std::string> knownNames(ModuleOp module) {
  SetVector<StringRef> names;
  for (auto graph : module.getOps<GraphOp>())
    for (auto feed : graph.getFeedNames().getAsRange<StringAttr>())
      names.insert(feed.getValue());
  for (auto dataset : module.getOps<DatasetOp>())
    names.insert(dataset.getSymName());
  return std::vector<std::string>(names.begin(), names.end());
}

FailureOr<Bindings> readBindings(ModuleOp module, ArrayRef<std::string> texts,
                                 int64_t batch) {
  if (batch < 0)
    return module.emitError()
           << "--batch is " << batch << ", expected at least 1";
  Bindings bindings;
  bindings.batch = batch;
  std::vector<std::string> known = knownNames(module);
  for (StringRef text : texts) {
    auto [name, sizes] = text.rsplit(':');
    FailureOr<Shape> shape = parseShape(sizes);
    if (!text.contains(':') || failed(shape))
      return module.emitError()
             << "cannot read the binding '" << text
             << "'; expected a name and sizes of at least 1, such as x:100x784";
    if (!llvm::is_contained(known, name))
      return module.emitError()
             << runtime::unknownName("the module", "feed or dataset",
                                     std::string_view(name), known);
    if (!bindings.sizes.try_emplace(name, *shape).second)
      return module.emitError() << "'" << name << "' is bound twice";
  }
  return bindings;
}

//===-- Towers ------------------------------------------------------------===//

/// The part of `rows` that each tower, or micro-batch, of the graph gets;
/// `what` completes "... has N rows".
FailureOr<int64_t> rowsPerTower(int64_t rows, GraphOp graph, Location loc,
                                const Twine &what) {
  int64_t towers = graph.getTowers();
  bool isPipeline = getPipeline(graph).has_value();
  StringRef parts = isPipeline ? "micro-batches" : "towers";
  StringRef flag = isPipeline ? "--micro-batches" : "--replicas";
  if (rows < towers)
    return emitError(loc) << what << " has " << rows << " rows, too few for "
                          << towers << " " << parts << "; give it at least "
                          << towers << ", or choose " << flag << "=" << rows;
  if (rows % towers != 0)
    return emitError(loc) << what << " has " << rows << " rows, which "
                          << towers << " " << parts
                          << " cannot share equally; give it "
                          << rows / towers * towers << " or "
                          << (rows / towers + 1) * towers
                          << ", or choose another number with " << flag;
  return rows / towers;
}

//===-- Feeds and datasets ------------------------------------------------===//

LogicalResult bindFeed(GraphOp graph, BlockArgument feed, StringRef name,
                       const Bindings &bindings) {
  auto type = cast<RankedTensorType>(feed.getType());
  Shape shape(type.getShape());
  auto found = bindings.sizes.find(name);
  if (found != bindings.sizes.end()) {
    if (failed(verifyCompatibleShape(type.getShape(), found->second)))
      return emitError(feed.getLoc())
             << "feed '" << name << "' of the graph '" << graph.getSymName()
             << "' has the type " << type << ", which "
             << spell(name, found->second) << " does not fit";
    shape = found->second;
  } else if (bindings.batch && !shape.empty() &&
             ShapedType::isDynamic(shape.front())) {
    shape.front() = bindings.batch;
  }
  if (!ShapedType::isDynamicShape(shape)) {
    int64_t towers = graph.getTowers();
    if (towers > 1 && !bindings.perTower && hasOpenRows(type)) {
      std::string what =
          ("feed '" + name + "' of the graph '" + graph.getSymName() + "'")
              .str();
      FailureOr<int64_t> rows =
          bindings.sharedRows(shape.front(), feed.getLoc(), what);
      if (failed(rows) ||
          failed(rows = rowsPerTower(*rows, graph, feed.getLoc(), what)))
        return failure();
      shape.front() = *rows;
    }
    feed.setType(type.clone(shape));
    return success();
  }
  Shape example(shape);
  for (int64_t &dim : example)
    dim = ShapedType::isDynamic(dim) ? 100 : dim;
  InFlightDiagnostic error = emitError(feed.getLoc())
                             << "feed '" << name << "' of the graph '"
                             << graph.getSymName() << "' has the type " << type
                             << ", whose '?' has no size; bind it, for example "
                             << "with " << spell(name, example);
  if (example.size() == 1 ||
      !ShapedType::isDynamicShape(ArrayRef(shape).drop_front()))
    error << " or --batch=100";
  return error;
}

LogicalResult bindFeeds(GraphOp graph, const Bindings &bindings) {
  SmallVector<bool> split =
      llvm::map_to_vector(graph.getBlock().getArgumentTypes(), hasOpenRows);
  if (graph.getTowers() > 1)
    graph.setSplitFeeds(split);
  for (auto [feed, name] :
       llvm::zip(graph.getBlock().getArguments(),
                 graph.getFeedNames().getAsRange<StringAttr>()))
    if (failed(bindFeed(graph, feed, name.getValue(), bindings)))
      return failure();
  return success();
}

/// The batch size on which all that speaks of a dataset agrees.
class BatchSize {
public:
  explicit BatchSize(DatasetOp dataset) : dataset(dataset) {}

  /// One more source; `what` completes "but ... is N".
  LogicalResult agree(int64_t other, Location loc, const Twine &what) {
    if (ShapedType::isDynamic(other) || (size && *size == other))
      return success();
    if (!size) {
      size = other;
      source = loc;
      return success();
    }
    InFlightDiagnostic error =
        emitError(loc) << "the dataset '" << dataset.getSymName()
                       << "' has the batch " << *size << ", but " << what
                       << " is " << other << "; keep one of them";
    return error.attachNote(*source) << "the batch comes from here";
  }

  std::optional<int64_t> value() const { return size; }

private:
  DatasetOp dataset;
  std::optional<int64_t> size;
  std::optional<Location> source;
};

FailureOr<int64_t> decideBatch(DatasetOp dataset, ArrayRef<NextOp> uses,
                               const Bindings &bindings) {
  BatchSize batch(dataset);
  StringRef name = dataset.getSymName();
  if (auto written = dataset.getBatch())
    if (failed(batch.agree(*written, dataset.getLoc(), "its batch")))
      return failure();
  for (NextOp next : uses)
    for (Value field : next.getFields())
      if (failed(batch.agree(tensorType(field).getDimSize(0), next.getLoc(),
                             "the first dimension here")))
        return failure();
  auto bound = bindings.sizes.find(name);
  if (bound != bindings.sizes.end()) {
    if (bound->second.size() != 1)
      return dataset.emitError()
             << spell(name, bound->second) << " gives the dataset '" << name
             << "' " << bound->second.size()
             << " sizes; expected the batch alone";
    if (failed(batch.agree(bound->second.front(), dataset.getLoc(),
                           "--bind " + name)))
      return failure();
  } else if (bindings.batch &&
             failed(batch.agree(bindings.batch, dataset.getLoc(), "--batch"))) {
    return failure();
  }
  if (std::optional<int64_t> size = batch.value())
    return *size;
  NextOp first = uses.front();
  return first.emitError() << "the dataset '" << name
                           << "' has no batch size; give it with '--bind "
                           << name << "=100', --batch=100 or {batch = 100}";
}

int64_t towersOf(NextOp next) {
  return next->getParentOfType<GraphOp>().getTowers();
}

/// The rows of a batch that `next` gives: those of one tower. `asked` is what
/// the user would have to ask for.
FailureOr<int64_t> rowsOfNext(NextOp next, int64_t batch, int64_t asked) {
  auto graph = next->getParentOfType<GraphOp>();
  int64_t towers = graph.getTowers();
  if (towers == 1)
    return batch;
  bool isPipeline = getPipeline(graph).has_value();
  for (Value field : next.getFields())
    if (!hasOpenRows(field.getType()))
      return next.emitOpError()
             << "has the batch " << asked << " written in the type "
             << field.getType() << ", but each of " << towers
             << (isPipeline ? " micro-batches" : " towers")
             << " takes a part of it; write '?' for the first dimension "
                "and give the batch with --batch="
             << asked
             << (isPipeline ? ", or leave --pipeline out"
                            : ", or use --replicate=none");
  return rowsPerTower(batch, graph, next.getLoc(),
                      "a batch of the dataset '" + next.getDataset() + "'");
}

/// Datasets that no graph uses keep what they have.
LogicalResult bindDataset(DatasetOp dataset, ArrayRef<NextOp> uses,
                          const Bindings &bindings) {
  FailureOr<int64_t> asked = decideBatch(dataset, uses, bindings);
  if (failed(asked))
    return failure();
  FailureOr<int64_t> batch = *asked;
  // What no towers share is the same however many workers there are.
  bool isShared =
      llvm::any_of(uses, [](NextOp next) { return towersOf(next) > 1; });
  if (bindings.workers && isShared) {
    batch = bindings.sharedRows(*asked, dataset.getLoc(),
                                "a batch of the dataset '" +
                                    dataset.getSymName() + "'");
    if (failed(batch))
      return failure();
    dataset.setBatchOfWorker(*asked);
  }
  dataset.setBatch(*batch);
  for (NextOp next : uses) {
    FailureOr<int64_t> rows = rowsOfNext(next, *batch, *asked);
    if (failed(rows))
      return failure();
    for (Value field : next.getFields())
      setRows(field, *rows);
  }
  return success();
}

LogicalResult bindDatasets(ModuleOp module, const Bindings &bindings) {
  llvm::StringMap<SmallVector<NextOp>> uses;
  module.walk([&](NextOp next) { uses[next.getDataset()].push_back(next); });
  for (auto dataset : module.getOps<DatasetOp>()) {
    auto found = uses.find(dataset.getSymName());
    if (found != uses.end() &&
        failed(bindDataset(dataset, found->second, bindings)))
      return failure();
  }
  return success();
}

struct BindShapesPass : impl::BindShapesPassBase<BindShapesPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Bindings> read =
        readBindings(module, llvm::to_vector(bindings), batch);
    if (failed(read))
      return signalPassFailure();
    read->perTower = feeds == FeedMode::PerTower;
    read->workers = workers;
    if (failed(bindDatasets(module, *read)))
      return signalPassFailure();
    for (auto graph : module.getOps<GraphOp>())
      if (failed(bindFeeds(graph, *read)) || failed(inferShapes(graph)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
