// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes inside a device are laid out first, then the devices.
#include "report/WriteSvg.h"

#include "report/Layout.h"
#include "report/ScopeBoxes.h"
#include "runtime/base/Texts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace graphc::report {

namespace {

constexpr double kPad = 18, kHead = 38, kMargin = 24, kTitle = 40;

std::string xmlText(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return result;
}

/// At most so many bytes, never a part of a character.
std::string cut(const std::string &text, size_t most) {
  if (text.size() <= most)
    return text;
  size_t end = most - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return text.substr(0, end) + "…";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

std::string countText(uint64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class SvgWriter {
public:
  SvgWriter(const Report &report, const ReportGraph &graph, std::ostream &out)
      : report(report), graph(graph), out(out), boxes(boxesOf(report, graph)) {}

  void write();

private:
  /// The boxes of one device, placed within it.
  struct Device {
    std::vector<uint32_t> boxes;
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges;
    uint32_t opCount = 0;
  };

  std::vector<LayoutNode> layOutDevices();
  void writeHead(LayoutSize size);
  void writeDevice(const Device &device, uint32_t index,
                   const LayoutNode &place);
  void writeRect(const LayoutNode &place, const char *kind, int hue);
  void writeText(double x, double y, const char *kind, const std::string &text);
  void writeLine(const std::vector<LayoutPoint> &points, double dx, double dy,
                 const char *kind, double width);
  void writeLabel(const LayoutEdge &edge, const Flow &flow);
  int hueOf(uint32_t device) const;

  const Report &report;
  const ReportGraph &graph;
  std::ostream &out;
  ScopeBoxes boxes;
  std::vector<Device> devices;
};

double boxWidth(const std::string &name, const std::string &sub) {
  size_t letters = std::clamp<size_t>(std::max(name.size(), sub.size()), 8, 30);
  return static_cast<double>(letters) * 7.4 + 28;
}

std::vector<LayoutNode> SvgWriter::layOutDevices() {
  devices.resize(boxes.devices.size());
  std::vector<uint32_t> local(boxes.boxes.size());
  for (uint32_t box = 0; box < boxes.boxes.size(); ++box) {
    const ScopeBox &scope = boxes.boxes[box];
    Device &device = devices[scope.device];
    local[box] = static_cast<uint32_t>(device.nodes.size());
    device.boxes.push_back(box);
    device.nodes.push_back(
        {boxWidth(scope.name, countText(scope.opCount, "op")), 44});
    device.opCount += scope.opCount;
  }
  for (const Flow &flow : boxes.within)
    devices[boxes.boxes[flow.from].device].edges.push_back(
        {local[flow.from], local[flow.to]});
  std::vector<LayoutNode> places;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    LayoutSize size = layOut(devices[i].nodes, devices[i].edges);
    double width = std::max(
        size.width, boxWidth(report.deviceText(boxes.devices[i]), "") + 90);
    for (LayoutNode &node : devices[i].nodes)
      node.x += (width - size.width) / 2;
    for (LayoutEdge &edge : devices[i].edges)
      for (LayoutPoint &point : edge.points)
        point.x += (width - size.width) / 2;
    places.push_back({width + 2 * kPad, size.height + kHead + kPad});
  }
  return places;
}

/// CPUs are grey, other devices have colours by their order.
int SvgWriter::hueOf(uint32_t device) const {
  static constexpr int hues[] = {24, 158, 268, 340, 96, 194, 48, 300};
  int others = 0;
  for (uint32_t i = 0; i <= device; ++i) {
    int32_t number = boxes.devices[i];
    bool isCpu = number >= 0 && isCpuDevice(report.devices[number]);
    if (i == device)
      return isCpu ? -1 : hues[others % std::size(hues)];
    others += isCpu ? 0 : 1;
  }
  return -1;
}

void SvgWriter::writeHead(LayoutSize size) {
  std::string width = number(size.width + 2 * kMargin);
  std::string height = number(size.height + 2 * kMargin + kTitle);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width
      << " " << height << "\" width=\"" << width << "\" height=\"" << height
      << "\" font-family=\"system-ui, sans-serif\">\n"
      << R"(<style>
  .ground { fill: #f6f7f9 } text { fill: #1b2430; font-size: 12.5px }
  .sub { fill: #5d6b7c; font-size: 11px } .title { font-size: 16px }
  .device, .title { font-weight: 650 }
  .wire { fill: none; stroke: #94a2b3 } .cross { stroke: #d9480f }
  .label { fill: #d9480f; font-size: 11.5px; font-weight: 600;
           text-anchor: middle; paint-order: stroke; stroke: #f6f7f9;
           stroke-width: 4px }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0f141a } text { fill: #e4e9ef } .sub { fill: #93a1b1 }
    .wire { stroke: #5f6f81 } .cross { stroke: #ff922b }
    .label { fill: #ff922b; stroke: #0f141a }
    rect.area, rect.box { filter: invert(.88) hue-rotate(180deg) }
  }
</style>
<defs>
  <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8z" fill="#94a2b3"/></marker>
  <marker id="head-cross" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="13" markerHeight="13" orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8z" fill="#d9480f"/></marker>
</defs>
<rect class="ground" width="100%" height="100%"/>
)";
  writeText(kMargin, kMargin + 14, "title",
            graph.name + ": " + countText(graph.ops.size(), "op") + " on " +
                countText(devices.size(), "device"));
}

void SvgWriter::writeText(double x, double y, const char *kind,
                          const std::string &text) {
  out << "<text x=\"" << number(x) << "\" y=\"" << number(y) << "\" class=\""
      << kind << "\">" << xmlText(text) << "</text>\n";
}

void SvgWriter::writeRect(const LayoutNode &place, const char *kind, int hue) {
  bool isArea = kind[0] == 'a';
  std::string colour = "hsl(" + std::to_string(std::max(hue, 0)) +
                       (hue < 0 ? ", 0%, " : ", 62%, ");
  out << "<rect class=\"" << kind << "\" x=\"" << number(place.x) << "\" y=\""
      << number(place.y) << "\" width=\"" << number(place.width)
      << "\" height=\"" << number(place.height) << "\" rx=\""
      << (isArea ? 12 : 8) << "\" fill=\"" << colour << (isArea ? 96 : 90)
      << "%)\" stroke=\"" << colour << "66%)\"/>\n";
}

void SvgWriter::writeLine(const std::vector<LayoutPoint> &points, double dx,
                          double dy, const char *kind, double width) {
  auto at = [&](double x, double y) {
    return number(x + dx) + " " + number(y + dy);
  };
  out << "<path class=\"" << kind << "\" stroke-width=\"" << number(width)
      << "\" marker-end=\"url(#" << (kind[4] ? "head-cross" : "head")
      << ")\" d=\"M" << at(points[0].x, points[0].y);
  for (size_t i = 1; i < points.size(); ++i) {
    double bend = (points[i].y - points[i - 1].y) / 2;
    out << "C" << at(points[i - 1].x, points[i - 1].y + bend) << " "
        << at(points[i].x, points[i].y - bend) << " "
        << at(points[i].x, points[i].y);
  }
  out << "\"/>\n";
}

void SvgWriter::writeDevice(const Device &device, uint32_t index,
                            const LayoutNode &place) {
  int hue = hueOf(index);
  std::string name = report.deviceText(boxes.devices[index]);
  writeRect(place, "area", hue);
  writeText(place.x + kPad, place.y + 24, "device", cut(name, 40));
  out << "<text class=\"sub\" text-anchor=\"end\" x=\""
      << number(place.x + place.width - kPad) << "\" y=\""
      << number(place.y + 24) << "\">" << countText(device.opCount, "op")
      << "</text>\n";
  double dx = place.x + kPad, dy = place.y + kHead;
  for (const LayoutEdge &edge : device.edges)
    writeLine(edge.points, dx, dy, "wire", 1.4);
  for (size_t i = 0; i < device.nodes.size(); ++i) {
    const ScopeBox &box = boxes.boxes[device.boxes[i]];
    LayoutNode node = device.nodes[i];
    node.x += dx;
    node.y += dy;
    out << "<g><title>" << xmlText(box.name) << "</title>\n";
    writeRect(node, "box", hue);
    writeText(node.x + 12, node.y + 18, "name", cut(box.name, 30));
    writeText(node.x + 12, node.y + 35, "sub", countText(box.opCount, "op"));
    out << "</g>\n";
  }
}

void SvgWriter::writeLabel(const LayoutEdge &edge, const Flow &flow) {
  // By the end where there is more room: many lines may meet at the other.
  auto busy = [&](uint32_t end) {
    return std::count_if(
        boxes.across.begin(), boxes.across.end(),
        [&](const Flow &f) { return f.from == end || f.to == end; });
  };
  double part = busy(flow.from) > busy(flow.to) ? 0.8 : 0.4;
  size_t last = edge.points.size() - 1;
  double place = part * static_cast<double>(last);
  size_t i = std::min(static_cast<size_t>(place), last - 1);
  double t = place - static_cast<double>(i);
  const LayoutPoint &a = edge.points[i], &b = edge.points[i + 1];
  writeText(a.x + (b.x - a.x) * t + kMargin,
            a.y + (b.y - a.y) * t + kMargin + kTitle, "label",
            runtime::decimalBytes(flow.bytes) + " · " +
                countText(flow.values, "value"));
}

void SvgWriter::write() {
  std::vector<LayoutNode> places = layOutDevices();
  std::vector<LayoutEdge> edges;
  for (const Flow &flow : boxes.across)
    edges.push_back({flow.from, flow.to});
  LayoutSize size = layOut(places, edges, kWideGaps);
  writeHead(size);
  for (uint32_t i = 0; i < devices.size(); ++i) {
    LayoutNode place = places[i];
    place.x += kMargin;
    place.y += kMargin + kTitle;
    writeDevice(devices[i], i, place);
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    double size = static_cast<double>(boxes.across[i].bytes) / 1000;
    writeLine(edges[i].points, kMargin, kMargin + kTitle, "wire cross",
              1 + std::min(2.6, 0.65 * std::log10(1 + size)));
  }
  for (size_t i = 0; i < edges.size(); ++i)
    writeLabel(edges[i], boxes.across[i]);
  out << "</svg>\n";
}

} // namespace

void writeSvg(const Report &report, const ReportGraph &graph,
              std::ostream &out) {
  SvgWriter(report, graph, out).write();
}

} // namespace graphc::report
