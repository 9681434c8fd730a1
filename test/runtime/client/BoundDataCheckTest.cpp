// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data of the tasks of one run.
#include "runtime/client/BoundDataCheck.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

protocol::Reply::Prepared dataOf(const std::string &dataset,
                                 const std::string &digest) {
  protocol::Reply::Prepared prepared;
  protocol::Reply::BoundData &data = *prepared.add_data();
  data.set_dataset(dataset);
  data.set_digest(digest);
  return prepared;
}

TEST(BoundDataCheck, TasksOfARunNeedTheSameData) {
  auto cluster = ClusterSpec::read(
      R"({"worker": ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"]})");
  ASSERT_TRUE(cluster.isOk()) << cluster.status().message();
  BoundDataCheck check(*cluster);
  EXPECT_TRUE(check.add(1, dataOf("digits", "a")).isOk());
  EXPECT_TRUE(check.add(0, dataOf("digits", "a")).isOk());
  EXPECT_TRUE(check.add(0, dataOf("labels", "b")).isOk());
  EXPECT_TRUE(check.add(2, {}).isOk()); // reads none
  Status other = check.add(2, dataOf("digits", "c"));
  EXPECT_EQ(other.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(other.message(),
            "dataset 'digits' has other data at /job:worker/task:2 than at "
            "/job:worker/task:1; bind the same files with the same seed at all "
            "tasks (--data digits=FILE[,FILE...])");
}

} // namespace
