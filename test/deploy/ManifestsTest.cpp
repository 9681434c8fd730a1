// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests: what is refused, what is in them, and texts in YAML. Whole ones
// are checked by test/tools/graphc-deploy.
#include "deploy/Manifests.h"
#include "deploy/Yaml.h"
#include "test/runtime/format/ModelBuilder.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

using namespace graphc;
using namespace graphc::deploy;

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
std::string emitted(const ManifestRequest &request,
                    const runtime::Model &plan = *makePlan(kTwoTasks)) {
  auto manifests = makeManifests(plan, request);
  if (!manifests.isOk()) {
    EXPECT_EQ(manifests.status().code(), runtime::StatusCode::InvalidArgument);
    return "error: " + manifests.status().message();
  }
  return manifests->files.front().text;
}

ManifestRequest requestOf(ManifestKind kind) {
  ManifestRequest request;
  request.options.kind = kind;
  return request;
}

void expectError(const ManifestRequest &request, const std::string &part,
                 const runtime::Model &plan = *makePlan(kTwoTasks)) {
  std::string text = emitted(request, plan);
  EXPECT_TRUE(text.starts_with("error: ")) << text;
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Manifests, WrongFlagsAreNamed) {
  for (const char *name : {"", "Graphc", "-a", "a-", "1a", "a b", "a\nb: c"}) {
    ManifestRequest request = requestOf(ManifestKind::Kubernetes);
    request.options.name = name;
    expectError(request, "--name takes");
    request = requestOf(ManifestKind::Kubernetes);
    request.options.namespaceName = name;
    expectError(request, "--namespace takes");
  }
  for (const char *image : {"", "a b", "--privileged", "a\nb"}) {
    ManifestRequest request = requestOf(ManifestKind::Compose);
    request.options.image = image;
    expectError(request, "--image takes");
  }
}

TEST(Manifests, ClusterMustHaveThePlansTasks) {
  ManifestRequest request = requestOf(ManifestKind::Systemd);
  request.cluster = R"({"ps": ["a:1"]})";
  expectError(request, "the plan needs a task that --cluster lacks: the "
                       "cluster has no task '/job:worker/task:0'");
  request.cluster = R"({"ps": ["a"]})";
  expectError(request, "'ps[0]' is no address: 'a' has no port");
}

TEST(Manifests, JobsWhoseHostsWouldBeTheSame) {
  auto plan =
      makePlan({"/job:a_b/replica:0/task:0", "/job:A_b/replica:0/task:0"});
  expectError(requestOf(ManifestKind::Kubernetes),
              "would both be the StatefulSet", *plan);
  expectError(requestOf(ManifestKind::Compose), "would both be the service",
              *plan);
  ManifestRequest request = requestOf(ManifestKind::Kubernetes);
  request.options.name = std::string(40, 'n');
  plan = makePlan({"/job:" + std::string(20, 'j') + "/replica:0/task:0"});
  expectError(request, "give a shorter --name", *plan);
}

TEST(Manifests, GraphOfTheClient) {
  auto plan = makePlan(kTwoTasks, {"one", "two", "init"});
  expectError(requestOf(ManifestKind::Slurm),
              "name the one to run with --graph", *plan);
  ManifestRequest request = requestOf(ManifestKind::Slurm);
  request.graph = "two";
  EXPECT_NE(emitted(request, *plan).find("'--graph=two'"), std::string::npos);
  request.graph = "three";
  expectError(request, "no graph 'three'; it has 'init', 'one', 'two'", *plan);
  plan = makePlan(kTwoTasks, {"init", "only"});
  EXPECT_NE(
      emitted(requestOf(ManifestKind::Slurm), *plan).find("'--graph=only'"),
      std::string::npos);
}

