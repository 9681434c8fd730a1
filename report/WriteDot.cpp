// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/WriteDot.h"

#include "report/ScopeBoxes.h"
#include "runtime/base/Texts.h"

#include <limits>
#include <ostream>

namespace graphc::report {

namespace {

/// A quoted text of dot. Only the quote ends it; a backslash would start one of
/// dot's own escapes, and control characters break lines.
std::string dotText(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

class DotWriter {
public:
  DotWriter(const Report &report, const ReportGraph &graph, std::ostream &out)
      : report(report), graph(graph), out(out),
        boxes(boxesOf(report, graph, std::numeric_limits<size_t>::max())) {
    opsOf.resize(boxes.boxes.size());
    for (uint32_t op = 0; op < graph.ops.size(); ++op)
      opsOf[boxes.boxOf[op]].push_back(op);
  }

  void write() {
    out << "digraph " << dotText(graph.name) << " {\n"
        << "  rankdir=TB; compound=true;\n"
        << "  node [shape=box, style=\"rounded,filled\", fillcolor=white, "
           "fontname=\"sans-serif\", fontsize=10];\n"
        << "  edge [color=\"#94a2b3\", fontname=\"sans-serif\", "
           "fontsize=9];\n";
    for (uint32_t device = 0; device < boxes.devices.size(); ++device)
      writeDevice(device);
    for (uint32_t op = 0; op < graph.ops.size(); ++op)
      writeEdges(op);
    out << "}\n";
  }

private:
  void writeDevice(uint32_t device) {
    static constexpr const char *colours[] = {"#e8ecf2", "#fdebd8", "#dcf3e8",
                                              "#eae3fa", "#fbe1ea", "#eaf3da",
                                              "#dbeff5", "#f8f0d2"};
    out << "  subgraph cluster_" << device
        << " {\n    label=" << dotText(report.deviceText(boxes.devices[device]))
        << "; style=\"rounded,filled\"; color=\"#94a2b3\"; fillcolor=\""
        << colours[device % std::size(colours)] << "\";\n";
    for (uint32_t box = 0; box < boxes.boxes.size(); ++box)
      if (boxes.boxes[box].device == device)
        writeBox(box);
    out << "  }\n";
  }

  void writeBox(uint32_t box) {
    bool isScope =
        graph.ops.name[opsOf[box].front()].find('/') != std::string::npos;
    if (isScope)
      out << "    subgraph cluster_box_" << box
          << " {\n      label=" << dotText(boxes.boxes[box].name) << ";\n";
    for (uint32_t op : opsOf[box])
      out << "      op" << op << " [label=" << dotText(graph.ops.name[op])
          << ", tooltip=" << dotText(report.kinds[graph.ops.kind[op]])
          << "];\n";
    if (isScope)
      out << "    }\n";
  }

  void writeEdges(uint32_t op) {
    for (uint32_t value : graph.ops.operands[op]) {
      uint32_t maker = graph.maker[value];
      out << "  op" << maker << " -> op" << op;
      if (graph.ops.device[maker] != graph.ops.device[op] &&
          !isCloned(report, graph, maker))
        out << " [color=\"#d9480f\", penwidth=2, label="
            << dotText(runtime::decimalBytes(graph.valueSize[value])) << "]";
      out << ";\n";
    }
  }

  const Report &report;
  const ReportGraph &graph;
  std::ostream &out;
  ScopeBoxes boxes;
  std::vector<std::vector<uint32_t>> opsOf; ///< by box
};

} // namespace

void writeDot(const Report &report, const ReportGraph &graph,
              std::ostream &out) {
  DotWriter(report, graph, out).write();
}

} // namespace graphc::report
