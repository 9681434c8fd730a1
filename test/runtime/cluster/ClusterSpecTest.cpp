// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters from files, texts and lists of hosts: what they mean, and the error
// of each mistake.
#include "runtime/cluster/ClusterSpec.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

using namespace graphc::runtime;

namespace {

/// The canonical form, or "error: ...".
std::string canonical(std::string_view json) {
  StatusOr<ClusterSpec> spec = ClusterSpec::parse(json, "c.json");
  if (!spec.isOk()) {
    EXPECT_EQ(spec.status().code(), StatusCode::InvalidArgument);
    return "error: " + spec.status().message();
  }
  return spec->json();
}

ClusterSpec parsed(std::string_view json) {
  StatusOr<ClusterSpec> spec = ClusterSpec::parse(json, "c.json");
  EXPECT_TRUE(spec.isOk()) << spec.status().toString();
  return spec.isOk() ? *spec : ClusterSpec();
}

/// The error has all of `parts`.
void expectError(std::string_view json, std::vector<std::string> parts) {
  std::string text = canonical(json);
  EXPECT_TRUE(text.starts_with("error: c.json:")) << json << "\n" << text;
  for (const std::string &part : parts)
    EXPECT_NE(text.find(part), std::string::npos)
        << json << "\n"
        << text << "\nlacks: " << part;
}

TEST(ClusterSpec, JobsByNameThenByIndex) {
  ClusterSpec spec = parsed(R"({"worker": ["c:3", "d:4"], "ps": ["a:1"]})");
  ASSERT_EQ(spec.size(), 3u);
  EXPECT_EQ(spec.task(0).name(), "/job:ps/task:0");
  EXPECT_EQ(spec.task(1).name(), "/job:worker/task:0");
  EXPECT_EQ(spec.task(2).name(), "/job:worker/task:1");
  EXPECT_EQ(spec.task(2).address, "d:4");
  EXPECT_EQ(spec.json(), R"({"ps":["a:1"],"worker":["c:3","d:4"]})");
}

TEST(ClusterSpec, SparseAndDenseFormsAreEqual) {
  EXPECT_EQ(canonical(R"({"ps": {"1": "b:2", "0": "a:1"}})"),
            canonical(R"({"ps": ["a:1", "b:2"]})"));
  // Numbers are ordered as numbers.
  EXPECT_EQ(canonical(R"({"ps": {"10": "b:2", "9": "a:1"}})"),
            R"({"ps":{"9":"a:1","10":"b:2"}})");
  EXPECT_EQ(canonical(canonical(R"({"ps": {"10": "b:2", "9": "a:1"}})")),
            R"({"ps":{"9":"a:1","10":"b:2"}})");
}

TEST(ClusterSpec, TheCompilersFileIsTaken) {
  EXPECT_EQ(canonical(R"({"cluster": {"ps": ["a:1"]},
                          "devices": {"/job:ps": ["gpu:0-1"]},
                          "client": "/job:ps/task:0"})"),
            R"({"ps":["a:1"]})");
  // A job may be called "cluster".
  EXPECT_EQ(canonical(R"({"cluster": ["a:1"]})"), R"({"cluster":["a:1"]})");
  EXPECT_EQ(canonical(R"({"cluster": {"3": "a:1"}})"),
            R"({"cluster":{"3":"a:1"}})");
}

TEST(ClusterSpec, JobsWithoutTasksAreLeftOut) {
  EXPECT_EQ(canonical(R"({"ps": [], "worker": ["a:1"]})"),
            R"({"worker":["a:1"]})");
}

TEST(ClusterSpec, AddressesOfAllKinds) {
  const char *json =
      R"({"w":["h.example-1:65535","10.0.0.1:0","[::1]:80","unix:/run/g.sock"]})";
  EXPECT_EQ(canonical(json), json);
  // Port 0 is another port each time.
  EXPECT_EQ(canonical(R"({"w":["a:0","a:0"]})"), R"({"w":["a:0","a:0"]})");
}

TEST(ClusterSpec, WrongAddresses) {
  auto inList = [](std::string address) {
    return "{\"ps\":\n [\"ok:1\",\n  \"" + address + "\"]}";
  };
  for (const char *address :
       {"", "host", "host:", ":22", "host:x", "host:65536", "host:-1",
        "host:1 ", "host:0x10", "::1:22", "[::1]", "[nonsense]:1", "[::1:22",
        "a b:1", "http://a:1", "unix:", "unix:relative", "ho$t:1"})
    expectError(inList(address), {"c.json:3: 'ps[1]' is no address: '" +
                                      std::string(address) + "' ",
                                  "write 'host:port'"});
  expectError(inList("unix:/" + std::string(107, 'p')), {"107 bytes"});
  expectError(inList(std::string(254, 'h') + ":1"), {"253 characters"});
}

