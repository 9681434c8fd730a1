// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// View of a graph of a file for the checks of plans.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_FILEVIEW_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_FILEVIEW_H

#include "runtime/format/check/PlanFinding.h"
#include "runtime/format/model_generated.h"
#include "runtime/format/verify/PlanCheck.h"

namespace graphc::runtime {

/// Returns the view of the programs that are here. REQUIRES: every index of
/// the graph was checked, and its edges were.
PlanView viewOfFile(const format::Graph &graph, const ProgramSet &isHere);

/// Names of the elements of a graph of a file, which outlives it.
class FileNames : public PlanNames {
public:
  FileNames(const format::Model &model, const format::Graph &graph)
      : model(model), graph(graph) {}

  std::string program(uint32_t program) const override;
  std::string instruction(uint32_t program, uint32_t index) const override;
  std::string slot(uint32_t program, uint32_t index) const override;
  std::string edge(uint32_t edge) const override;
  std::string variable(uint32_t program, uint32_t slot) const override;
  std::string allReduce() const override { return "AllReduce"; }

private:
  const format::Model &model;
  const format::Graph &graph;
};

} // namespace graphc::runtime

#endif
