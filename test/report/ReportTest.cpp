// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a report, and refuses every kind of malformed one.
#include "report/Report.h"

#include "test/report/SmallReport.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::report;
using namespace graphc::runtime;
using graphc::test::smallReport;
using nlohmann::json;

namespace {

TEST(Report, ReadsColumns) {
  auto report = Report::parse(smallReport().dump());
  ASSERT_TRUE(report.isOk()) << report.status().toString();
  ASSERT_EQ(report->graphs.size(), 1u);
  const ReportGraph &graph = report->graphs[0];
  EXPECT_EQ(graph.ops.name[2], "scope/mul");
  EXPECT_EQ(graph.ops.replica, (std::vector<int32_t>{-1, -1, 0}));
  EXPECT_EQ(graph.maker, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(graph.valueSize, (std::vector<uint64_t>{4000, 4, 4000}));
  EXPECT_EQ(report->findGraph("predict"), &graph);
  EXPECT_EQ(report->findGraph("train"), nullptr);
  EXPECT_EQ(defaultGraph(*report), &graph);
  EXPECT_EQ(report->deviceText(1), "worker/1/GPU:0");
  EXPECT_EQ(report->deviceText(-1), "no device");
}

TEST(Report, ReasonsMayBeMissing) {
  json root = smallReport();
  for (const char *column : {"rule", "why", "others"})
    root["graphs"][0]["ops"].erase(column);
  EXPECT_TRUE(Report::parse(root.dump()).isOk());
}

/// Sets one value of the small report and expects this complaint.
void refuses(const char *path, json value, const std::string &complaint) {
  json root = smallReport();
  root[json::json_pointer(path)] = std::move(value);
  auto report = Report::parse(root.dump());
  ASSERT_FALSE(report.isOk()) << path;
  EXPECT_EQ(report.status().code(), StatusCode::DataLoss);
  EXPECT_NE(report.status().message().find(complaint), std::string::npos)
      << path << ": " << report.status().message();
}

TEST(Report, RefusesWhatIsNoJson) {
  for (const char *text : {"", "{", "[1,2", "{\"version\": 1e999}", "\xff"}) {
    auto report = Report::parse(text);
    ASSERT_FALSE(report.isOk()) << text;
    EXPECT_NE(report.status().message().find("it is not JSON"),
              std::string::npos);
  }
}

TEST(Report, RefusesOtherShapes) {
  EXPECT_FALSE(Report::parse("[]").isOk());
  EXPECT_FALSE(Report::parse("null").isOk());
  refuses("/version", 2, "'version' holds 2");
  refuses("/devices", 1, "'devices' is no list");
  refuses("/devices/0", "x", "'name' is missing");
  refuses("/types/0", {1}, "'types' holds");
  refuses("/types/0/1", -5, "'types' holds -5");
  refuses("/graphs/0/name", 1, "'name' holds something that is no text");
  refuses("/graphs/0/ops/name", {"x"}, "has 3 rows of 1");
  refuses("/graphs/0/ops/kind/1", 3, "'kind' holds 3");
  refuses("/graphs/0/ops/device/0", 2, "'device' holds 2");
  refuses("/graphs/0/ops/device/0", 0.5, "'device' holds 0.5");
  refuses("/graphs/0/ops/replica/0", -2, "'replica' holds -2");
  refuses("/graphs/0/ops/line/0", 4294967296, "'line' holds");
  refuses("/graphs/0/ops/results/0/0", 2, "'results' holds 2");
  refuses("/graphs/0/ops/operands/2/0", 3, "'operands' holds 3");
  refuses("/graphs/0/ops/operands/1", 0, "'operands' holds something");
  refuses("/graphs/0/ops/operands/1", {2}, "made after it");
  refuses("/graphs/0/ops/why/0", 2, "'why' holds 2");
  refuses("/graphs/0/ops/others/0", 1, "'others' holds 1");
  refuses("/graphs/0/fetches/0", {"y"}, "no fetch");
  refuses("/graphs/0/fetches/0/1", 3, "'fetches' holds 3");
  refuses("/others/0/0/1", 2, "'others' holds 2");
  refuses("/others/0/0/3", "x", "no alternative");
  refuses("/variables/mirror_of/0", 1, "'mirror_of' holds 1");
}

TEST(Report, EveryMissingMemberIsRefused) {
  const json whole = smallReport();
  for (const auto &[key, value] : whole.items()) {
    json root = whole;
    root.erase(key);
    EXPECT_FALSE(Report::parse(root.dump()).isOk()) << key;
  }
}

TEST(Report, ShortDeviceKeepsWhatIsNotLocal) {
  EXPECT_EQ(shortDevice("/job:localhost/replica:0/task:0/device:GPU:2"),
            "GPU:2");
  EXPECT_EQ(shortDevice("/job:ps/replica:0/task:3/device:CPU:0"), "ps/3/CPU:0");
  EXPECT_EQ(shortDevice("nonsense"), "nonsense");
}

} // namespace
