// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/HostVariant.h"

#include "runtime/format/ExecutableFormat.h"
#include "runtime/format/FileHeader.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/format/SelectGraphs.h"
#include "runtime/format/print/Print.h"

#include <algorithm>
#include <set>

namespace graphc::runtime {

namespace {

constexpr std::string_view kMark = "#host";

/// Finds the mark in "train#host" and "train#host#3"; npos: there is none.
size_t findMark(const format::Graph &graph) {
  std::string_view name = viewOf(graph.name());
  size_t at = name.rfind(kMark);
  if (at == name.npos)
    return at;
  std::string_view rest = name.substr(at + kMark.size());
  return rest.empty() || rest.front() == '#' ? at : name.npos;
}

/// "train" of "train#host", "train#3" of "train#host#3".
std::string plainName(const format::Graph &graph) {
  std::string name = graph.name()->str();
  if (isHostVariant(graph))
    name.erase(findMark(graph), kMark.size());
  return name;
}

/// Names another plan than `digest`, and always the same one.
std::string digestOnHost(const std::string &digest) {
  std::string text = digest + std::string(kMark);
  return digestText(format::digestOf(
      {reinterpret_cast<const std::byte *>(text.data()), text.size()}));
}

/// The host has code for all kernels that the program dispatches.
bool hasHostCode(const Model &model, const format::Program &program) {
  const ExecutableFormat &host = *executableFormats().front();
  ExecutableCode code = model.executable(host.target());
  return std::ranges::all_of(
      *program.instructions(), [&](const format::Instruction *instruction) {
        const format::Dispatch *dispatch = instruction->action_as_Dispatch();
        return !dispatch || host.hasKernel(code, dispatch->kernel());
      });
}

} // namespace

bool isHostVariant(const format::Graph &graph) {
  return graph.host() && findMark(graph) != std::string_view::npos;
}

bool hasHostVariants(const Model &model) {
  return std::ranges::any_of(
      *model.index().graphs(),
      [](const format::Graph *graph) { return isHostVariant(*graph); });
}

StatusOr<std::shared_ptr<const Model>>
takeVariant(std::shared_ptr<const Model> model, bool onHost) {
  if (model->index().part_task() || !hasHostVariants(*model))
    return model;
  std::set<std::string> varied;
  for (const format::Graph *graph : *model->index().graphs())
    if (isHostVariant(*graph))
      varied.insert(plainName(*graph));
  GraphSelection selection;
  selection.keeps = [&](const format::Graph &graph) {
    return isHostVariant(graph) ? onHost
                                : !onHost || !varied.contains(plainName(graph));
  };
  selection.nameOf = plainName;
  selection.digest =
      onHost ? digestOnHost(planDigest(*model)) : planDigest(*model);
  return selectGraphs(*model, selection);
}

Status checkHostCode(const Model &model, std::string_view fix) {
  for (const format::Graph *graph : *model.index().graphs())
    for (const format::Program *program : *graph->programs())
      if (!hasHostCode(model, *program))
        return failedPrecondition(
            "the programs of graph " + quote(viewOf(graph->name())) + " on " +
            quote(deviceOf(model.index(), *program)) +
            " are code for that device, not for the host; " + std::string(fix));
  return Status::ok();
}

} // namespace graphc::runtime
