// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of ops stay texts in each kind of picture, whatever they hold.
#include "report/ScopeBoxes.h"
#include "report/WriteDot.h"
#include "report/WriteSvg.h"
#include "test/report/SmallReport.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace graphc::report;
using graphc::test::smallReport;

namespace {

Report parse(const nlohmann::json &root) {
  auto report = Report::parse(root.dump());
  EXPECT_TRUE(report.isOk()) << report.status().toString();
  return *report;
}

std::string draw(const Report &report,
                 void (*write)(const Report &, const ReportGraph &,
                               std::ostream &)) {
  std::ostringstream out;
  write(report, report.graphs[0], out);
  return out.str();
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Picture, BoxesSumWhatCrosses) {
  Report report = parse(smallReport());
  ScopeBoxes boxes = boxesOf(report, report.graphs[0]);
  ASSERT_EQ(boxes.boxes.size(), 2u);
  EXPECT_EQ(boxes.boxes[0].name, "ops without a scope");
  EXPECT_EQ(boxes.boxes[0].opCount, 2u);
  EXPECT_EQ(boxes.boxes[1].name, "scope");
  ASSERT_EQ(boxes.across.size(), 1u);
  // The constant is copied, not sent.
  EXPECT_EQ(boxes.across[0].bytes, 4000u);
  EXPECT_EQ(boxes.across[0].values, 1u);
}

TEST(Picture, SmallScopesBecomeOne) {
  nlohmann::json root = smallReport();
  auto &ops = root["graphs"][0]["ops"];
  ops["name"] = {"a/x", "b/x", "c/x"};
  ops["device"] = {0, 0, 0};
  Report report = parse(root);
  ScopeBoxes boxes = boxesOf(report, report.graphs[0], /*most=*/1);
  ASSERT_EQ(boxes.boxes.size(), 2u);
  EXPECT_EQ(boxes.boxes[1].name, "2 smaller scopes");
}

TEST(Picture, DotHasEveryOpAndValue) {
  std::string dot = draw(parse(smallReport()), writeDot);
  EXPECT_TRUE(has(dot, "subgraph cluster_1"));
  EXPECT_TRUE(has(dot, "label=\"worker/1/GPU:0\""));
  EXPECT_TRUE(has(dot, "op0 -> op2 [color"));
  EXPECT_TRUE(has(dot, "label=\"4.0 KB\""));
  EXPECT_TRUE(has(dot, "op1 -> op2;"));
}

TEST(Picture, NamesCannotLeaveTheirQuotes) {
  nlohmann::json root = smallReport();
  root["graphs"][0]["ops"]["name"][2] =
      "\"]; evil [label=\"\\/<script>&</script>\n";
  Report report = parse(root);
  std::string dot = draw(report, writeDot);
  EXPECT_TRUE(has(dot, R"(label="\"]; evil [label=\"\\/<script>&</script> ")"))
      << dot;
  std::string svg = draw(report, writeSvg);
  EXPECT_FALSE(has(svg, "<script")) << svg;
  EXPECT_TRUE(has(svg, "&quot;]; evil")) << svg;
}

TEST(Picture, SvgShowsDevicesAndBytes) {
  std::string svg = draw(parse(smallReport()), writeSvg);
  EXPECT_TRUE(has(svg, ">predict: 3 ops on 2 devices<"));
  EXPECT_TRUE(has(svg, ">worker/1/GPU:0<"));
  EXPECT_TRUE(has(svg, ">4.0 KB · 1 value<"));
  EXPECT_TRUE(has(svg, "</svg>"));
}

} // namespace
