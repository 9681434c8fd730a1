// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of devices: what is accepted, how it prints, how two relate.
#include "runtime/base/DeviceName.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

/// The canonical form, or "error: ...".
std::string canonical(std::string_view text) {
  StatusOr<DeviceName> name = DeviceName::parse(text);
  return name.isOk() ? name->toString() : "error: " + name.status().message();
}

DeviceName named(std::string_view text) {
  StatusOr<DeviceName> name = DeviceName::parse(text);
  EXPECT_TRUE(name.isOk()) << name.status().toString();
  return name.isOk() ? *name : DeviceName();
}

std::string merged(std::string_view a, std::string_view b,
                   Placement placement = Placement::Hard) {
  auto one = mergeDeviceNames(named(a), named(b), placement);
  auto other = mergeDeviceNames(named(b), named(a), placement);
  EXPECT_EQ(one.isOk(), other.isOk()) << "the order matters";
  if (!one.isOk())
    return "error: " + one.status().message();
  EXPECT_EQ(one->toString(), other->toString()) << "the order matters";
  return one->toString();
}

TEST(DeviceName, FullNameHasFiveFields) {
  DeviceName name = named("/job:worker/replica:0/task:2/device:GPU:1");
  EXPECT_EQ(name.job, "worker");
  EXPECT_EQ(name.replica, 0);
  EXPECT_EQ(name.task, 2);
  EXPECT_EQ(name.type, "GPU");
  EXPECT_EQ(name.id, 1);
  EXPECT_TRUE(name.isFull());
  EXPECT_EQ(name.toString(), "/job:worker/replica:0/task:2/device:GPU:1");
}

TEST(DeviceName, EverySubsetOfFieldsComesBack) {
  for (int set = 0; set < 32; ++set) {
    DeviceName name;
    if (set & 1)
      name.job = "ps_1";
    if (set & 2)
      name.replica = 3;
    if (set & 4)
      name.task = 12;
    if (set & 8)
      name.type = "NPU";
    if ((set & 24) == 24)
      name.id = 7;
    EXPECT_EQ(named(name.toString()), name) << name.toString();
  }
}

TEST(DeviceName, OtherFormsPrintCanonically) {
  EXPECT_EQ(canonical(""), "");
  EXPECT_EQ(canonical("/"), "");
  EXPECT_EQ(canonical("/cpu:0"), "/device:CPU:0");
  EXPECT_EQ(canonical("/GPU:3"), "/device:GPU:3");
  EXPECT_EQ(canonical("/gpu:*"), "/device:GPU:*");
  EXPECT_EQ(canonical("/device:gpu:0"), "/device:GPU:0");
  EXPECT_EQ(canonical("/device:npu:0"), "/device:npu:0");
  EXPECT_EQ(canonical("/device:GPU"), "/device:GPU:*");
  EXPECT_EQ(canonical("/device:*:0"), "");
  EXPECT_EQ(canonical("/device:*"), "");
  EXPECT_EQ(canonical("/job:*/replica:*/task:*"), "");
  EXPECT_EQ(canonical("/gpu:1/task:2/job:a"), "/job:a/task:2/device:GPU:1");
}

TEST(DeviceName, LaterOfTwoEqualPartsCounts) {
  EXPECT_EQ(canonical("/task:1/task:2"), "/task:2");
  EXPECT_EQ(canonical("/gpu:1/device:CPU"), "/device:CPU:*");
  EXPECT_EQ(canonical("/job:a/job:*"), "");
}

TEST(DeviceName, RefusesWhatIsNoName) {
  for (const char *text : {"foobar",
                           "/job:123/task:0",
                           "/job:foo/replica:-1/task:0",
                           "/job:a/gpu:",
                           "/device:gpu:",
                           "/gpu:3/extra",
                           "/foo:bar",
                           "/bar:3",
                           "/job:my-worker",
                           "/job:",
                           "/task:+1",
                           "/task:1x",
                           "/task:99999999999999",
                           "//",
                           "/gpu",
                           "/job:a/",
                           "/device:GPU:0:1",
                           "/device::0",
                           "gpu:0",
                           " /gpu:0"})
    EXPECT_EQ(canonical(text).find("error: '" + std::string(text) +
                                   "' is not a device name"),
              0u)
        << text << " gave " << canonical(text);
}

TEST(DeviceName, ErrorNamesThePartAndTheForms) {
  EXPECT_EQ(canonical("/job:a/gpu:x"),
            "error: '/job:a/gpu:x' is not a device name: '/gpu:x' does not "
            "fit; accepted are /job:NAME, /replica:N, /task:N, /device:TYPE:N, "
            "/cpu:N and /gpu:N, in any order, such as "
            "'/job:worker/task:1/device:GPU:0'");
}

