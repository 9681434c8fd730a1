// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/verify/SummaryCheck.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/verify/VerifyTexts.h"

#include <cmath>

namespace graphc::runtime {

namespace {

using Ports = flatbuffers::Vector<flatbuffers::Offset<format::Port>>;

const format::TensorType &typeOf(const format::Graph &graph, uint64_t fetch) {
  return *graph.fetches()->Get(static_cast<uint32_t>(fetch))->type();
}

size_t rankOf(const format::TensorType &type) {
  return type.shape() ? type.shape()->size() : 0;
}

bool isImage(const format::TensorType &type) {
  if (rankOf(type) != 4 || (type.dtype() != format::DType::Float32 &&
                            type.dtype() != format::DType::UInt8))
    return false;
  int64_t channels = type.shape()->Get(3);
  return channels == 1 || channels == 3 || channels == 4;
}

bool isPrCurve(const format::TensorType &labels,
               const format::TensorType &predictions) {
  if (labels.dtype() != format::DType::Bool ||
      predictions.dtype() != format::DType::Float32 ||
      rankOf(labels) != rankOf(predictions))
    return false;
  for (uint32_t i = 0; i < rankOf(labels); ++i)
    if (labels.shape()->Get(i) != predictions.shape()->Get(i))
      return false;
  return true;
}

/// The fetches have the types that the kind shows.
bool fits(const format::Graph &graph, const format::Summary &summary) {
  const format::TensorType &type = typeOf(graph, summary.fetch());
  bool isText = type.dtype() == format::DType::String;
  switch (summary.kind()) {
  case format::SummaryKind::Scalar:
    return rankOf(type) == 0 && !isText;
  case format::SummaryKind::Histogram:
    return !isText;
  case format::SummaryKind::Image:
    return isImage(type) && summary.max_outputs() > 0;
  case format::SummaryKind::Text:
    return rankOf(type) == 0 && isText;
  case format::SummaryKind::Audio:
    return (rankOf(type) == 2 || rankOf(type) == 3) &&
           type.dtype() == format::DType::Float32 &&
           summary.max_outputs() > 0 && std::isfinite(summary.sample_rate()) &&
           summary.sample_rate() > 0;
  case format::SummaryKind::PrCurve:
    return summary.thresholds() >= 2 && summary.thresholds() <= 1 << 20 &&
           isPrCurve(type, typeOf(graph, uint64_t{summary.fetch()} + 1));
  }
  return false;
}

Status checkSummary(const format::Graph &graph,
                    const format::Summary &summary) {
  uint64_t last = uint64_t{summary.fetch()} +
                  (summary.kind() == format::SummaryKind::PrCurve ? 1 : 0);
  if (last >= graph.fetches()->size())
    return outOfBounds("fetch", last, graph.fetches()->size());
  if (viewOf(summary.tag()).empty())
    return dataLoss("its tag is empty");
  if (!fits(graph, summary))
    return dataLoss("fetch " + textOf(summary.fetch()) +
                    " cannot be shown so: its type or a parameter is of "
                    "another kind of summary");
  return Status::ok();
}

/// The first `count` ports are alike in both.
bool areAlike(const Ports &a, const Ports &b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (viewOf(a.Get(i)->name()) != viewOf(b.Get(i)->name()) ||
        !sameType(*a.Get(i)->type(), *b.Get(i)->type()))
      return false;
  return true;
}

/// The graph that the variant stands for; null: there is none.
const format::Graph *plainGraph(const format::Model &model,
                                const format::Graph &graph) {
  std::string name = nameWithoutSummaries(graph);
  if (name == viewOf(graph.name()))
    return nullptr;
  // Where its forms for the host and for numbers of workers are one: "train" of
  // "train#host#3".
  const format::Graph *found = nullptr;
  for (const format::Graph *each : *model.graphs()) {
    std::string_view its = viewOf(each->name());
    bool begins = name.starts_with(its) &&
                  (name.size() == its.size() || name[its.size()] == '#');
    if (begins && (!found || its.size() > viewOf(found->name()).size()))
      found = each;
  }
  return found;
}

} // namespace

Status checkSummaries(const format::Model &model, const format::Graph &graph,
                      uint64_t &budget) {
  if (!graph.summaries() || graph.summaries()->size() == 0)
    return Status::ok();
  uint64_t walked = uint64_t{graph.summaries()->size()} +
                    model.graphs()->size() + graph.fetches()->size() +
                    graph.feeds()->size();
  if (walked > budget)
    return dataLoss("its lists are longer than the index that holds them");
  budget -= walked;
  uint32_t first = UINT32_MAX;
  for (uint32_t i = 0; i < graph.summaries()->size(); ++i) {
    const format::Summary &summary = *graph.summaries()->Get(i);
    Status status = checkSummary(graph, summary);
    if (!status.isOk())
      return status.annotate(labelOf("summary ", i, summary.tag()));
    first = std::min(first, summary.fetch());
  }
  const format::Graph *plain = plainGraph(model, graph);
  if (!plain)
    return dataLoss("it has summaries, but is no variant of a graph that is "
                    "there");
  if (plain->feeds()->size() != graph.feeds()->size() ||
      plain->fetches()->size() != first ||
      !areAlike(*plain->feeds(), *graph.feeds(), graph.feeds()->size()) ||
      !areAlike(*plain->fetches(), *graph.fetches(), first))
    return dataLoss("its feeds or fetches are not those of the graph that it "
                    "is a variant of");
  return Status::ok();
}

} // namespace graphc::runtime
