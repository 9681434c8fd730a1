// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of devices from cluster files, and every mistake in one.
#include "test/lib/placement/DeviceSources.h"

using namespace graphc;
using namespace graphc::test;

namespace {

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

} // namespace
