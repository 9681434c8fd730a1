// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TF_CONFIG: the role that it gives, and the error of each mistake.
#include "runtime/cluster/ClusterSpec.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

const char *const kCluster =
    R"("cluster": {"chief": ["a:1"], "ps": ["b:1"], "worker": ["c:1", "d:1"]})";

std::string with(std::string_view task) {
  return "{" + std::string(kCluster) + ", \"task\": " + std::string(task) + "}";
}

ClusterRole role(std::string_view json) {
  StatusOr<ClusterRole> role = parseTfConfig(json);
  EXPECT_TRUE(role.isOk()) << json << "\n" << role.status().toString();
  return role.isOk() ? *role : ClusterRole();
}

void expectError(std::string_view json, std::string_view part) {
  StatusOr<ClusterRole> role = parseTfConfig(json);
  ASSERT_FALSE(role.isOk()) << json;
  EXPECT_EQ(role.status().code(), StatusCode::InvalidArgument);
  const std::string &text = role.status().message();
  EXPECT_TRUE(text.starts_with("TF_CONFIG:")) << text;
  EXPECT_NE(text.find(part), std::string::npos) << json << "\n" << text;
}

TEST(TfConfig, NamesATaskOfTheCluster) {
  ClusterRole worker = role(with(R"({"type": "worker", "index": 1})"));
  EXPECT_EQ(worker.cluster.size(), 4u);
  EXPECT_EQ(worker.job, "worker");
  EXPECT_EQ(worker.index, 1u);
  EXPECT_FALSE(worker.isChief());
  EXPECT_TRUE(role(with(R"({"type": "chief", "index": 0})")).isChief());
  EXPECT_FALSE(role(with(R"({"type": "worker", "index": 0})")).isChief());
  EXPECT_FALSE(role(with(R"({"type": "ps", "index": 0})")).isChief());
}

TEST(TfConfig, IndexMayBeDigitsInQuotes) {
  EXPECT_EQ(role(with(R"({"type": "worker", "index": "1"})")).index, 1u);
}

TEST(TfConfig, WithoutAChiefTheFirstWorkerIsIt) {
  const char *json = R"({"cluster": {"worker": ["a:1", "b:1"]},
                         "task": {"type": "worker", "index": 0}})";
  EXPECT_TRUE(role(json).isChief());
}

TEST(TfConfig, NothingIsALocalWorker) {
  for (const char *json : {"", "  \n", "{}", R"({"cluster": {}})",
                           R"({"task": {"type": "worker", "index": 0}})",
                           R"({"environment": "cloud", "model_dir": "/m"})"}) {
    ClusterRole local = role(json);
    EXPECT_EQ(local.cluster.size(), 0u) << json;
    EXPECT_EQ(local.job, "worker");
    EXPECT_TRUE(local.isChief());
  }
  expectError(R"({"task": {"type": "ps"}})", "there is no cluster");
  expectError(R"({"task": {"index": 1}})", "there is no cluster");
}

TEST(TfConfig, EvaluatorIsOutside) {
  ClusterRole evaluator = role(with(R"({"type": "evaluator", "index": 7})"));
  EXPECT_TRUE(evaluator.isEvaluator);
  EXPECT_FALSE(evaluator.isChief());
  EXPECT_EQ(evaluator.cluster.size(), 0u);
  EXPECT_EQ(evaluator.index, 7u);
}

TEST(TfConfig, MasterIsTheOldNameOfChief) {
  const char *json = R"({"cluster": {"master": ["a:1"], "worker": ["b:1"]},
                         "task": {"type": "master", "index": 0}})";
  EXPECT_TRUE(role(json).isChief());
  expectError(R"({"cluster": {"master": ["a:1"]},
                  "task": {"type": "evaluator", "index": 0}})",
              "does not go with a job 'master'");
  expectError(R"({"cluster": {"master": ["a:1"], "chief": ["b:1"]},
                  "task": {"type": "chief", "index": 0}})",
              "keep one of them");
}

TEST(TfConfig, CallsAreByGrpc) {
  for (const char *layer : {"grpc", ""}) {
    ClusterRole ps = role("{" + std::string(kCluster) +
                          R"(, "task": {"type": "ps", "index": 0}, )" +
                          R"("rpc_layer": ")" + layer + "\"}");
    EXPECT_EQ(ps.job, "ps");
  }
  expectError("{" + std::string(kCluster) +
                  R"(, "task": {"type": "ps", "index": 0}, )" +
                  R"("rpc_layer": "grpc+verbs"})",
              "write \"grpc\", or leave it out");
}

TEST(TfConfig, Mistakes) {
  expectError("{", "this is not JSON");
  expectError("[]", "the text is a list");
  expectError("{" + std::string(kCluster) + "}", "the text has no \"type\"");
  expectError(with("{}"), "'task' has no \"type\"");
  expectError(with(R"({"type": "worker"})"), "'task' has no \"index\"");
  expectError(with(R"({"index": 0})"), "'task' has no \"type\"");
  expectError(with("3"), "'task' is a number");
  expectError(with(R"({"type": 3, "index": 0})"), "'task.type' is a number");
  for (const char *index :
       {"-1", "\"x\"", "1.5", "null", "\"\"", "\"-1\"", "4294967296", "[0]"})
    expectError(
        with(R"({"type": "worker", "index": )" + std::string(index) + "}"),
        "'task.index' is ");
  expectError(with(R"({"type": "worker", "index": 2})"),
              "is not in the cluster: the cluster has no task "
              "'/job:worker/task:2'");
  expectError(with(R"({"type": "wroker", "index": 0})"),
              "'task' is not in the cluster");
  expectError(with(R"({"type": "worker", "index": 0, "idnex": 1})"),
              "'task.idnex' is unknown");
  expectError(R"({"clsuter": {}})", "did you mean 'cluster'?");
  expectError(R"({"cluster": {"chief": ["a:1", "b:1"]},
                  "task": {"type": "chief", "index": 0}})",
              "more than one task of job 'chief'");
  expectError(R"({"cluster": {"evaluator": ["a:1"]},
                  "task": {"type": "evaluator", "index": 0}})",
              "always outside");
  expectError("{\"cluster\": {\"ps\":\n [\"a\"]}, \"task\": {}}",
              "TF_CONFIG:2: 'cluster.ps[0]' is no address: 'a' has no port");
}

} // namespace
