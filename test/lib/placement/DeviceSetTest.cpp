// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of devices from flags and device lists, in the order of choice, and
// every mistake in one.
#include "lib/placement/inputs/DeviceSet.h"
#include "lib/placement/inputs/DeviceItem.h"
#include "test/lib/placement/DeviceSources.h"

using namespace graphc;
using namespace graphc::test;

namespace {

TEST(DeviceSet, ReadsShortNames) {
  EXPECT_EQ(names(options({"cpu:0"})), "CPU:0");
  EXPECT_EQ(names(options({"gpu:0-3"})), "GPU:0 GPU:1 GPU:2 GPU:3 CPU:0");
  EXPECT_EQ(names(options({"gpu:0", "gpu:2"})), "GPU:0 GPU:2 CPU:0");
  EXPECT_EQ(names(options({" cpu:0-1 , GPU:0"})), "GPU:0 CPU:0 CPU:1");
  EXPECT_EQ(names(options({"/gpu:1,/device:GPU:0"})), "GPU:0 GPU:1 CPU:0");
  EXPECT_EQ(names(options({"/device:GPU:0-1"})), "GPU:0 GPU:1 CPU:0");
  EXPECT_EQ(names(options({"gpu:2147483647"})), "GPU:2147483647 CPU:0");
  EXPECT_EQ(names(options({"gpu:2147483646-2147483647"})),
            "GPU:2147483646 GPU:2147483647 CPU:0");
}

TEST(DeviceSet, ReadsCpuDevices) {
  EXPECT_EQ(names(options({}, 2)), "CPU:0 CPU:1");
  EXPECT_EQ(names(options({"gpu:0,cpu:1"}, 3)), "GPU:0 CPU:0 CPU:1 CPU:2");
}

TEST(DeviceSet, ReadsFullNames) {
  EXPECT_EQ(names(options({"/job:worker/task:1/device:GPU:0,"
                           "/job:ps/replica:0/task:0/cpu:0"})),
            "/job:worker/task:1:GPU:0 /job:worker/task:1:CPU:0 "
            "/job:ps/task:0:CPU:0");
}

TEST(DeviceSet, NumbersAreOrderedAsNumbers) {
  EXPECT_EQ(names(options({"gpu:10,gpu:2,tpu:0,gpu:9"})),
            "GPU:2 GPU:9 GPU:10 CPU:0 tpu:0");
  EXPECT_EQ(names(options({"/job:w/task:10/cpu:0,/job:w/task:2/cpu:0"})),
            "/job:w/task:2:CPU:0 /job:w/task:10:CPU:0");
}

TEST(DeviceSet, TheClientsTaskComesFirst) {
  const char *devices = "/job:a/task:0/gpu:0,/job:worker/task:0/gpu:0";
  EXPECT_EQ(names(options({devices})),
            "/job:worker/task:0:GPU:0 /job:a/task:0:GPU:0 "
            "/job:worker/task:0:CPU:0 /job:a/task:0:CPU:0");
  EXPECT_EQ(names(options({devices, "gpu:0"})),
            "GPU:0 /job:a/task:0:GPU:0 /job:worker/task:0:GPU:0 "
            "CPU:0 /job:a/task:0:CPU:0 /job:worker/task:0:CPU:0");
  EXPECT_EQ(make(options({devices})).clientTask().toString(),
            "/job:worker/replica:0/task:0");
  EXPECT_EQ(make(options({"cpu:0"})).clientTask().toString(), kLocal);
}

TEST(DeviceSet, DevicesKnowTheirProperties) {
  DeviceSet set = make(options({"gpu:0=4GiB", "gpu:1-2=512 MiB", "fpga:0"}));
  ASSERT_EQ(set.size(), 5u);
  EXPECT_EQ(set[0].type, "GPU");
  EXPECT_EQ(set[0].priority, 210);
  EXPECT_EQ(set[0].memoryLimit, int64_t(4) << 30);
  EXPECT_EQ(set[2].memoryLimit, int64_t(512) << 20);
  EXPECT_FALSE(set[0].implied);
  EXPECT_EQ(set[3].fullName, std::string(kLocal) + "/device:CPU:0");
  EXPECT_EQ(set[3].priority, 70);
  EXPECT_TRUE(set[3].implied);
  EXPECT_EQ(set[3].memoryLimit, std::nullopt);
  EXPECT_EQ(set[4].type, "fpga");
  EXPECT_EQ(set[4].priority, 50);
  EXPECT_FALSE(make(options({"cpu:0"}))[0].implied);
}

std::optional<size_t> find(const DeviceSet &set, std::string_view name) {
  return set.find(graphc::parseUserDevice(name)->name);
}

TEST(DeviceSet, FindsByAnyName) {
  DeviceSet set = make(options({"gpu:0-1", "/job:ps/task:0/gpu:0"}));
  for (std::string name :
       {"gpu:1", "GPU:1", "/gpu:1", "/device:GPU:1", "/task:0/gpu:1",
        "/job:localhost/replica:0/task:0/device:GPU:1",
        "/job:localhost/replica:0/task:0/gpu:1"})
    EXPECT_EQ(find(set, name), 1u) << name;
  EXPECT_EQ(set[*find(set, "/job:ps/gpu:0")].fullName,
            "/job:ps/replica:0/task:0/device:GPU:0");
  for (std::string name : {"gpu:2", "gpu", "", "/", "/gpu:*", "/job:ps",
                           "/job:x/gpu:0", "/job:ps/task:1/gpu:0"})
    EXPECT_EQ(find(set, name), std::nullopt) << name;
}

TEST(DeviceSet, MatchesInTheOrderOfChoice) {
  DeviceSet set = make(options({"gpu:0-1", "/job:ps/task:0/gpu:0"}));
  auto matching = [&](const char *spec) {
    std::string text;
    for (size_t index : set.matching(graphc::parseUserDevice(spec)->name))
      text += std::to_string(index);
    return text;
  };
  ASSERT_EQ(names(options({"gpu:0-1", "/job:ps/task:0/gpu:0"})),
            "GPU:0 GPU:1 /job:ps/task:0:GPU:0 CPU:0 /job:ps/task:0:CPU:0");
  EXPECT_EQ(matching(""), "01234");
  EXPECT_EQ(matching("/device:GPU"), "012");
  EXPECT_EQ(matching("/gpu:0"), "02");
  EXPECT_EQ(matching("/job:ps"), "24");
  EXPECT_EQ(matching("/job:ps/task:1"), "");
}

TEST(DeviceSet, HostsAreTheCpusOfTheTasks) {
  DeviceSet set = make(options({"gpu:0,cpu:1", "/job:ps/task:0/gpu:0"}));
  ASSERT_EQ(set.size(), 5u);
  for (size_t i = 0; i < set.size(); ++i) {
    auto host = set.hostOf(i);
    ASSERT_TRUE(host);
    EXPECT_TRUE(set.sameTask(i, *host));
    EXPECT_EQ(set[*host].type, "CPU");
    EXPECT_EQ(set[*host].name.id, 0);
  }
  ASSERT_TRUE(set.clientHost());
  EXPECT_EQ(set[*set.clientHost()].fullName,
            std::string(kLocal) + "/device:CPU:0");
  EXPECT_FALSE(set.sameTask(*find(set, "gpu:0"), *find(set, "/job:ps/gpu:0")));
}

TEST(DeviceSet, WarnsOfSmallLetters) {
  const std::string message =
      "'/device:gpu:0' is read as '/device:GPU:0'; write 'GPU' in capitals, "
      "since for TensorFlow 'gpu' is another kind of device";
  EXPECT_EQ(make(options({"/device:gpu:0,gpu:1,/gpu:2"})).warnings(),
            std::vector<std::string>{"--devices: " + message});
  EXPECT_EQ(make(cluster("{\"cluster\": {\"a\": [\"h:1\", \"h:2\"]},\n"
                         "\"devices\": {\"/job:a\": [\"/device:gpu:0\"]}}"))
                .warnings(),
            std::vector<std::string>{"c.json:2: " + message});
}

TEST(DeviceSet, ReadsDeviceLists) {
  const char *text = R"([
    {"name": "/job:a/replica:0/task:0/device:TPU:0", "priority": 300,
     "memory": "4GiB"},
    {"name": "/job:a/task:0/gpu:0-1", "memory": 100},
    {"name": "/job:a/task:1/cpu:0", "priority": 0},
    {"name": "gpu:7"}])";
  EXPECT_EQ(names(list(text)), "/job:a/task:0:TPU:0 GPU:7 /job:a/task:0:GPU:0 "
                               "/job:a/task:0:GPU:1 /job:a/task:1:CPU:0");
  DeviceSet set = make(list(text));
  EXPECT_EQ(set[0].priority, 300);
  EXPECT_EQ(set[0].memoryLimit, int64_t(4) << 30);
  EXPECT_EQ(set[2].memoryLimit, 100);
  EXPECT_EQ(set[4].priority, 0);
  // The list is complete: nothing is implied.
  EXPECT_EQ(set.hostOf(0), std::nullopt);
  EXPECT_EQ(set.hostOf(4), 4u);
  EXPECT_EQ(set.clientHost(), std::nullopt);
}