TEST(DeviceName, LocalNamesHaveNoSlash) {
  EXPECT_EQ(DeviceName::parseLocal("gpu:10")->toString(), "/device:GPU:10");
  EXPECT_EQ(DeviceName::parseLocal("/cpu:0")->toString(), "/device:CPU:0");
  for (const char *text : {"GPU", "GPU:*", "*:0", "GPU:", "GPU:0/x", "0"})
    EXPECT_FALSE(DeviceName::parseLocal(text).isOk()) << text;
}

TEST(DeviceName, CoversWhatItLeavesOpen) {
  EXPECT_TRUE(named("/job:*").covers(named("/job:a/task:1")));
  EXPECT_TRUE(named("/job:a").covers(named("/job:a/replica:0/task:0/cpu:0")));
  EXPECT_FALSE(named("/job:a").covers(named("/job:b/replica:0/task:0/cpu:0")));
  EXPECT_FALSE(named("/cpu:*").covers(named("/job:*/replica:1/task:2")));
  EXPECT_TRUE(named("/device:GPU").covers(named("/gpu:3")));
}

TEST(DeviceName, TaskAndCompatibility) {
  DeviceName gpu = named("/job:a/replica:0/task:1/gpu:0");
  EXPECT_TRUE(gpu.isInSameTaskAs(named("/job:a/replica:0/task:1/cpu:0")));
  EXPECT_FALSE(gpu.isInSameTaskAs(named("/job:a/replica:0/task:2/gpu:0")));
  EXPECT_FALSE(named("/job:a").isInSameTaskAs(named("/job:a")));
  EXPECT_TRUE(named("/job:a").isCompatibleWith(named("/gpu:0")));
  EXPECT_FALSE(named("/gpu:0").isCompatibleWith(named("/job:a/cpu:0")));
}

TEST(DeviceName, InnerScopeWinsPerField) {
  DeviceName outer = named("/job:worker/task:1/cpu:0");
  EXPECT_EQ(outer.overriddenBy(named("/gpu:0")).toString(),
            "/job:worker/task:1/device:GPU:0");
  EXPECT_EQ(outer.overriddenBy(named("/job:ps")).toString(),
            "/job:ps/task:1/device:CPU:0");
  EXPECT_EQ(outer.overriddenBy(DeviceName()), outer);
}

TEST(DeviceName, MergeIsTheUnion) {
  EXPECT_EQ(merged("/job:a", "/gpu:1"), "/job:a/device:GPU:1");
  EXPECT_EQ(merged("/device:GPU", "/gpu:1"), "/device:GPU:1");
  EXPECT_EQ(merged("", "/task:1"), "/task:1");
}

TEST(DeviceName, MergeNamesWhatDiffers) {
  EXPECT_NE(merged("/job:a", "/job:b").find("different jobs"),
            std::string::npos);
  EXPECT_NE(merged("/replica:1", "/replica:2").find("different replicas"),
            std::string::npos);
  EXPECT_NE(merged("/task:1", "/task:2").find("different tasks"),
            std::string::npos);
  EXPECT_NE(merged("/gpu:0", "/cpu:0").find("different types"),
            std::string::npos);
  EXPECT_NE(merged("/gpu:0", "/gpu:1").find("different ids"),
            std::string::npos);
}

TEST(DeviceName, SoftMergeLeavesTypeAndIdOpen) {
  EXPECT_EQ(merged("/gpu:1", "/gpu:2", Placement::Soft), "/device:GPU:*");
  EXPECT_EQ(merged("/gpu:*", "/cpu:1", Placement::Soft), "");
  EXPECT_NE(merged("/task:1", "/task:2", Placement::Soft).find("tasks"),
            std::string::npos);
}

TEST(DeviceName, SplitsIntoTaskAndDevice) {
  auto parts = named("/gpu:3/job:a/replica:0/task:1").split();
  ASSERT_TRUE(parts.isOk());
  EXPECT_EQ(parts->first, "/job:a/replica:0/task:1");
  EXPECT_EQ(parts->second, "GPU:3");
  EXPECT_EQ(named("/gpu:3").split()->first, "");
  EXPECT_FALSE(named("/job:a").split().isOk());
}

TEST(DeviceName, HostIsTheCpuOfTheTask) {
  EXPECT_EQ(named("/job:a/replica:0/task:1/gpu:3").hostDevice().toString(),
            "/job:a/replica:0/task:1/device:CPU:0");
}

} // namespace
