// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/debug/PlanComparison.h"

#include "runtime/base/Texts.h"
#include "runtime/checkpoint/CheckpointFolder.h"
#include "runtime/data/TensorReader.h"
#include "runtime/inspect/ValueElements.h"
#include "runtime/inspect/ValueStats.h"
#include "runtime/session/LocalSession.h"
#include "runtime/state/ChooseGraph.h"
#include "runtime/state/GraphPorts.h"
#include "tools/flags/OpenPlan.h"
#include "tools/graphc-run/Feeds.h"
#include "tools/graphc-run/TemporaryFolder.h"
#include "tools/graphc-run/debug/RandomInputs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace graphc::run {

using namespace runtime;

namespace {

constexpr int64_t kSteps = 3; ///< where --steps gives none

/// A value of one of the plans.
struct Value {
  std::string what; ///< "step 2, fetch 'loss'"
  HostTensor tensor;
};

/// The largest difference of what was compared.
struct Largest {
  double relative = 0;
  std::string what;
};

/// A plan that is open, with its inputs.
class OpenedPlan {
public:
  static StatusOr<std::unique_ptr<OpenedPlan>> open(const std::string &path,
                                                    const RunOptions &options);

  const std::string &path() const { return file; }
  const Model &model() const { return session->model(); }
  StatusOr<const format::Graph *> graph(const std::string &name) const {
    return session->chooseGraph(name);
  }

  /// Fetches of each step and the variables behind the last, from first values.
  /// Datasets without files have examples for so many batches in each step.
  StatusOr<std::vector<Value>> run(const std::string &graph, int64_t batches,
                                   const RunOptions &options);

private:
  Status bind(const format::Graph &graph, int64_t batches,
              const RunOptions &options);

  std::string file;
  std::unique_ptr<TemporaryFolder> folder;
  std::unique_ptr<LocalSession> session;
};

StatusOr<std::unique_ptr<OpenedPlan>>
OpenedPlan::open(const std::string &path, const RunOptions &options) {
  auto plan = std::make_unique<OpenedPlan>();
  plan->file = path;
  RunOptions own = options;
  own.model = path;
  GRAPHC_ASSIGN_OR_RETURN(
      std::shared_ptr<const Model> model,
      flags::openPlan(own, "", /*onHost=*/true, "choose one with --workers=N"));
  SessionOptions how;
  how.threads = options.threads;
  how.seed = options.seed;
  how.cpuLevel = options.cpuLevel;
  how.numerics.policy = options.nan;
  how.virtualGpus = true;
  GRAPHC_ASSIGN_OR_RETURN(plan->session,
                          LocalSession::create(std::move(model), how));
  GRAPHC_ASSIGN_OR_RETURN(plan->folder, TemporaryFolder::make());
  return plan;
}

Status OpenedPlan::bind(const format::Graph &graph, int64_t batches,
                        const RunOptions &options) {
  for (uint32_t index : datasetsOf(graph)) {
    const format::Dataset &dataset = *model().index().datasets()->Get(index);
    std::string name = dataset.name()->str();
    auto given =
        std::find_if(options.data.begin(), options.data.end(),
                     [&](const NamedText &data) { return data.name == name; });
    std::string files;
    if (given != options.data.end()) {
      files = given->text;
    } else {
      files = folder->file(name + ".npz");
      GRAPHC_TRY(writeRandomDataset(dataset, dataset.batch() * batches,
                                    options.seed, files));
    }
    GRAPHC_TRY(session->bindDataset(name, files).status());
  }
  return Status::ok();
}

/// Values for all feeds: those of the command line, else random ones.
StatusOr<std::vector<NamedTensor>> feedsOf(const format::Graph &graph,
                                           const RunOptions &options) {
  std::vector<NamedText> own;
  std::vector<NamedTensor> random;
  for (const format::Port *feed : *graph.feeds()) {
    std::string name = feed->name()->str();
    auto given =
        std::find_if(options.feeds.begin(), options.feeds.end(),
                     [&](const NamedText &text) { return text.name == name; });
    TensorType type = toTensorType(*feed->type());
    if (given != options.feeds.end())
      own.push_back(*given);
    else if (type.dtype == DType::String)
      return invalidArgument("feed '" + name +
                             "' is a text, for which no random one is made; "
                             "give it by --feed " +
                             name + "=TEXT");
    else
      random.push_back({name, randomTensor(type, options.seed, name)});
  }
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> feeds,
                          readFeeds(graph, own));
  std::move(random.begin(), random.end(), std::back_inserter(feeds));
  return feeds;
}