TEST(DeviceSet, OptionsNameCauseAndCure) {
  EXPECT_EQ(error(options({})), "there are no devices to compile for; give "
                                "some, such as --devices=cpu:0");
  EXPECT_EQ(error(options({""})),
            "--devices=: a device is empty; write one, such as 'gpu:0'");
  EXPECT_EQ(error(options({"gpu:0,,gpu:1"})),
            "--devices=gpu:0,,gpu:1: a device is empty; write one, such as "
            "'gpu:0'");
  EXPECT_EQ(
      error(options({"gpu"}))
          .find("--devices=gpu: 'gpu' is not a device name: column 1: without "
                "'/' it must be a type and a number; accepted are "),
      0u);
  EXPECT_EQ(error(options({"gpu:a-3"}))
                .find("--devices=gpu:a-3: 'gpu:a' is "
                      "not a device name: column 5: "),
            0u);
  EXPECT_EQ(error(options({"gpu:3-1"})),
            "--devices=gpu:3-1: 'gpu:3-1' runs backwards; write 'gpu:1-3'");
  for (std::string range :
       {"gpu:0-", "gpu:0-x", "gpu:0--1", "gpu:0-1-2", "gpu:0-2147483648"})
    EXPECT_EQ(error(options({range}))
                  .find("--devices=" + range + ": '" + range + "' is no"),
              0u)
        << error(options({range}));
  EXPECT_EQ(error(options({"gpu:0-x"})),
            "--devices=gpu:0-x: 'gpu:0-x' is no range of devices; write its "
            "first and last number, such as 'gpu:0-3', up to 2147483647");
  EXPECT_EQ(
      error(options({"gpu:2147483648"}))
          .find("--devices=gpu:2147483648: 'gpu:2147483648' is not a device "
                "name: column 5: '2147483648' is more than 2147483647"),
      0u);
  EXPECT_EQ(error(options({"/job:a/device:GPU:0"})),
            "--devices=/job:a/device:GPU:0: '/job:a/device:GPU:0' has no task; "
            "write all of it, such as '/job:worker/task:0/device:GPU:0'");
  EXPECT_EQ(error(options({"/task:0/gpu:0"})),
            "--devices=/task:0/gpu:0: '/task:0/gpu:0' has no job; write all of "
            "it, such as '/job:worker/task:0/device:GPU:0'");
  EXPECT_EQ(error(options({"/job:a/task:0"})),
            "--devices=/job:a/task:0: '/job:a/task:0' names no single device; "
            "add its type and number, such as '/device:GPU:0'");
  EXPECT_EQ(error(options({"/gpu:*"})),
            "--devices=/gpu:*: '/gpu:*' names no single device; add its type "
            "and number, such as '/device:GPU:0'");
  EXPECT_EQ(error(options({"gpu:0-2,gpu:1"})),
            "--devices: '/job:localhost/replica:0/task:0/device:GPU:1' is "
            "given twice, by 'gpu:0-2' and by 'gpu:1'; name it once");
  EXPECT_EQ(error(options({"gpu:0=4G"})),
            "--devices=gpu:0=4G: '4G' is no size in bytes; write a whole "
            "number above 0, alone or with B, KiB, MiB, GiB or TiB, such as "
            "'4GiB'");
  EXPECT_EQ(error(options({"gpu:0-2000000000"})),
            "--devices: with 'gpu:0-2000000000' there are more than 4096 "
            "devices; name fewer");
  for (int64_t count : {int64_t(0), int64_t(-1), int64_t(4097), INT64_MAX})
    EXPECT_EQ(error(options({}, count)),
              "--cpu-devices=" + std::to_string(count) +
                  " must be from 1 to 4096");
}

