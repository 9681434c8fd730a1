// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of speeds: what they mean, and every mistake.
#include "lib/placement/inputs/CostTable.h"
#include "lib/placement/inputs/DeviceItem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using graphc::CostTable;
using graphc::DeviceSet;
using graphc::DeviceSources;
using graphc::TargetDevice;
using testing::HasSubstr;

namespace {

DeviceSet devices() {
  DeviceSources sources;
  sources.devices = {"gpu:0", "gpu:1", "/job:far/task:0/device:GPU:0"};
  auto set = DeviceSet::make(sources);
  EXPECT_TRUE(set.isOk()) << set.status().toString();
  return *set;
}

const TargetDevice &at(const DeviceSet &set, const char *name) {
  return set[*set.find(graphc::parseUserDevice(name)->name)];
}

constexpr const char *kNear = "/job:localhost/replica:0/task:0/device:GPU:0";
constexpr const char *kNear1 = "/job:localhost/replica:0/task:0/device:GPU:1";
constexpr const char *kHost = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr const char *kFar = "/job:far/replica:0/task:0/device:GPU:0";

std::string messageOf(const std::string &text) {
  auto table = CostTable::parse({"c.json", text});
  EXPECT_FALSE(table.isOk()) << text;
  return table.status().message();
}

TEST(CostTable, BuiltIn) {
  DeviceSet set = devices();
  CostTable table;
  EXPECT_GT(table.speedOf(at(set, kNear)).flops,
            table.speedOf(at(set, kHost)).flops);
  EXPECT_GT(table.speedBetween(at(set, kNear), at(set, kHost)).bytesPerSecond,
            table.speedBetween(at(set, kNear), at(set, kFar)).bytesPerSecond);
}

TEST(CostTable, TheFirstEntryThatFitsCounts) {
  DeviceSet set = devices();
  auto table = CostTable::parse({"c.json", R"({"devices": [
        {"device": "/gpu:1", "flops": 3e9},
        {"device": "/gpu:*", "flops": 2e9, "launch_seconds": 0}],
       "links": [
        {"from": "/gpu:0", "to": "/gpu:1", "latency_seconds": 0.5},
        {"from": "/", "to": "/job:far", "bytes_per_second": 7}]})"});
  ASSERT_TRUE(table.isOk()) << table.status().toString();
  EXPECT_EQ(table->speedOf(at(set, kNear1)).flops, 3e9);
  EXPECT_EQ(table->speedOf(at(set, kNear)).flops, 2e9);
  EXPECT_EQ(table->speedOf(at(set, kNear)).launchSeconds, 0);
  // What the entry leaves out is built in, also when a later one has it.
  CostTable plain;
  EXPECT_EQ(table->speedOf(at(set, kNear1)).launchSeconds,
            plain.speedOf(at(set, kNear1)).launchSeconds);
  EXPECT_EQ(table->speedOf(at(set, kHost)).flops,
            plain.speedOf(at(set, kHost)).flops);
  auto link = [&](const char *from, const char *to) {
    return table->speedBetween(at(set, from), at(set, to));
  };
  EXPECT_EQ(link(kNear, kNear1).latencySeconds, 0.5);
  EXPECT_NE(link(kNear1, kNear).latencySeconds, 0.5);
  EXPECT_EQ(link(kNear, kFar).bytesPerSecond, 7);
}

TEST(CostTable, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(messageOf("[]"), HasSubstr("c.json:1: the cost table"));
  EXPECT_THAT(messageOf("{\n\"device\": []}"),
              HasSubstr("c.json:2: the cost table has no key 'device'"));
  EXPECT_THAT(messageOf("{\"devices\": {}}"), HasSubstr("'devices' must be"));
  EXPECT_THAT(messageOf("{\"links\": 3}"), HasSubstr("'links' must be"));
  EXPECT_THAT(messageOf("{\"devices\": [\n3]}"),
              HasSubstr("c.json:2: an entry of 'devices' must be an object"));
  EXPECT_THAT(messageOf("{\"links\": [\n[]]}"),
              HasSubstr("c.json:2: an entry of 'links' must be an object"));
  EXPECT_THAT(messageOf("{\"devices\": [\n{\"flops\": 1}]}"),
              HasSubstr("c.json:2: an entry of 'devices'"));
  EXPECT_THAT(messageOf("{\"devices\": [{\"device\": \"gpu\"}]}"),
              HasSubstr("'gpu'"));
  EXPECT_THAT(messageOf("{\"links\": [{\"from\": \"/\"}]}"), HasSubstr("'to'"));
  EXPECT_THAT(
      messageOf("{\"devices\": [{\"device\": \"/\",\n\"flops\": 0}]}"),
      HasSubstr("c.json:2: 'flops' must be a number above 0, such as 1e10"));
  EXPECT_THAT(
      messageOf("{\"devices\": [{\"device\": \"/\", \"flops\": \"1\"}]}"),
      HasSubstr("'flops' must be a number above 0"));
  EXPECT_THAT(messageOf("{\"devices\": [{\"device\": \"/\", "
                        "\"launch_seconds\": -1}]}"),
              HasSubstr("'launch_seconds' must be a number of seconds, 0 or "
                        "more, such as 5e-6"));
  EXPECT_THAT(messageOf("{\"links\": [{\"from\": \"/\", \"to\": \"/\", "
                        "\"bytes_per_second\": 1e999}]}"),
              HasSubstr("number overflow parsing '1e999'"));
}

} // namespace
