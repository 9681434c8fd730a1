// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes per device are those that the tables say.
#include "runtime/format/DeviceMemory.h"

#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <sstream>

using namespace graphc;
using namespace graphc::test;

namespace {

std::vector<runtime::DeviceMemory> memoryOf(const ModelBuilder &builder) {
  auto model = runtime::Model::fromBytes(builder.finish(), "test");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return runtime::deviceMemory((*model)->index());
}

TEST(DeviceMemory, AddsAllPrograms) {
  ModelBuilder builder = makeServerPlan(2);
  auto devices = memoryOf(builder);
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].device, kCpu0);
  EXPECT_EQ(devices[0].variables, 4u * 8 * 4 + 8 * 4);
  EXPECT_EQ(devices[0].arenas, trainOf(builder).arenaBytes);
  EXPECT_EQ(devices[0].constants, 0u);
  EXPECT_EQ(devices[0].items[0].text, "variable 'w'");
  EXPECT_EQ(devices[0].items[0].bytes, 128u);
  EXPECT_EQ(devices[1].device, gpu(0));
  EXPECT_EQ(devices[1].variables, 0u);
  EXPECT_EQ(devices[1].total(), trainOf(builder).program(1).arenaBytes);
  EXPECT_EQ(devices[2].device, gpu(1));
}

TEST(DeviceMemory, CountsAConstantOnceAndMirrorsEach) {
  ModelBuilder builder = makeSampleModel();
  auto devices = memoryOf(builder);
  ASSERT_EQ(devices.size(), 1u);
  // Without a device the variable is where it is used.
  EXPECT_EQ(devices[0].variables, 24u);
  // "two" and the table of strings.
  EXPECT_EQ(devices[0].constants,
            24u + stringTable({"zero", "", "two"}).size());
  devices = memoryOf(makeRingPlan(12));
  ASSERT_EQ(devices.size(), 12u);
  // Numbers of devices are numbers.
  EXPECT_EQ(devices[2].device, gpu(2));
  EXPECT_EQ(devices[11].device, gpu(11));
  for (const auto &device : devices)
    EXPECT_EQ(device.variables, 2u * 4 * 12 * 4);
}

TEST(DeviceMemory, IsPrintedWithLines) {
  ModelBuilder builder = makeServerPlan(1);
  auto model = runtime::Model::fromBytes(builder.finish(), "test");
  ASSERT_TRUE(model.isOk());
  std::ostringstream out;
  runtime::printDeviceMemory((*model)->index(), out);
  std::string cpu = kCpu0;
  EXPECT_EQ(out.str().substr(0, out.str().find("memory", 1)),
            "memory of device '" + cpu +
                "': 608 bytes: variables 160, constants 0, arenas 448; "
                "to save it, 160 more on the host\n"
                "    128 bytes: variable 'w'\n"
                "    128 bytes: value slot %4 'tower_0/dw' of graph 'train'\n"
                "    32 bytes: variable 'b'\n"
                "    32 bytes: value slot %2 'tower_0/image' of graph "
                "'train'\n"
                "    32 bytes: value slot %5 'tower_0/db' of graph 'train'\n");
}

} // namespace