TEST(Manifests, WhatTheClientWritesIsKept) {
  ManifestRequest request = requestOf(ManifestKind::Kubernetes);
  EXPECT_EQ(emitted(request).find("/output"), std::string::npos);
  EXPECT_NE(emitted(request).find("backoffLimit: 0"), std::string::npos);
  request.clientFlags = {"--save=w.safetensors", "--checkpoint=c.safetensors",
                         "--recover=3"};
  for (const char *part :
       {"--save=w.safetensors", "--recover=3", "workingDir: \"/output\"",
        "mountPath: \"/output\"", "claimName: graphc-output", "backoffLimit: 3",
        "Needs a claim 'graphc-output'"})
    EXPECT_NE(emitted(request).find(part), std::string::npos) << part;
  request.options.kind = ManifestKind::Compose;
  for (const char *part : {"--save=w.safetensors", "./output:/output",
                           "working_dir: \"/output\"", "on-failure:3"})
    EXPECT_NE(emitted(request).find(part), std::string::npos) << part;
  request.options.kind = ManifestKind::Slurm;
  EXPECT_NE(emitted(request).find("'--save=w.safetensors'"), std::string::npos);
  request.options.kind = ManifestKind::Systemd;
  auto units = makeManifests(*makePlan(kTwoTasks), request);
  ASSERT_TRUE(units.isOk()) << units.status().message();
  EXPECT_EQ(units->files.back().name, "graphc-client.service");
  for (const char *part : {" \"--save=w.safetensors\"", "StateDirectory=graphc",
                           "Restart=on-failure"})
    EXPECT_NE(units->files.back().text.find(part), std::string::npos) << part;
  // In a container nothing else is kept.
  for (ManifestKind kind : {ManifestKind::Kubernetes, ManifestKind::Compose}) {
    request.options.kind = kind;
    request.clientFlags = {"--save=/tmp/w.safetensors"};
    expectError(request, "names a file that the client's container does not "
                         "keep; give a name without folder, which then lies in "
                         "/output");
    request.clientFlags = {"--save=/output/w.safetensors"};
    EXPECT_NE(emitted(request).find("/output/w.safetensors"),
              std::string::npos);
  }
}

TEST(Manifests, SameTextEachTime) {
  for (const auto &[name, kind] : kManifestKinds)
    EXPECT_EQ(emitted(requestOf(kind)), emitted(requestOf(kind))) << name;
}

TEST(Manifests, ShellTextsStayTexts) {
  ManifestRequest request = requestOf(ManifestKind::Slurm);
  request.data = {{"points", "/data/it's $(here).csv"}};
  EXPECT_NE(
      emitted(request).find(R"('--data=points=/data/it'\''s $(here).csv')"),
      std::string::npos)
      << emitted(request);
  request.options.kind = ManifestKind::Compose;
  EXPECT_NE(emitted(request).find("it's $$(here).csv"), std::string::npos);
}

TEST(Manifests, AreWrittenToAFolderOrPrinted) {
  Manifests manifests{{{"a", "one\n"}, {"b", "two\n"}}, {}};
  testing::internal::CaptureStdout();
  EXPECT_TRUE(writeManifests(manifests, "").isOk());
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "# file: a\none\n# file: b\ntwo\n");
  manifests.files.pop_back();
  testing::internal::CaptureStdout();
  EXPECT_TRUE(writeManifests(manifests, "").isOk());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one\n");

  std::string folder = testing::TempDir() + "manifests-none";
  runtime::Status status = writeManifests(manifests, folder);
  EXPECT_EQ(status.code(), runtime::StatusCode::Unavailable);
  EXPECT_EQ(status.message(), "'" + folder +
                                  "/a' cannot be written; make the folder, or "
                                  "name another with --out");
  EXPECT_TRUE(writeManifests(manifests, testing::TempDir()).isOk());
  std::ifstream file(testing::TempDir() + "/a");
  std::string line;
  EXPECT_TRUE(std::getline(file, line));
  EXPECT_EQ(line, "one");
  std::remove((testing::TempDir() + "/a").c_str());
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
