// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of devices: what is accepted, how it prints, how two relate.
#include "runtime/base/DeviceName.h"

#include <gtest/gtest.h>

#include <iterator>
#include <tuple>

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
                   PlacementMode placement = PlacementMode::Hard) {
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

/// Accepted spelling, and its canonical form.
struct Spelling {
  const char *text;
  const char *canonical;
};
constexpr Spelling kSpellings[] = {
    // Nothing is asked for.
    {"", ""},
    {"/", ""},
    {"/job:*", ""},
    {"/replica:*", ""},
    {"/task:*", ""},
    {"/device:*", ""},
    {"/device:*:*", ""},
    {"/device:*:0", ""},
    {"/job:*/replica:*/task:*/device:*:*", ""},
    // One field.
    {"/job:a", "/job:a"},
    {"/job:worker", "/job:worker"},
    {"/job:ps_1", "/job:ps_1"},
    {"/job:Aa0_", "/job:Aa0_"},
    {"/replica:0", "/replica:0"},
    {"/replica:10", "/replica:10"},
    {"/task:0", "/task:0"},
    {"/task:007", "/task:7"},
    {"/task:2147483647", "/task:2147483647"},
    // Type and id.
    {"/device:CPU:0", "/device:CPU:0"},
    {"/device:GPU:3", "/device:GPU:3"},
    {"/device:GPU:*", "/device:GPU:*"},
    {"/device:GPU", "/device:GPU:*"},
    {"/device:cpu:0", "/device:CPU:0"},
    {"/device:gpu:0", "/device:GPU:0"},
    {"/device:Gpu:0", "/device:GPU:0"},
    {"/device:gpu", "/device:GPU:*"},
    {"/device:NPU:7", "/device:NPU:7"},
    {"/device:npu:7", "/device:npu:7"},
    {"/device:XLA_GPU:0", "/device:XLA_GPU:0"},
    {"/device:bar:3", "/device:bar:3"},
    {"/cpu:0", "/device:CPU:0"},
    {"/CPU:0", "/device:CPU:0"},
    {"/gpu:3", "/device:GPU:3"},
    {"/GPU:3", "/device:GPU:3"},
    {"/cpu:*", "/device:CPU:*"},
    {"/CPU:*", "/device:CPU:*"},
    {"/gpu:*", "/device:GPU:*"},
    {"/GPU:*", "/device:GPU:*"},
    {"/gpu:12", "/device:GPU:12"},
    // Several fields, in order.
    {"/job:a/replica:1", "/job:a/replica:1"},
    {"/job:a/task:2", "/job:a/task:2"},
    {"/job:a/cpu:0", "/job:a/device:CPU:0"},
    {"/job:local/task:1", "/job:local/task:1"},
    {"/replica:1/task:2", "/replica:1/task:2"},
    {"/replica:1/gpu:0", "/replica:1/device:GPU:0"},
    {"/task:1/device:GPU:0", "/task:1/device:GPU:0"},
    {"/task:1/device:GPU", "/task:1/device:GPU:*"},
    {"/job:a/replica:0/task:1", "/job:a/replica:0/task:1"},
    {"/job:a/task:0/cpu:0", "/job:a/task:0/device:CPU:0"},
    {"/job:a/replica:0/task:0/cpu:0", "/job:a/replica:0/task:0/device:CPU:0"},
    {"/job:w/replica:0/task:2/device:GPU:1",
     "/job:w/replica:0/task:2/device:GPU:1"},
    {"/job:w/replica:0/task:2/gpu:1", "/job:w/replica:0/task:2/device:GPU:1"},
    {"/job:*/task:1", "/task:1"},
    {"/job:a/replica:*/task:1", "/job:a/task:1"},
    {"/job:a/device:*", "/job:a"},
    // In another order.
    {"/gpu:1/task:2/job:a", "/job:a/task:2/device:GPU:1"},
    {"/task:2/replica:1/job:a", "/job:a/replica:1/task:2"},
    {"/device:CPU:0/job:a", "/job:a/device:CPU:0"},
    {"/cpu:0/replica:0", "/replica:0/device:CPU:0"},
    // The later of two equal parts counts.
    {"/task:1/task:2", "/task:2"},
    {"/job:a/job:b", "/job:b"},
    {"/job:a/job:*", ""},
    {"/gpu:1/device:CPU", "/device:CPU:*"},
    {"/device:NPU:3/cpu:0", "/device:CPU:0"},
    {"/gpu:1/device:*", ""},
};

TEST(DeviceName, EverySpellingComesBack) {
  static_assert(std::size(kSpellings) >= 60);
  for (const Spelling &spelling : kSpellings) {
    DeviceName name = named(spelling.text);
    EXPECT_EQ(name.toString(), spelling.canonical) << spelling.text;
    EXPECT_EQ(named(spelling.canonical), name) << spelling.text;
    EXPECT_EQ(named(name.toLegacyString()), name) << spelling.text;
  }
}

TEST(DeviceName, LegacyFormIsThatOfTheTutorials) {
  auto legacy = [](const char *text) { return named(text).toLegacyString(); };
  EXPECT_EQ(legacy("/job:localhost/replica:0/task:0/device:GPU:0"),
            "/job:localhost/replica:0/task:0/gpu:0");
  EXPECT_EQ(legacy("/device:CPU:*"), "/cpu:*");
  EXPECT_EQ(legacy("/job:a/device:NPU:1"), "/job:a/device:NPU:1");
  EXPECT_EQ(legacy("/job:a"), "/job:a");
}

TEST(DeviceName, SmallLettersAreRemarked) {
  auto warning = [](const char *text) {
    auto parsed = parseDeviceName(text);
    EXPECT_TRUE(parsed.isOk()) << text;
    return parsed->warning.value_or("none");
  };
  EXPECT_EQ(warning("/job:a/device:gpu:0"),
            "'/job:a/device:gpu:0' is read as '/job:a/device:GPU:0'; write "
            "'GPU' in capitals, since for TensorFlow 'gpu' is another kind of "
            "device");
  EXPECT_NE(warning("/device:Cpu"), "none");
  for (const char *text : {"/gpu:0", "/cpu:0", "/device:GPU:0", "/device:npu:0",
                           "/device:*", "", "/device:gpu:0/cpu:0"})
    EXPECT_EQ(warning(text), "none") << text;
  EXPECT_EQ(parseDeviceName("/device:gpu:0")->name, named("/gpu:0"));
  EXPECT_EQ(parseDeviceName("x").status().message(),
            DeviceName::parse("x").status().message());
}

TEST(DeviceName, CanonicaliseTakesTheRestFromTheBase) {
  DeviceName base = named("/job:a/replica:0/task:1/cpu:0");
  auto canonicalise = [&](const char *text) {
    auto name = DeviceName::canonicalise(text, base);
    return name.isOk() ? name->toString() : "error: " + name.status().message();
  };
  EXPECT_EQ(canonicalise("gpu:2"), "/job:a/replica:0/task:1/device:GPU:2");
  EXPECT_EQ(canonicalise("/gpu:2"), "/job:a/replica:0/task:1/device:GPU:2");
  EXPECT_EQ(canonicalise(""), base.toString());
  EXPECT_EQ(canonicalise("/job:b/task:3"),
            "/job:b/replica:0/task:3/device:CPU:0");
  EXPECT_EQ(canonicalise("/gpu:x").find("error: '/gpu:x' is not a device name"),
            0u);
  EXPECT_EQ(DeviceName::canonicalise("gpu:0", named("/job:a/cpu:0"))
                .status()
                .message(),
            "'/job:a/device:CPU:0' cannot complete other names; give it a "
            "job, replica, task, type and number");
}

TEST(DeviceName, OrderIsByNumbers) {
  const char *sorted[] = {"",
                          "/job:a/replica:0/task:0/cpu:0",
                          "/job:a/replica:0/task:0/gpu:2",
                          "/job:a/replica:0/task:0/gpu:10",
                          "/job:a/replica:0/task:2/cpu:0",
                          "/job:a/replica:0/task:10/cpu:0",
                          "/job:a/replica:1/task:0/cpu:0",
                          "/job:b/replica:0/task:0/cpu:0"};
  for (size_t i = 0; i < std::size(sorted); ++i)
    for (size_t j = 0; j < std::size(sorted); ++j)
      EXPECT_EQ(named(sorted[i]) < named(sorted[j]), i < j)
          << sorted[i] << " and " << sorted[j];
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

TEST(DeviceName, ErrorNamesColumnCauseAndForms) {
  const std::string forms =
      "; accepted are /job:NAME, /replica:N, /task:N, /device:TYPE:N, /cpu:N "
      "and /gpu:N, in any order, such as '/job:worker/task:1/device:GPU:0'";
  const std::string word =
      "' is not a letter with letters, digits and underscores after it";
  const std::string keys = "' is none of job, replica, task, device, cpu, gpu";
  struct Case {
    const char *text;
    int column;
    std::string reason;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"/job:a/gpu:x", 12, "'x' is not a number"},
           {"/gpu:", 6, "'' is not a number"},
           {"/job:foo/replica:-1/task:0", 18, "'-1' is not a number"},
           {"/task:1x", 7, "'1x' is not a number"},
           {"/task:2147483648", 7, "'2147483648' is more than 2147483647"},
           {"/device:GPU:0:1", 13, "'0:1' is not a number"},
           {"/job:1a", 6, "'1a" + word},
           {"/job:my-worker", 6, "'my-worker" + word},
           {"/job:a/device::0", 15, "'" + word},
           {"/task:1/foo:bar", 9, "'foo" + keys},
           {"/job:a/", 8, "'" + keys},
           {"/job:a/gpu", 8, "'gpu' has no ':' and value"},
           {"gpu:0", 1, "it does not start with '/'"}})
    EXPECT_EQ(canonical(c.text), "error: '" + std::string(c.text) +
                                     "' is not a device name: column " +
                                     std::to_string(c.column) + ": " +
                                     c.reason + forms);
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

TEST(DeviceName, MergeNamesBothAndWhatDiffers) {
  EXPECT_EQ(merged("/job:a/gpu:0", "/job:b"),
            "error: devices '/job:a/device:GPU:0' and '/job:b' name different "
            "jobs; name one of them only");
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
  EXPECT_EQ(merged("/gpu:1", "/gpu:2", PlacementMode::Soft), "/device:GPU:*");
  EXPECT_EQ(merged("/gpu:*", "/cpu:1", PlacementMode::Soft), "");
  EXPECT_EQ(merged("/job:a/gpu:1", "/task:1/gpu:2", PlacementMode::Soft),
            "/job:a/task:1/device:GPU:*");
  for (auto [a, b, what] : {std::tuple("/job:a", "/job:b", "jobs"),
                            std::tuple("/replica:1", "/replica:2", "replicas"),
                            std::tuple("/task:1", "/task:2", "tasks")})
    EXPECT_NE(merged(a, b, PlacementMode::Soft).find(what), std::string::npos);
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