TEST(DeviceSet, SizesAreExact) {
  EXPECT_EQ(*parseByteSize("4096"), 4096);
  EXPECT_EQ(*parseByteSize("100B"), 100);
  EXPECT_EQ(*parseByteSize("3KiB"), 3072);
  EXPECT_EQ(*parseByteSize("5 TiB"), int64_t(5) << 40);
  EXPECT_EQ(*parseByteSize("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(*parseByteSize("8388607TiB"), int64_t(8388607) << 40);
  for (const char *text :
       {"", "0", "0GiB", "-1", "+1", "1.5GiB", "GiB", "1kib", "1GB", "1 2",
        "8388608TiB", "9223372036854775808", "0x10", " 1", "1GiB "})
    EXPECT_FALSE(parseByteSize(text).isOk()) << text;
}

TEST(DeviceSet, DeviceListsNameLineCauseAndCure) {
  struct Case {
    const char *text;
    const char *message;
  };
  for (Case c : std::initializer_list<Case>{
           {"{}", "d.json:1: a device list must be a list '[...]', but is an "
                  "object '{...}'"},
           {"\n[]", "d.json:2: the device list is empty; add a device, such as "
                    "{\"name\": \"cpu:0\"}"},
           {"[\n\"cpu:0\"]", "d.json:2: a device must be an object '{...}', "
                             "but is a string"},
           {"[{\n\"prio\": 1}]", "d.json:2: a device has no key 'prio'; it has "
                                 "'name', 'priority', 'memory'"},
           {"[\n{}]", "d.json:2: a device has no 'name'; add it"},
           {"[{\"name\": 0}]", "d.json:1: 'name' must be a string, but is a "
                               "number"},
           {"[{\"name\":\n\"gpu\"}]", "d.json:2: 'gpu' is not a device name: "
                                      "column 1: "},
           {"[{\"name\": \"gpu:0=1GiB\"}]",
            "d.json:1: 'gpu:0=1GiB' is not a device name: column 5: '0=1GiB' "
            "is not a number"},
           {"[{\"name\": \"gpu:0\",\n\"priority\": \"high\"}]",
            "d.json:2: 'priority' must be a number, but is a string"},
           {"[{\"name\": \"gpu:0\",\n\"priority\": 2147483648}]",
            "d.json:2: 'priority' must be a whole number from 0 to 2147483647, "
            "but is 2147483648"},
           {"[{\"name\": \"gpu:0\",\n\"memory\": true}]",
            "d.json:2: 'memory' must be a string, but is true or false"},
           {"[{\"name\": \"gpu:0\",\n\"memory\": \"4\u0020GB\"}]",
            "d.json:2: '4 GB' is no size in bytes"},
           {"[{\"name\": \"gpu:0\",\n\"memory\": 0}]",
            "d.json:2: 'memory' must be a whole number from 1 to "
            "9223372036854775807, but is 0"},
           {"[{\"name\": \"gpu:0\"},\n{\"name\": \"/gpu:0\"}]",
            "d.json:2: '/job:localhost/replica:0/task:0/device:GPU:0' is given "
            "twice, by 'gpu:0' and by '/gpu:0'; name it once"}})
    EXPECT_EQ(error(list(c.text)).find(c.message), 0u)
        << c.text << " gave: " << error(list(c.text));
  DeviceSources both = list("[{\"name\": \"cpu:0\"}]");
  both.cpuDevices = 2;
  EXPECT_EQ(error(both), "d.json: a device list is complete; leave out "
                         "--devices, --cpu-devices and --cluster");
}

} // namespace
