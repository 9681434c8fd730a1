// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of devices: from every source, in the order of choice, and every
// mistake in a source.
#include "lib/placement/inputs/DeviceSet.h"
#include "lib/placement/inputs/DeviceItem.h"

#include "lib/placement/inputs/DeviceItem.h"

#include <gtest/gtest.h>

using namespace graphc;

namespace {

const char *const kLocal = "/job:localhost/replica:0/task:0";

DeviceSources options(std::vector<std::string> devices,
                      std::optional<int64_t> cpuDevices = {}) {
  DeviceSources sources;
  sources.devices = std::move(devices);
  sources.cpuDevices = cpuDevices;
  return sources;
}

DeviceSources cluster(std::string text, std::vector<std::string> devices = {}) {
  DeviceSources sources = options(std::move(devices));
  sources.cluster = runtime::TextFile{"c.json", std::move(text)};
  return sources;
}

DeviceSources list(std::string text) {
  DeviceSources sources;
  sources.deviceList = runtime::TextFile{"d.json", std::move(text)};
  return sources;
}

/// The names in the order of choice without what all tests share, one per
/// blank: "GPU:0 CPU:0", "/job:ps/task:0 CPU:0"; or "error: ...".
std::string names(const DeviceSources &sources) {
  auto set = DeviceSet::make(sources);
  if (!set.isOk())
    return "error: " + set.status().message();
  std::string text;
  for (const Device &device : set->devices()) {
    std::string name = device.fullName;
    for (std::string cut : {std::string(kLocal) + "/device:",
                            std::string("/replica:0"), std::string("/device")})
      if (size_t at = name.find(cut); at != std::string::npos)
        name.erase(at, cut.size());
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

std::string error(const DeviceSources &sources) {
  std::string text = names(sources);
  return text.rfind("error: ", 0) == 0 ? text.substr(7) : "no error: " + text;
}

DeviceSet make(const DeviceSources &sources) {
  auto set = DeviceSet::make(sources);
  EXPECT_TRUE(set.isOk()) << set.status().message();
  return set.isOk() ? *set : *DeviceSet::make(options({"cpu:0"}));
}

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

const char *const kCluster = R"({
  "cluster": {"worker": {"3": "h:1", "10": "h:2"}, "ps": ["h:3", "h:4"]},
  "devices": {"/job:worker": ["cpu:0-1", "gpu:0=1GiB"],
              "/job:worker/task:10": ["tpu:0"]}
})";

TEST(DeviceSet, ReadsClusters) {
  EXPECT_EQ(names(cluster(kCluster)),
            "/job:worker/task:3:GPU:0 "
            "/job:worker/task:3:CPU:0 /job:worker/task:3:CPU:1 "
            "/job:ps/task:0:CPU:0 /job:ps/task:1:CPU:0 "
            "/job:worker/task:10:CPU:0 "
            "/job:worker/task:10:tpu:0");
  DeviceSet set = make(cluster(kCluster));
  EXPECT_EQ(set[0].memoryLimit, int64_t(1) << 30);
  EXPECT_EQ(set.clientTask().toString(), "/job:worker/replica:0/task:3");
  EXPECT_EQ(set[*set.clientHost()].fullName,
            "/job:worker/replica:0/task:3/device:CPU:0");
  EXPECT_FALSE(set[1].implied);
  EXPECT_TRUE(set[3].implied);
}

TEST(DeviceSet, KeepsTheFirstWorkers) {
  DeviceSources sources =
      cluster(R"({"cluster": {"ps": ["a:1"], "worker": ["b:1", "c:1", "d:1"],
                              "chief": ["e:1"], "evaluator": ["f:1"]},
                  "devices": {"/job:worker": ["cpu:0-1"]}})");
  EXPECT_EQ(make(sources).workerTasks().size(), 4U);
  sources.workers = 2;
  EXPECT_EQ(names(sources),
            "/job:chief/task:0:CPU:0 /job:evaluator/task:0:CPU:0 "
            "/job:ps/task:0:CPU:0 /job:worker/task:0:CPU:0 "
            "/job:worker/task:0:CPU:1");
  EXPECT_EQ(make(sources).workerTasks().size(), 2U);
  EXPECT_TRUE(make(options({"gpu:0-3"})).workerTasks().empty());
}

