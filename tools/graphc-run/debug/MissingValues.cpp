// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/debug/MissingValues.h"

#include "report/Report.h"
#include "runtime/base/Glob.h"
#include "runtime/base/Suggest.h"
#include "runtime/format/Quote.h"

#include <set>

namespace graphc::run {

using namespace runtime;

namespace {

/// The name of the graph of the source, without the mark of a variant or of a
/// worker.
std::string reportName(const format::Graph &graph) {
  std::string_view name = viewOf(graph.name());
  return std::string(name.substr(0, name.find('#')));
}

/// True for ops that make nothing: what they give is known, or a variable's.
bool isSource(const std::string &kind) {
  return kind == "Const" || kind == "Read" || kind == "StepState" ||
         kind == "Placeholder";
}

/// True when the model was compiled to keep the op.
bool isToBeKept(const Model &model, const std::string &op) {
  constexpr std::string_view kFlag = "--keep=";
  if (const auto *flags = model.index().flags())
    for (const flatbuffers::String *flag : *flags) {
      std::string_view text = viewOf(flag);
      if (text.starts_with(kFlag) &&
          matchesOpName(std::string(text.substr(kFlag.size())), op))
        return true;
    }
  return false;
}

} // namespace

std::vector<std::string> unkeptOps(const Model &model,
                                   const format::Graph &graph,
                                   const std::vector<KeptValue> &kept) {
  StatusOr<report::Report> report = report::Report::of(model);
  const report::ReportGraph *ops =
      report.isOk() ? report->findGraph(reportName(graph)) : nullptr;
  std::vector<std::string> unkept;
  if (!ops)
    return unkept;
  std::set<std::string> known;
  for (const KeptValue &value : kept)
    known.insert(value.name.substr(0, value.name.find_first_of(":@#")));
  for (size_t row = 0; row < ops->ops.size(); ++row) {
    const std::string &kind =
        report->kinds[static_cast<size_t>(ops->ops.kind[row])];
    const std::string &name = ops->ops.name[row];
    if (!isSource(kind) && !ops->ops.results[row].empty() &&
        known.insert(name).second)
      unkept.push_back(name);
  }
  return unkept;
}

Status missingValue(const char *flag, const std::string &pattern,
                    const Model &model, const format::Graph &graph,
                    const std::vector<std::string> &unkept,
                    const std::vector<KeptValue> &kept) {
  std::vector<std::string> fitting;
  for (const std::string &name : unkept)
    if (matchesOpName(pattern, name))
      fitting.push_back(name);
  std::string place = "graph " + quote(viewOf(graph.name()));
  if (!fitting.empty() && isToBeKept(model, fitting.front()))
    return invalidArgument(
        std::string(flag) + ": op " + quote(fitting.front()) + " of " + place +
        " has no memory of its own though the model was compiled to keep it: "
        "it writes a variable, shows another value in another shape, or is "
        "known when the model is compiled; watch 'variables/*', or its "
        "operand");
  if (!fitting.empty())
    return invalidArgument(
        std::string(flag) + ": the value of op " + quote(fitting.front()) +
        (fitting.size() > 1
             ? " and those of " + std::to_string(fitting.size() - 1) + " more"
             : "") +
        " of " + place + (fitting.size() > 1 ? " are" : " is") +
        " in no memory, since a kernel of several ops makes and uses " +
        (fitting.size() > 1 ? "them" : "it") +
        "; "
        "compile with 'graphc --keep=" +
        pattern + "', or watch what is kept: --watch=list");
  std::vector<std::string> names;
  for (const KeptValue &value : kept)
    names.push_back(value.name);
  names.insert(names.end(), unkept.begin(), unkept.end());
  return invalidArgument(std::string(flag) + ": " +
                         unknownName(place, "op", pattern, names));
}

} // namespace graphc::run
