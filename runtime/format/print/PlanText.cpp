// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/print/PlanText.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"

namespace graphc::runtime {

namespace {

/// " 'name'", or nothing.
std::string nameText(const flatbuffers::String *name) {
  return viewOf(name).empty() ? "" : " " + quote(viewOf(name));
}

} // namespace

std::string lineText(const format::Location *location) {
  if (!location || location->line() == 0)
    return "";
  return " at line " + std::to_string(location->line());
}

std::string programText(const format::Model &model, const format::Graph &graph,
                        uint32_t program) {
  std::string_view device = deviceOf(model, *graph.programs()->Get(program));
  return "program " + std::to_string(program) +
         (device.empty() ? "" : " " + quote(device));
}

std::string instructionText(const format::Program &program, uint32_t index) {
  const format::Instruction &instruction = *program.instructions()->Get(index);
  return "instruction #" + std::to_string(index) +
         nameText(instruction.name()) + lineText(instruction.location());
}

std::string slotText(const format::Program &program, uint32_t index) {
  return "slot %" + std::to_string(index) +
         nameText(program.slots()->Get(index)->name());
}

std::string edgeText(const format::Model &model, const format::Graph &graph,
                     uint32_t edge) {
  const format::Edge &table = *graph.edges()->Get(edge);
  auto end = [&](uint32_t program) {
    return program < graph.programs()->size()
               ? programText(model, graph, program)
               : "program " + std::to_string(program);
  };
  return "edge " + std::to_string(edge) + nameText(table.name()) +
         lineText(table.location()) + " from " + end(table.source()) + " to " +
         end(table.target());
}

} // namespace graphc::runtime
