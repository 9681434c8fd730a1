// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans are accepted; each of them with one mistake in it is refused.
//
//   PlanMutantTest [MODEL.BIN...]: also those of files
#include "runtime/format/HostVariant.h"
#include "test/runtime/format/ModelReader.h"
#include "test/runtime/format/PlanMutants.h"
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

using namespace graphc;
using namespace graphc::test;

namespace {

constexpr uint32_t kMutants = 500;

struct Plan {
  std::string name;
  Bytes file;
};

std::vector<Plan> &plans() {
  static std::vector<Plan> list = {
      {"server of 1 tower", makeServerPlan(1).finish()},
      {"server of 2 towers", makeServerPlan(2).finish()},
      {"server of 4 towers", makeServerPlan(4).finish()},
      {"ring of 2", makeRingPlan(2).finish()},
      {"ring of 4", makeRingPlan(4).finish()},
      {"sums of 3 by a library", makeLibraryPlan(3).finish()}};
  return list;
}

/// The file as a builder, which has code for the host only.
ModelBuilder builderOf(const Plan &plan) {
  auto model = runtime::Model::fromBytes(plan.file, plan.name);
  if (model.isOk())
    model = runtime::takeVariant(*model, /*onHost=*/true);
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return model.isOk() ? readModel(**model) : ModelBuilder();
}

TEST(Plans, AreAccepted) {
  for (const Plan &plan : plans()) {
    EXPECT_EQ(refusal(plan.file), "accepted") << plan.name;
    EXPECT_EQ(refusal(builderOf(plan)), "accepted") << plan.name;
  }
}

TEST(Mutants, AreRefused) {
  std::vector<ModelBuilder> builders;
  for (const Plan &plan : plans())
    builders.push_back(builderOf(plan));
  std::set<size_t> made; // kinds
  uint32_t count = 0;
  // Some kinds fit few places; each is made at least once.
  for (uint32_t seed = 0; count < kMutants || made.size() < mutationCount();
       ++seed) {
    ASSERT_LT(seed, 100 * kMutants) << "some kind of mutant cannot be made";
    std::mt19937 random(seed);
    size_t kind = seed % mutationCount();
    size_t plan = random() % builders.size();
    ModelBuilder mutant = builders[plan];
    auto what = mutate(mutant, kind, random);
    if (!what)
      continue;
    ++count;
    made.insert(kind);
    std::string message = refusal(mutant);
    EXPECT_NE(message, "accepted")
        << "seed " << seed << ", " << plans()[plan].name << ": " << *what;
  }
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
    if (bytes.empty()) {
      std::cerr << "PlanMutantTest: cannot read '" << argv[i] << "'\n";
      return 2;
    }
    plans().push_back({argv[i], bytesOf(bytes)});
  }
  return RUN_ALL_TESTS();
}