/// JSON is UTF-8 by itself, a command line is not.
TEST(ClusterSpec, AddressesAreUtf8) {
  std::string wide = "unix:/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
  auto cluster = parseHostLists("a:1", wide);
  ASSERT_TRUE(cluster.isOk()) << cluster.status().toString();
  EXPECT_EQ(ClusterSpec::parse(cluster->json(), "again")->json(),
            cluster->json());
  for (const char *wrong :
       {"unix:/\xff", "unix:/\xc3", "unix:/\xc3(", "unix:/\x80",
        "unix:/\xc1\x81", "unix:/\xe0\x80\xaf", "unix:/\xed\xa0\x80",
        "unix:/\xf4\x90\x80\x80", "[fe80::1%\xff]:1"}) {
    Status status = parseHostLists("a:1", wrong).status();
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_NE(status.message().find("--worker_hosts, address 1"),
              std::string::npos);
    EXPECT_NE(status.message().find("is not UTF-8"), std::string::npos);
  }
}

TEST(ClusterSpec, WrongStructureNamesLineAndField) {
  expectError("[]", {"c.json:1: ", "the cluster is a list"});
  expectError("{}", {"the cluster has no tasks"});
  expectError(R"({"ps": []})", {"the cluster has no tasks"});
  expectError("{\"ps\": \"a:1\"}",
              {"'ps' is a string; it must be a list of addresses"});
  expectError("{\"ps\": [\n1]}", {"c.json:2: 'ps[0]' is a number"});
  expectError("{\"ps\": [\nnull\n]}", {"c.json:2: 'ps[0]' is null"});
  expectError("{\"ps\": {\"x\":\n\"a:1\"}}",
              {"c.json:2: 'ps.x' has no task's number"});
  for (const char *key : {"-1", "1.5", "2147483648", " 1", "", "-0", "+1"})
    expectError("{\"ps\": {\"" + std::string(key) + "\": \"a:1\"}}",
                {"has no task's number"});
  expectError(R"({"9ps": ["a:1"]})", {"'9ps' is no name of a job"});
  expectError(R"({"p/s": ["a:1"]})", {"'p/s' is no name of a job"});
  expectError(R"({"*": ["a:1"]})", {"'*' is no name of a job"});
  expectError(R"({"": ["a:1"]})", {"is no name of a job"});
  expectError("{\"cluster\": {\"ps\": [\"a:1\"]},\n\"device\": 1}",
              {"c.json:2: 'device' is unknown", "did you mean 'devices'?"});
  expectError(R"({"cluster": {"ps": [{"a": "b"}]}})",
              {"'cluster.ps[0]' is an object"});
}

TEST(ClusterSpec, NothingTwice) {
  expectError("{\"ps\": [\"a:1\"],\n\"ps\": [\"b:1\"]}",
              {"c.json:2: the key 'ps' is there twice"});
  expectError("{\"ps\": {\"0\": \"a:1\",\n\"0\": \"b:1\"}}",
              {"c.json:2: the key '0' is there twice"});
  expectError("{\"ps\": {\"1\": \"a:1\",\n\"01\": \"b:1\"}}",
              {"c.json:2: 'ps.01' is '/job:ps/task:1' once more"});
  expectError("{\"ps\": [\"a:1\"],\n\"worker\": [\"a:1\"]}",
              {"c.json:2: 'worker[0]' is 'a:1', the address of "
               "'/job:ps/task:0', too"});
  expectError(R"({"ps": ["unix:/a", "unix:/a"]})", {"give each task its own"});
}

TEST(ClusterSpec, WrongJson) {
  expectError("", {"c.json:1: this is not JSON"});
  expectError("{\"ps\": [\"a:1\",]}", {"c.json:1: this is not JSON"});
  expectError("{\"ps\": [\"a:1\"],\n}", {"c.json:2: this is not JSON"});
  expectError("{\"ps\": [\"a:1\"]}\n\nx", {"c.json:3: this is not JSON"});
  expectError("{\"ps\":\n [\"a\n:1\"]}", {"c.json:2: this is not JSON"});
  expectError("{'ps': []}", {"this is not JSON"});
  expectError("{\"ps\": [\"\xff:1\"]}", {"this is not JSON"});
  expectError(std::string(100000, '['), {"nested in more than 8"});
  expectError(std::string((1 << 20) + 1, ' '), {"bytes; it may have at most"});
}

TEST(ClusterSpec, TooManyTasks) {
  std::string json = "{\"ps\": [";
  for (int i = 0; i < 4096; ++i)
    json += "\"a:0\",";
  EXPECT_EQ(parsed(json.substr(0, json.size() - 1) + "]}").size(), 4096u);
  expectError(json + "\"a:0\"]}", {"4096"});
}

