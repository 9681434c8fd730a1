// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests what a file states of summaries.
#include "runtime/format/ModelNames.h"
#include "test/runtime/format/Refusal.h"

using namespace graphc;
using namespace graphc::test;
using format::SummaryKind;
using runtime::DType;
using runtime::TensorType;

namespace {

/// The graph "train" with the fetch `y`, and its variant with a summary.
struct Variant {
  ModelBuilder model;
  GraphSpec &plain = model.addGraph("train");
  GraphSpec &shown = model.addGraph("train#summary");

  explicit Variant(TensorType type = {DType::Float32, {}},
                   SummarySpec summary = {SummaryKind::Scalar, "loss", 1}) {
    for (GraphSpec *graph : {&plain, &shown}) {
      uint32_t y = graph->addArena("y", {DType::Float32, {}});
      graph->addFill(y, {0});
      graph->addFetch("y", y);
    }
    uint32_t value = shown.addArena("value", type);
    shown.addFill(value, {0});
    shown.addFetch("summary/loss", value);
    shown.summaries.push_back(std::move(summary));
  }
};

void expectMisfit(TensorType type, SummarySpec summary) {
  expectRefusal(Variant(std::move(type), std::move(summary)).model,
                "fetch 1 cannot be shown so");
}

TEST(SummaryCheck, AcceptsWhatFits) {
  EXPECT_EQ(refusal(Variant().model), "accepted");
  EXPECT_EQ(refusal(Variant({DType::UInt8, {2, 4, 4, 3}},
                            {SummaryKind::Image, "i", 1, 3})
                        .model),
            "accepted");
  EXPECT_EQ(refusal(Variant({DType::Float32, {2, 100}},
                            {SummaryKind::Audio, "a", 1, 3, 0, 8000})
                        .model),
            "accepted");
}

TEST(SummaryCheck, FetchesAreThere) {
  expectRefusal(
      Variant({DType::Float32, {}}, {SummaryKind::Scalar, "x", 2}).model,
      "fetch");
  expectRefusal(
      Variant({DType::Bool, {2}}, {SummaryKind::PrCurve, "x", 1, 0, 5}).model,
      "fetch");
}

TEST(SummaryCheck, TypesAreThoseOfTheKind) {
  expectMisfit({DType::Float32, {2}}, {SummaryKind::Scalar, "x", 1});
  expectMisfit({DType::UInt8, {2, 4, 4, 2}}, {SummaryKind::Image, "x", 1, 3});
  expectMisfit({DType::UInt8, {2, 4, 4, 3}}, {SummaryKind::Image, "x", 1, 0});
  expectMisfit({DType::Float32, {}}, {SummaryKind::Text, "x", 1});
  expectMisfit({DType::Float32, {2, 100}},
               {SummaryKind::Audio, "x", 1, 3, 0, 0});
  expectMisfit({DType::Float32, {}}, {static_cast<SummaryKind>(9), "x", 1});
}

TEST(SummaryCheck, ATagIsThere) {
  expectRefusal(
      Variant({DType::Float32, {}}, {SummaryKind::Scalar, "", 1}).model,
      "its tag is empty");
}

TEST(SummaryCheck, ItIsAVariantOfAGraph) {
  Variant other;
  other.plain.name = "other";
  expectRefusal(other.model, "it has summaries, but is no variant of a graph");
  Variant fed;
  fed.plain.addFetch("z", 0);
  expectRefusal(fed.model, "its feeds or fetches are not those of the graph");
}

TEST(SummaryCheck, AVariantIsFound) {
  Variant variant;
  auto model = runtime::Model::fromBytes(variant.model.finish(), "test");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  const format::Graph *plain = (*model)->findGraph("train");
  const format::Graph *shown =
      runtime::findSummaryVariant((*model)->index(), *plain);
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(shown->name()->str(), "train#summary");
  EXPECT_EQ(runtime::nameWithoutSummaries(*shown), "train");
  EXPECT_EQ(runtime::nameWithoutSummaries(*plain), "train");
  EXPECT_EQ(runtime::findSummaryVariant((*model)->index(), *shown), nullptr);
}

} // namespace