TEST(DeviceSet, TheClientIsAmongTheWorkersThatAreKept) {
  DeviceSources sources = cluster(
      R"({"cluster": {"worker": ["b:1", "c:1"]}, "client": "/job:worker/task:1"})");
  sources.workers = 1;
  EXPECT_EQ(error(sources),
            "the client /job:worker/replica:0/task:1 is not one of the first 1 "
            "workers, and a plan for so many leaves it out; choose another "
            "'client' in the cluster file");
}

TEST(DeviceSet, ClustersMayBeJobsOnlyWithAnyKindOfAddress) {
  DeviceSet set = make(cluster(
      R"({"ps": ["unix:/tmp/ps", "[::1]:2222"],
          "worker": {"3": "localhost:0", "4": "localhost:0"}})"));
  std::string all;
  for (size_t i = 0; i < 4; ++i)
    all += (i ? " " : "") + set[i].fullName;
  DeviceSet same = make(cluster(
      R"({"cluster": {"ps": ["a:1", "b:1"],
                      "worker": {"3": "c:1", "4": "d:1"}}})"));
  std::string other;
  for (size_t i = 0; i < 4; ++i)
    other += (i ? " " : "") + same[i].fullName;
  EXPECT_EQ(all, other);
  EXPECT_NE(all.find("/job:worker/replica:0/task:4"), std::string::npos);
}

TEST(DeviceSet, ClustersChooseTheClient) {
  auto client = [](const char *text) {
    return make(cluster(text)).clientTask().toString();
  };
  EXPECT_EQ(client(R"({"cluster": {"worker": ["h:1"], "chief": ["h:2"]}})"),
            "/job:chief/replica:0/task:0");
  EXPECT_EQ(client(R"({"cluster": {"ps": ["h:1"], "a": {"2": "h:2"}}})"),
            "/job:a/replica:0/task:2");
  EXPECT_EQ(client(R"({"cluster": {"ps": ["h:1"], "worker": ["h:2", "h:3"]},
                       "client": "/job:worker/task:1"})"),
            "/job:worker/replica:0/task:1");
}