StatusOr<std::vector<Value>> OpenedPlan::run(const std::string &name,
                                             int64_t batches,
                                             const RunOptions &options) {
  RunRequest request;
  request.graph = name;
  request.steps = options.steps.value_or(kSteps);
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          session->chooseGraph(name));
  GRAPHC_ASSIGN_OR_RETURN(request.feeds, feedsOf(*graph, options));
  GRAPHC_TRY(bind(*graph, (request.steps + 1) * batches, options));
  GRAPHC_TRY(session->initialize(/*isAnew=*/true));
  std::vector<Value> values;
  auto outcome = session->runSteps(request, [&](const StepView &step) {
    for (size_t i = 0; i < step.size(); ++i)
      values.push_back({"step " + std::to_string(step.step()) + ", fetch " +
                            quote(step.name(i)),
                        step.tensor(i)});
    return true;
  });
  if (!outcome.isOk())
    return outcome.status().annotate(quote(file) + ", graph " + quote(name));
  // As a checkpoint, which has wholes in place of the parts of a plan.
  std::string saved = folder->file("variables.safetensors");
  GRAPHC_TRY(session->save(saved));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> reader,
                          openCheckpoint(saved));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> variables,
                          readTensors(*reader));
  for (NamedTensor &variable : variables)
    values.push_back({"variable " + quote(variable.name) + " after step " +
                          std::to_string(outcome->steps),
                      std::move(variable.tensor)});
  return values;
}

/// The ports of a graph as a text, in the order of their names.
std::string
portsText(const flatbuffers::Vector<flatbuffers::Offset<format::Port>> &ports) {
  std::vector<std::string> texts;
  for (const format::Port *port : ports)
    texts.push_back(port->name()->str() + ": " +
                    toTensorType(*port->type()).toString());
  std::sort(texts.begin(), texts.end());
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty() ? "" : ", ") + text;
  return all.empty() ? "none" : all;
}

/// FAILED_PRECONDITION: what the graph takes or gives is not the same in both.
Status compareGraphs(const OpenedPlan &a, const OpenedPlan &b,
                     const std::string &name) {
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *left, a.graph(name));
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *right, b.graph(name));
  auto refuse = [&](const char *what, const std::string &x,
                    const std::string &y) {
    return failedPrecondition(std::string(what) + " of graph '" + name +
                              "' are not the same: " + x + " in '" + a.path() +
                              "', " + y + " in '" + b.path() +
                              "'; compile both of one text, with the same "
                              "sizes and batch");
  };
  if (std::string x = portsText(*left->feeds()), y = portsText(*right->feeds());
      x != y)
    return refuse("feeds", x, y);
  if (std::string x = portsText(*left->fetches()),
      y = portsText(*right->fetches());
      x != y)
    return refuse("fetches", x, y);
  auto datasetsText = [](const OpenedPlan &plan, const format::Graph &graph) {
    std::string all;
    for (uint32_t index : datasetsOf(graph)) {
      const format::Dataset &dataset =
          *plan.model().index().datasets()->Get(index);
      all += (all.empty() ? "" : ", ") + dataset.name()->str() + " of batch " +
             std::to_string(dataset.batch());
    }
    return all.empty() ? "none" : all;
  };
  if (std::string x = datasetsText(a, *left), y = datasetsText(b, *right);
      x != y)
    return refuse("datasets", x, y);
  return Status::ok();
}

/// The distance of two tensors of one type, relative to the largest finite
/// element of both; infinite where only one is NaN, or whole numbers differ.
double distance(const HostTensor &a, const HostTensor &b, size_t &worst) {
  double scale = 0, largest = 0;
  for (size_t i = 0, count = elementCount(a); i < count; ++i) {
    double x = elementOf(a, i), y = elementOf(b, i);
    for (double each : {x, y})
      if (std::isfinite(each))
        scale = std::max(scale, std::abs(each));
    bool same = x == y || (std::isnan(x) && std::isnan(y));
    double by = same ? 0 : std::abs(x - y);
    if (!(by <= largest)) { // NaN, too
      largest = std::isnan(by) ? INFINITY : by;
      worst = i;
    }
  }
  bool isFloat = a.type.dtype == DType::Float32 ||
                 a.type.dtype == DType::Float64 || isHalf(a.type.dtype);
  if (largest == 0)
    return 0;
  return isFloat && scale > 0 ? largest / scale : INFINITY;
}

class Comparison {
public:
  Comparison(const OpenedPlan &a, const OpenedPlan &b, double tolerance)
      : a(a), b(b), tolerance(tolerance) {}

  /// Prints; true: nothing differs.
  bool compare(const std::string &graph, const std::vector<Value> &left,
               const std::vector<Value> &right);

private:
  void addDifference(const std::string &text) {
    if (differing++ == 0)
      first = text;
  }

  const OpenedPlan &a, &b;
  double tolerance;
  std::string first; ///< difference
  size_t differing = 0;
};

