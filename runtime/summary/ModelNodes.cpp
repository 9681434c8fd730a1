// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/summary/ModelNodes.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphc::runtime {

namespace {

/// Makes the nodes of a graph, program after program.
class NodeMaker {
public:
  NodeMaker(const Model &model, const format::Graph &graph)
      : model(model), graph(graph) {}

  std::vector<SummaryNode> make() {
    for (const format::Program *program : *graph.programs())
      addProgram(*program);
    for (const auto &[node, edge] : received)
      if (auto sender = senders.find(edge); sender != senders.end())
        addInput(nodes[node], sender->second);
    return std::move(nodes);
  }

private:
  void addProgram(const format::Program &program) {
    std::string device(deviceOf(model.index(), program));
    std::map<uint32_t, std::string> writers; ///< by slot
    for (uint32_t slot = 0; slot < program.slots()->size(); ++slot) {
      const format::Slot &place = *program.slots()->Get(slot);
      if (place.kind() == format::SlotKind::Variable)
        writers[slot] = addVariable(place, device);
    }
    for (const format::Instruction *instruction : *program.instructions())
      addInstruction(*instruction, device, writers);
  }

  std::string addVariable(const format::Slot &slot, const std::string &device) {
    const format::Variable &variable =
        *model.index().variables()->Get(slot.index());
    std::string &name = variables[slot.index()];
    if (name.empty()) {
      name = uniqueName(variable.name()->str());
      nodes.push_back({name, "Variable", device, {}});
    }
    return name;
  }

  void addInstruction(const format::Instruction &instruction,
                      const std::string &device,
                      std::map<uint32_t, std::string> &writers) {
    const char *kind = format::EnumNameAction(instruction.action_type());
    SummaryNode node{
        uniqueName(instruction.name() ? instruction.name()->str() : kind),
        kind,
        device,
        {}};
    forEachOperand(instruction, [&](uint32_t slot) {
      if (auto writer = writers.find(slot); writer != writers.end())
        addInput(node, writer->second);
    });
    forEachWrite(instruction,
                 [&](uint32_t slot) { writers[slot] = node.name; });
    EdgeUses uses = edgesOf(instruction);
    if (uses.edges)
      for (uint32_t edge : *uses.edges)
        if (uses.isSend)
          senders[edge] = node.name;
        else
          received.push_back({nodes.size(), edge});
    nodes.push_back(std::move(node));
  }

  static void addInput(SummaryNode &node, const std::string &input) {
    if (input != node.name && std::find(node.inputs.begin(), node.inputs.end(),
                                        input) == node.inputs.end())
      node.inputs.push_back(input);
  }

  /// TensorFlow's rule: what is there already gets _1, _2.
  std::string uniqueName(std::string name) {
    for (char &c : name)
      if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
          !(c >= '0' && c <= '9') && c != '.' && c != '/' && c != '-')
        c = '_';
    std::string unique = name;
    for (int i = 1; !names.insert(unique).second; ++i)
      unique = name + "_" + std::to_string(i);
    return unique;
  }

  const Model &model;
  const format::Graph &graph;
  std::vector<SummaryNode> nodes;
  std::set<std::string> names;
  std::map<uint32_t, std::string> variables;         ///< by number
  std::map<uint32_t, std::string> senders;           ///< by edge
  std::vector<std::pair<size_t, uint32_t>> received; ///< node, edge
};

} // namespace

std::vector<SummaryNode> modelNodes(const Model &model,
                                    const format::Graph &graph) {
  return NodeMaker(model, graph).make();
}

} // namespace graphc::runtime
