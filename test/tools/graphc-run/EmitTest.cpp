// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --emit refuses, and texts in YAML. Whole manifests are checked by
// emit.test.
#include "tools/graphc-run/emit/Emit.h"
#include "test/runtime/format/ModelBuilder.h"
#include "tools/graphc-run/emit/Yaml.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::run;

namespace {

/// A plan with a program of graph "train" on each of some tasks.
std::shared_ptr<const runtime::Model>
makePlan(const std::vector<std::string> &tasks,
         const std::vector<std::string> &graphs = {"train"}) {
  test::ModelBuilder builder;
  for (const std::string &name : graphs) {
    test::GraphSpec &graph = builder.addGraph(name);
    for (size_t i = 0; i < tasks.size(); ++i) {
      std::string device = tasks[i] + "/device:CPU:0";
      test::ProgramSpec &program =
          i == 0 ? graph : graph.program(graph.addProgram(device));
      program.device = device;
      uint32_t x = program.addArena("x", {test::DType::Float32, {4}});
      program.addFill(x, {0});
    }
  }
  auto plan = runtime::Model::fromBytes(builder.finish(), "dir/plan.bin");
  EXPECT_TRUE(plan.isOk()) << plan.status().toString();
  return plan.isOk() ? *plan : nullptr;
}

const std::vector<std::string> kTwoTasks = {"/job:ps/replica:0/task:0",
                                            "/job:worker/replica:0/task:0"};

/// The text of the only file, or "error: ...".
std::string emitted(const EmitRequest &request,
                    const runtime::Model &plan = *makePlan(kTwoTasks)) {
  auto files = emitManifests(plan, request);
  if (!files.isOk()) {
    EXPECT_EQ(files.status().code(), runtime::StatusCode::InvalidArgument);
    return "error: " + files.status().message();
  }
  return files->front().text;
}

EmitRequest requestOf(const std::string &kind) {
  EmitRequest request;
  request.flags.kind = kind;
  return request;
}

void expectError(const EmitRequest &request, const std::string &part,
                 const runtime::Model &plan = *makePlan(kTwoTasks)) {
  std::string text = emitted(request, plan);
  EXPECT_TRUE(text.starts_with("error: ")) << text;
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Emit, WrongFlagsAreNamed) {
  expectError(
      requestOf("nomad"),
      "--emit takes kubernetes, compose, systemd or slurm, not 'nomad'");
  for (const char *name : {"", "Graphc", "-a", "a-", "1a", "a b", "a\nb: c"}) {
    EmitRequest request = requestOf("kubernetes");
    request.flags.name = name;
    expectError(request, "--name takes");
    request = requestOf("kubernetes");
    request.flags.namespaceName = name;
    expectError(request, "--namespace takes");
  }
  for (const char *image : {"", "a b", "--privileged", "a\nb"}) {
    EmitRequest request = requestOf("compose");
    request.flags.image = image;
    expectError(request, "--image takes");
  }
}

TEST(Emit, ClusterMustHaveThePlansTasks) {
  EmitRequest request = requestOf("systemd");
  request.cluster = R"({"ps": ["a:1"]})";
  expectError(request, "the plan needs a task that --cluster lacks: the "
                       "cluster has no task '/job:worker/task:0'");
  request.cluster = R"({"ps": ["a"]})";
  expectError(request, "'ps[0]' is no address: 'a' has no port");
}

TEST(Emit, JobsWhoseHostsWouldBeTheSame) {
  auto plan =
      makePlan({"/job:a_b/replica:0/task:0", "/job:A_b/replica:0/task:0"});
  expectError(requestOf("kubernetes"), "would both be the StatefulSet", *plan);
  expectError(requestOf("compose"), "would both be the service", *plan);
  EmitRequest request = requestOf("kubernetes");
  request.flags.name = std::string(40, 'n');
  plan = makePlan({"/job:" + std::string(20, 'j') + "/replica:0/task:0"});
  expectError(request, "give a shorter --name", *plan);
}

TEST(Emit, GraphOfTheClient) {
  auto plan = makePlan(kTwoTasks, {"one", "two", "init"});
  expectError(requestOf("slurm"), "name the one to run with --graph", *plan);
  EmitRequest request = requestOf("slurm");
  request.graph = "two";
  EXPECT_NE(emitted(request, *plan).find("'--graph=two'"), std::string::npos);
  request.graph = "three";
  expectError(request, "no graph 'three'; it has 'init', 'one', 'two'", *plan);
  plan = makePlan(kTwoTasks, {"init", "only"});
  EXPECT_NE(emitted(requestOf("slurm"), *plan).find("'--graph=only'"),
            std::string::npos);
}

TEST(Emit, WhatTheClientWritesIsKept) {
  EmitRequest request = requestOf("kubernetes");
  EXPECT_EQ(emitted(request).find("/output"), std::string::npos);
  EXPECT_NE(emitted(request).find("backoffLimit: 0"), std::string::npos);
  request.clientFlags = {"--save=w.safetensors", "--checkpoint=c.safetensors",
                         "--recover=3"};
  for (const char *part :
       {"--save=w.safetensors", "--recover=3", "workingDir: \"/output\"",
        "mountPath: \"/output\"", "claimName: graphc-output", "backoffLimit: 3",
        "Needs a claim 'graphc-output'"})
    EXPECT_NE(emitted(request).find(part), std::string::npos) << part;
  request.flags.kind = "compose";
  for (const char *part : {"--save=w.safetensors", "./output:/output",
                           "working_dir: \"/output\"", "on-failure:3"})
    EXPECT_NE(emitted(request).find(part), std::string::npos) << part;
  request.flags.kind = "slurm";
  EXPECT_NE(emitted(request).find("'--save=w.safetensors'"), std::string::npos);
  request.flags.kind = "systemd";
  auto files = emitManifests(*makePlan(kTwoTasks), request);
  ASSERT_TRUE(files.isOk()) << files.status().message();
  EXPECT_EQ(files->back().name, "graphc-client.service");
  for (const char *part : {" \"--save=w.safetensors\"", "StateDirectory=graphc",
                           "Restart=on-failure"})
    EXPECT_NE(files->back().text.find(part), std::string::npos) << part;
  // In a container nothing else is kept.
  for (const char *kind : {"kubernetes", "compose"}) {
    request.flags.kind = kind;
    request.clientFlags = {"--save=/tmp/w.safetensors"};
    expectError(request, "names a file that the client's container does not "
                         "keep; give a name without folder, which then lies in "
                         "/output");
    request.clientFlags = {"--save=/output/w.safetensors"};
    EXPECT_NE(emitted(request).find("/output/w.safetensors"),
              std::string::npos);
  }
}

TEST(Emit, SameTextEachTime) {
  for (const char *kind : {"kubernetes", "compose", "systemd", "slurm"})
    EXPECT_EQ(emitted(requestOf(kind)), emitted(requestOf(kind)));
}

TEST(Emit, ShellTextsStayTexts) {
  EmitRequest request = requestOf("slurm");
  request.data = {{"points", "/data/it's $(here).csv"}};
  EXPECT_NE(
      emitted(request).find(R"('--data=points=/data/it'\''s $(here).csv')"),
      std::string::npos)
      << emitted(request);
  request.flags.kind = "compose";
  EXPECT_NE(emitted(request).find("it's $$(here).csv"), std::string::npos);
}

TEST(Yaml, OnlyPlainWordsAreWithoutQuotes) {
  EXPECT_EQ(yamlText("graphc-server"), "graphc-server");
  EXPECT_EQ(yamlText("apps/v1"), "apps/v1");
  for (const char *text : {"", "1", "1.5", "yes", "NO", "null", "~", "a b",
                           "a: b", "#a", "- a", "{a}", "*a", "0x1", "2020-1-1"})
    EXPECT_EQ(yamlText(text), "\"" + std::string(text) + "\"");
  EXPECT_EQ(yamlText("a\"\\\n\t"), R"("a\"\\\n\x09")");
}

TEST(Yaml, NestsListsAndMaps) {
  Yaml file = Yaml::Members{
      {"list", Yaml::list({"a", 1, Yaml::Members{{"b", true}, {"c", Yaml()}}})},
      {"empty", Yaml::list({})}};
  EXPECT_EQ(file.print(), "list:\n"
                          "  - a\n"
                          "  - 1\n"
                          "  - b: true\n"
                          "    c: {}\n"
                          "empty: []\n");
}

} // namespace