bool Comparison::compare(const std::string &graph,
                         const std::vector<Value> &left,
                         const std::vector<Value> &right) {
  std::map<std::string, const HostTensor *> others;
  for (const Value &value : right)
    others[value.what] = &value.tensor;
  Largest largest;
  size_t compared = 0;
  first.clear();
  differing = 0;
  for (const Value &value : left) {
    auto other = others.find(value.what);
    ++compared;
    if (other == others.end()) {
      addDifference(value.what + " is only in '" + a.path() + "'");
      continue;
    }
    const HostTensor &x = value.tensor, &y = *other->second;
    others.erase(other);
    if (x.type != y.type) {
      addDifference(value.what + " is " + x.type.toString() + " in '" +
                    a.path() + "', " + y.type.toString() + " in '" + b.path() +
                    "'");
      continue;
    }
    if (x.type.dtype == DType::String) {
      if (x.bytes != y.bytes)
        addDifference(value.what + " is another text");
      continue;
    }
    size_t worst = 0;
    double by = distance(x, y, worst);
    if (by > largest.relative)
      largest = {by, value.what};
    if (by <= tolerance)
      continue;
    char text[64];
    std::snprintf(text, sizeof text, "%.3g", by);
    std::string place = placeText(x.type, worst);
    addDifference(value.what + ": " + (place.empty() ? "" : place + " ") +
                  elementText(elementOf(x, worst)) + " in '" + a.path() +
                  "', " + elementText(elementOf(y, worst)) + " in '" +
                  b.path() + "', apart by " + text + " of the largest element");
  }
  for (const Value &value : right)
    if (others.count(value.what)) {
      ++compared;
      addDifference(value.what + " is only in '" + b.path() + "'");
    }
  if (differing > 0) {
    std::printf("graph '%s': %zu of %zu values differ; the first: %s\n",
                graph.c_str(), differing, compared, first.c_str());
    return false;
  }
  if (largest.what.empty())
    std::printf("graph '%s': %zu values are equal\n", graph.c_str(), compared);
  else
    std::printf("graph '%s': %zu values agree, the largest difference is %.3g "
                "of %s\n",
                graph.c_str(), compared, largest.relative,
                largest.what.c_str());
  return true;
}

Status checkUse(const RunOptions &options) {
  const char *other = options.train.isTrain             ? "train"
                      : options.cluster.isUsed()        ? "a cluster"
                      : options.isSimulated             ? "--sim-cluster"
                      : !options.loadFile.empty()       ? "--load"
                      : !options.saveFile.empty()       ? "--save"
                      : !options.checkpointFile.empty() ? "--checkpoint"
                      : !options.outDir.empty()         ? "--out"
                      : !options.fetches.empty()        ? "--fetch"
                      : options.summary.isUsed() ? "--summary-dir or --log"
                      : options.isProfiled       ? "--profile"
                      : options.debug.isUsed() || options.debug.verifiesOps
                          ? "--watch, --dump, --break-on-nan or --verify-ops"
                          : nullptr;
  return other ? invalidArgument(
                     std::string("--verify-equiv runs two plans in this "
                                 "process from their first values, and "
                                 "compares all of their fetches and "
                                 "variables; it does not go with ") +
                     other)
               : Status::ok();
}

/// The graphs to compare: that of --graph, or those that both plans have. One
/// that only one of them has is an error.
StatusOr<std::vector<std::string>>
graphsOf(const OpenedPlan &a, const OpenedPlan &b, const RunOptions &options) {
  if (!options.graph.empty())
    return std::vector<std::string>{options.graph};
  std::vector<std::string> left = sourceGraphs(a.model()),
                           right = sourceGraphs(b.model());
  for (const auto &[own, others, plan] :
       {std::tuple(&left, &right, &b), std::tuple(&right, &left, &a)})
    for (const std::string &name : *own)
      if (std::find(others->begin(), others->end(), name) == others->end())
        return failedPrecondition("'" + plan->path() + "' has no graph '" +
                                  name +
                                  "'; choose what to compare with --graph");
  return left;
}

} // namespace

StatusOr<int> comparePlans(const RunOptions &options) {
  GRAPHC_TRY(checkUse(options));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OpenedPlan> a,
                          OpenedPlan::open(options.model, options));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OpenedPlan> b,
                          OpenedPlan::open(options.debug.equivalent, options));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::string> graphs,
                          graphsOf(*a, *b, options));
  Comparison comparison(*a, *b, options.debug.tolerance);
  bool agree = true;
  for (const std::string &name : graphs) {
    GRAPHC_TRY(compareGraphs(*a, *b, name));
    GRAPHC_ASSIGN_OR_RETURN(const format::Graph *one, a->graph(name));
    GRAPHC_ASSIGN_OR_RETURN(const format::Graph *other, b->graph(name));
    // Of datasets whose batch is that of one worker, a step takes several.
    int64_t batches =
        std::max(one->programs()->size(), other->programs()->size());
    GRAPHC_ASSIGN_OR_RETURN(std::vector<Value> left,
                            a->run(name, batches, options));
    GRAPHC_ASSIGN_OR_RETURN(std::vector<Value> right,
                            b->run(name, batches, options));
    agree &= comparison.compare(name, left, right);
  }
  return agree ? 0 : kExitFailure;
}

} // namespace graphc::run