TEST(DeviceSet, ShortNamesBesideAClusterAreTheClients) {
  EXPECT_EQ(names(cluster(R"({"cluster": {"worker": ["h:1", "h:2"]}})",
                          {"gpu:0", "/job:worker/task:1/gpu:3"})),
            "/job:worker/task:0:GPU:0 /job:worker/task:1:GPU:3 "
            "/job:worker/task:0:CPU:0 /job:worker/task:1:CPU:0");
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

TEST(DeviceSet, ClustersNameLineCauseAndCure) {
  struct Case {
    const char *text;
    const char *message;
  };
  const std::string jobs = "\"cluster\": {\"a\": [\"h:1\"]},\n";
  for (Case c : std::initializer_list<Case>{
           {"[", "c.json:1: this is not JSON: syntax error"},
           {"[]", "c.json:1: the cluster is a list '[...]'; it must be an "
                  "object of jobs, such as {\"worker\": [\"localhost:2222\"]}"},
           {"{\"a\": 1}", "c.json:1: 'a' is a number; it must be a list of "
                          "addresses, or an object from a task's number to its "
                          "address"},
           {"{}", "c.json:1: the cluster has no tasks; add one, such as "
                  "\"worker\": [\"localhost:2222\"]"},
           {"{\"cluster\": []}", "c.json:1: the cluster has no tasks"},
           {"{\"cluster\": {}}", "c.json:1: 'cluster' has no tasks; add one, "
                                 "such as \"worker\": [\"localhost:2222\"]"},
           {"{\"devices\": {\"/job:a\": []}, \"a\": [\"h:1\"]}",
            "c.json:1: 'devices' stands beside jobs; put these into "
            "\"cluster\": {...}"},
           {"{\"cluster\": {\"a\": [\"h:1\"]}, \"device\": {}}",
            "c.json:1: 'device' is unknown: the file has no field 'device'"},
           {"{\"cluster\": {\"my-ps\": [\"h:1\"]}}",
            "c.json:1: 'cluster.my-ps' is no name of a job; write a letter, "
            "then letters, digits and underscores"},
           {"{\"cluster\": {\"*\": [\"h:1\"]}}",
            "c.json:1: 'cluster.*' is no name of a job"},
           {"{\"cluster\": {\"a/task:1\": [\"h:1\"]}}",
            "c.json:1: 'cluster.a/task:1' is no name of a job"},
           {"{\"cluster\": {\n\"a\": []}}",
            "c.json:1: 'cluster' has no tasks; add one"},
           {"{\"cluster\": {\"a\": {}}}",
            "c.json:1: 'cluster' has no tasks; add one"},
           {"{\"cluster\": {\"a\": \"h:1\"}}",
            "c.json:1: 'cluster.a' is a string; it must be a list of "
            "addresses"},
           {"{\"cluster\": {\"a\": [\n1]}}",
            "c.json:2: 'cluster.a[0]' is a number; it must be the address of a "
            "task, such as \"localhost:2222\""},
           {"{\"cluster\": {\"a\": [\"h\"]}}",
            "c.json:1: 'cluster.a[0]' is no address: 'h' has no port"},
           {"{\"cluster\": {\"a\": [\":1\"]}}", "':1' has no host"},
           {"{\"cluster\": {\"a\": [\"h:65536\"]}}",
            "'h:65536' has no port from 0 to 65535"},
           {"{\"cluster\": {\"a\": [\"unix:x\"]}}",
            "path does not begin with '/'; write 'host:port', '[v6]:port' or "
            "'unix:/path'"},
           {"{\"a\": [\"h:1\"], \"b\": 1}",
            "c.json:1: 'b' is a number; it must be a list of addresses"},
           {"{\n\"a\": [\"h\"]}", "c.json:2: 'a[0]' is no address: 'h' "},
           {"{\"cluster\": {\"a\": [\"h:1\",\n\"h:1\"]}}",
            "c.json:2: 'cluster.a[1]' is 'h:1', the address of "
            "'/job:a/task:0', too; give each task its own"},
           {"{\"cluster\": {\"a\": {\"x\": \"h:1\"}}}",
            "c.json:1: 'cluster.a.x' has no task's number as its key; write "
            "one from 0 to 2147483647"},
           {"{\"cluster\": {\"a\": {\"-1\": \"h:1\"}}}",
            "c.json:1: 'cluster.a.-1' has no task's number as its key"},
           {"{\"cluster\": {\"a\": {\"2147483648\": \"h:1\"}}}",
            "c.json:1: 'cluster.a.2147483648' has no task's number as its "
            "key"},
           {"{\"cluster\": {\"a\": {\"1\": \"h:1\",\n\"01\": \"h:2\"}}}",
            "c.json:2: 'cluster.a.01' is '/job:a/task:1' once more; keep one "
            "of them"}})
    EXPECT_NE(error(cluster(c.text)).find(c.message), std::string::npos)
        << c.text << " gave: " << error(cluster(c.text));
  for (Case c : std::initializer_list<Case>{
           {"\"devices\": []", "c.json:2: 'devices' must be an object"},
           {"\"devices\": {\"gpu:0\": []}",
            "c.json:2: 'gpu:0' is not a device name: column 1: it does not "
            "start with '/'"},
           {"\"devices\": {\"/task:0\": []}",
            "c.json:2: '/task:0' names no task; write it as "
            "'/job:worker/task:0'"},
           {"\"devices\": {\"/job:a/gpu:0\": []}",
            "c.json:2: '/job:a/gpu:0' names no task"},
           {"\"devices\": {\"/job:b\": [\"gpu:0\"]}",
            "c.json:2: the cluster has no task '/job:b'; it has "
            "'/job:a/replica:0/task:0'"},
           {"\"devices\": {\"/job:a/task:1\": [\"gpu:0\"]}",
            "c.json:2: the cluster has no task '/job:a/task:1'; it has "
            "'/job:a/replica:0/task:0'"},
           {"\"devices\": {\"/job:a\": [\"gpu:0\"],\n"
            "\"/job:a/replica:0\": [\"gpu:0\"]}",
            "c.json:3: '/job:a/replica:0' is there twice; keep one of them"},
           {"\"devices\": {\"/job:a\": \"gpu:0\"}",
            "c.json:2: the devices of '/job:a' must be a list '[...]', but is "
            "a string"},
           {"\"devices\": {\"/job:a\": []}",
            "c.json:2: '/job:a' has no devices; name one, or leave it out to "
            "have 'cpu:0'"},
           {"\"devices\": {\"/job:a\": [\n0]}",
            "c.json:3: a device must be a string, but is a number"},
           {"\"devices\": {\"/job:a\": [\n\"gpu:1-0\"]}",
            "c.json:3: 'gpu:1-0' runs backwards; write 'gpu:0-1'"},
           {"\"devices\": {\"/job:a\": [\"/job:a/task:0/gpu:0\"]}",
            "c.json:2: '/job:a/task:0/gpu:0' names a task, which its key does "
            "already; write only 'gpu:0'"},
           {"\"devices\": {\"/job:a\": [\"gpu:0\",\n\"gpu:0-1\"]}",
            "c.json:3: '/job:a/replica:0/task:0/device:GPU:0' is given twice, "
            "by 'gpu:0' and by 'gpu:0-1'; name it once"},
           {"\"client\": 1", "c.json:2: 'client' must be a string"},
           {"\"client\": \"a\"", "c.json:2: 'a' is not a device name"},
           {"\"client\": \"/job:a\"", "c.json:2: the cluster has no task "
                                      "'/job:a'; it has "},
           {"\"client\": \"/job:a/task:7\"",
            "c.json:2: the cluster has no task '/job:a/task:7'; it has "
            "'/job:a/replica:0/task:0'"}}) {
    std::string text = "{" + jobs + c.text + "}";
    EXPECT_EQ(error(cluster(text)).find(c.message), 0u)
        << text << " gave: " << error(cluster(text));
  }
  EXPECT_EQ(error(cluster("{" + jobs + "\"client\": \"/job:a/task:0\"}",
                          {"/job:b/task:0/gpu:0"})),
            "--devices=/job:b/task:0/gpu:0: the cluster has no task "
            "'/job:b/replica:0/task:0'; it has '/job:a/replica:0/task:0'; did "
            "you mean '/job:a/replica:0/task:0'?");
}

TEST(DeviceSet, ClustersAreBounded) {
  std::string text = "{\"cluster\": {\"a\": [\"h:1\"";
  for (int i = 1; i < 5000; ++i)
    text += ",\"h" + std::to_string(i) + ":1\"";
  EXPECT_EQ(error(cluster(text + "]}}")),
            "c.json:1: there are more than 4096 values here; use fewer");
}

/// Every text that differs in one byte, or ends early, is a set or is refused
/// at some line of its file.
TEST(DeviceSet, DamagedFilesAreRefusedAtALine) {
  const std::string good = kCluster;
  size_t refused = 0;
  auto check = [&](std::string text) {
    std::string message = names(cluster(text));
    bool isError = message.rfind("error: ", 0) == 0;
    refused += isError;
    if (isError)
      EXPECT_EQ(message.rfind("error: c.json:", 0), 0u) << message;
  };
  for (size_t i = 0; i < good.size(); ++i) {
    check(good.substr(0, i));
    check(good.substr(0, i) + good.substr(i + 1));
    for (char c : std::string_view("\"{}[]:,/\\0-*\n\0\xff", 16))
      check(good.substr(0, i) + c + good.substr(i + 1));
  }
  EXPECT_GT(refused, good.size());
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