TEST(ClusterSpec, MakeChecksToo) {
  auto error = [](std::vector<ClusterTask> tasks) {
    StatusOr<ClusterSpec> spec = ClusterSpec::make(std::move(tasks));
    return spec.isOk() ? "" : spec.status().message();
  };
  EXPECT_EQ(error({{"ps", 0, "a:1"}}), "");
  EXPECT_NE(error({}).find("no tasks"), std::string::npos);
  EXPECT_NE(error({{"p s", 0, "a:1"}}).find("no name of a job"),
            std::string::npos);
  EXPECT_NE(error({{"ps", 0, "a"}}).find("'/job:ps/task:0': 'a' has no port"),
            std::string::npos);
  EXPECT_NE(error({{"ps", 0, "a:1"}, {"ps", 0, "b:1"}}).find("there twice"),
            std::string::npos);
  EXPECT_NE(error({{"ps", 0, "a:1"}, {"ps", 1, "a:1"}})
                .find("'/job:ps/task:0' and of '/job:ps/task:1'"),
            std::string::npos);
  EXPECT_NE(error({{"ps", 1u << 31, "a:1"}}).find("2147483647"),
            std::string::npos);
}

TEST(ClusterSpec, FindsTasks) {
  ClusterSpec spec = parsed(R"({"ps": ["a:1"], "worker": ["b:1", "c:1"]})");
  EXPECT_EQ(*spec.find("worker", 1), 2u);
  EXPECT_EQ(*spec.findDevice("/job:worker/replica:0/task:0/device:CPU:0"), 1u);
  EXPECT_EQ(*spec.findDevice("/job:ps/task:0"), 0u);
  StatusOr<TaskId> none = spec.find("worker", 2);
  ASSERT_FALSE(none.isOk());
  EXPECT_EQ(none.status().code(), StatusCode::NotFound);
  EXPECT_NE(none.status().message().find(
                "'/job:ps/task:0', '/job:worker/task:0', '/job:worker/task:1'"),
            std::string::npos)
      << none.status().message();
  for (const char *device : {"/job:ps", "/device:CPU:0",
                             "/job:ps/replica:1/task:0", "/job:ps/task:7"})
    EXPECT_EQ(spec.findDevice(device).status().code(), StatusCode::NotFound)
        << device;
  EXPECT_EQ(spec.findDevice("ps").status().code(), StatusCode::InvalidArgument);
}

TEST(ClusterSpec, DigestIsOfTasksNotOfAddresses) {
  ClusterSpec spec = parsed(R"({"ps": ["a:1"], "worker": ["b:1"]})");
  EXPECT_EQ(spec.digest(),
            parsed(R"({"worker": ["y:9"], "ps": {"0": "x:9"}})").digest());
  EXPECT_NE(spec.digest(), parsed(R"({"ps": ["a:1", "b:1"]})").digest());
  EXPECT_NE(spec.digest(),
            parsed(R"({"ps": ["a:1"], "worker": {"1": "b:1"}})").digest());
  EXPECT_EQ(spec.digestText().size(), 16u);
}

TEST(ClusterSpec, ReadsFilesAndTexts) {
  StatusOr<ClusterSpec> text = ClusterSpec::read(" {\"ps\": [\"a:1\"]}");
  ASSERT_TRUE(text.isOk()) << text.status().toString();
  std::string path = testing::TempDir() + "cluster-spec-test.json";
  std::ofstream(path) << text->json();
  StatusOr<ClusterSpec> file = ClusterSpec::read(path);
  ASSERT_TRUE(file.isOk()) << file.status().toString();
  EXPECT_EQ(file->json(), text->json());
  std::ofstream(path) << "{\"ps\":\n 3}";
  EXPECT_NE(ClusterSpec::read(path).status().message().find(path + ":2: 'ps'"),
            std::string::npos);
  std::remove(path.c_str());
  EXPECT_EQ(ClusterSpec::read(path).status().code(), StatusCode::NotFound);
  EXPECT_EQ(ClusterSpec::read("").status().code(), StatusCode::NotFound);
}

TEST(HostLists, MakeAClusterOfThreeJobs) {
  StatusOr<ClusterSpec> spec = parseHostLists("a:1,b:2", "c:3", "d:4");
  ASSERT_TRUE(spec.isOk()) << spec.status().toString();
  EXPECT_EQ(spec->json(),
            R"({"chief":["d:4"],"ps":["a:1","b:2"],"worker":["c:3"]})");
  EXPECT_EQ(parseHostLists("", "c:3")->json(), R"({"worker":["c:3"]})");
}

TEST(HostLists, ErrorsNameTheFlag) {
  auto error = [](std::string_view ps, std::string_view workers) {
    return parseHostLists(ps, workers).status().message();
  };
  EXPECT_NE(error("", "").find("--worker_hosts=b:2222"), std::string::npos);
  EXPECT_EQ(error("a:1,b", "c:1").find("--ps_hosts, address 2: 'b' has no"), 0u)
      << error("a:1,b", "c:1");
  EXPECT_EQ(error("a:1", "c:1,").find("--worker_hosts, address 2: '' has no"),
            0u);
  EXPECT_NE(error("a:1", "a:1").find("give each its own"), std::string::npos);
}

} // namespace
