// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that a task keeps, and parts on their way to it.
#include "runtime/task/plans/PlanStore.h"

#include "runtime/format/PlanSlice.h"
#include "runtime/task/plans/PlanUploads.h"
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/FakeEnvironment.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

struct Store {
  Store() {
    options.cluster = makeCluster(2, 2);
    options.threads = 1;
    options.mostPlans = 2;
  }
  /// The digest of the plan.
  std::string add(const ModelBuilder &builder) {
    auto model = Model::fromBytes(builder.finish(), "test.bin");
    EXPECT_TRUE(model.isOk()) << model.status().toString();
    std::string digest = planDigest(**model);
    Status status = plans.add(*model, "", false, std::nullopt);
    EXPECT_TRUE(status.isOk()) << status.toString();
    return digest;
  }
  PlanState &plan(const std::string &digest) { return **plans.use(digest); }

  TaskOptions options;
  FakeEnvironment environment;
  PlanStore plans{options, environment.host, environment.peers};
};

bool isFree(const PlanState &) { return false; }

TEST(PlanStore, PlansAreFoundByTheirDigests) {
  Store all;
  std::string digest = all.add(dividedModel());
  EXPECT_TRUE(all.plans.contains(digest));
  PlanState &plan = all.plan(digest);
  EXPECT_EQ(plan.digest(), digest);
  EXPECT_EQ(all.plans.findShort(plan.shortDigest()), &plan);
  EXPECT_EQ(all.plans.findShort(plan.shortDigest() + 1), nullptr);
  auto other = all.plans.use("no digest");
  ASSERT_FALSE(other.isOk());
  EXPECT_EQ(other.status().code(), StatusCode::NotFound);
  EXPECT_NE(all.environment.host.text.find("has plan " + digest),
            std::string::npos);
}

TEST(PlanStore, TheLeastRecentlyUsedPlanMakesRoom) {
  Store all;
  std::string one = all.add(dividedModel()), two = all.add(dividedModel(false));
  EXPECT_TRUE(all.plans.isFull());
  EXPECT_EQ(all.plans.leastRecent(isFree), &all.plan(one)); // used by this
  EXPECT_EQ(all.plans.leastRecent(isFree), &all.plan(two));
  PlanState *busy = &all.plan(one);
  auto isBusy = [&](const PlanState &plan) { return &plan == busy; };
  EXPECT_EQ(all.plans.leastRecent(isBusy)->digest(), two);
  EXPECT_EQ(all.plans.leastRecent([](const PlanState &) { return true; }),
            nullptr);
  all.plans.evict(all.plan(two));
  EXPECT_FALSE(all.plans.isFull());
  EXPECT_FALSE(all.plans.contains(two));
}

TEST(PlanStore, AnEvictedPlanHasLostItsValues) {
  Store all;
  std::string digest = all.add(dividedModel());
  all.plans.noteInitialized(all.plan(digest));
  EXPECT_TRUE(all.plan(digest).isInitialized);
  all.plans.evict(all.plan(digest));
  all.add(dividedModel());
  EXPECT_FALSE(all.plan(digest).isInitialized);
  EXPECT_EQ(all.plan(digest).lost,
            "its plan made room for others (a server keeps 2)");
  all.plans.noteInitialized(all.plan(digest));
  EXPECT_EQ(all.plan(digest).lost, "");
}

TEST(PlanStore, APlanWithoutValuesHasNothingToLose) {
  Store all;
  std::string digest = all.add(dividedModel());
  all.plans.evict(all.plan(digest));
  all.add(dividedModel());
  EXPECT_EQ(all.plan(digest).lost, "");
}

protocol::Request::Load chunk(uint64_t offset, const std::string &data,
                              const std::string &plan = "digest") {
  protocol::Request::Load load;
  load.set_plan(plan);
  load.mutable_part()->set_offset(offset);
  load.mutable_part()->set_total(6);
  load.mutable_part()->set_data(data);
  return load;
}

TaskOptions uploadOptions(size_t mostBytes) {
  TaskOptions options;
  options.cluster = makeCluster(0, 2);
  options.mostPartBytes = mostBytes;
  return options;
}

struct Uploads {
  explicit Uploads(size_t mostBytes = 100)
      : options(uploadOptions(mostBytes)) {}
  StatusCode codeOf(const RequestKey &key,
                    const protocol::Request::Load &load) {
    return uploads.add(key, load).status().code();
  }
  TaskOptions options;
  PlanUploads uploads{options};
};

TEST(PlanUploads, ChunksBecomeAPart) {
  Uploads all;
  ASSERT_TRUE(all.uploads.begin({5, 1}, chunk(0, "abc")).isOk());
  auto none = all.uploads.add({5, 1}, chunk(0, "abc"));
  ASSERT_TRUE(none.isOk());
  EXPECT_FALSE(none->has_value());
  EXPECT_TRUE(all.uploads.contains({5, 1}));
  auto whole = all.uploads.add({5, 1}, chunk(3, "def"));
  ASSERT_TRUE(whole.isOk() && whole->has_value());
  EXPECT_EQ((*whole)->size(), 6u);
  EXPECT_FALSE(all.uploads.contains({5, 1}));
}

TEST(PlanUploads, ChunksOfOtherPlansEndAnUpload) {
  Uploads all;
  ASSERT_TRUE(all.uploads.begin({5, 1}, chunk(0, "abc")).isOk());
  EXPECT_EQ(all.codeOf({5, 1}, chunk(0, "abc", "other")),
            StatusCode::InvalidArgument);
  EXPECT_FALSE(all.uploads.contains({5, 1}));
}

TEST(PlanUploads, TheLimitIsForAll) {
  Uploads all(9);
  for (uint64_t id : {1, 2}) {
    ASSERT_TRUE(all.uploads.begin({5, id}, chunk(0, "abc")).isOk());
    EXPECT_EQ(all.codeOf({5, id}, chunk(0, "abc")), StatusCode::Ok) << id;
  }
  // 6 bytes are there: whole parts have no room beside each other.
  ASSERT_TRUE(all.uploads.begin({6, 1}, chunk(0, "abcdef")).isOk());
  EXPECT_EQ(all.codeOf({6, 1}, chunk(0, "abcdef")),
            StatusCode::ResourceExhausted);
  all.uploads.dropClient(5);
  ASSERT_TRUE(all.uploads.begin({6, 2}, chunk(0, "abcdef")).isOk());
  EXPECT_EQ(all.codeOf({6, 2}, chunk(0, "abcdef")), StatusCode::Ok);
}

TEST(PlanUploads, OnlyAllowedPlansAreTaken) {
  Uploads all;
  all.options.allowedPlans.emplace();
  Status status = all.uploads.begin({5, 1}, chunk(0, "abc"));
  EXPECT_EQ(status.code(), StatusCode::PermissionDenied);
  EXPECT_NE(status.message().find("--allow="), std::string::npos);
  EXPECT_FALSE(all.uploads.contains({5, 1}));
}

} // namespace
