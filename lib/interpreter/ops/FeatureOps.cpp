// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of categories of values.
#include "lib/interpreter/ops/FeatureOps.h"
#include "dialects/tfir/ops/features/TfirFeatureOps.h"
#include "lib/interpreter/ElementMap.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

LogicalResult bucketize(BucketizeOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  const Tensor &boundaries = frame.get(op.getBoundaries());
  std::vector<Element> buckets;
  for (const Element &number : x.elements) {
    int64_t bucket = 0;
    bool isKnown = true;
    for (const Element &boundary : boundaries.elements) {
      bool isBelow = number.integer < boundary.integer;
      bool isSure = number.isKnown && boundary.isKnown;
      if (x.isFloat()) {
        Truth below = less(number, boundary);
        isBelow = below.value;
        isSure = below.isKnown;
      }
      bucket += !isBelow;
      isKnown &= isSure;
    }
    buckets.push_back(Element::of(bucket, isKnown));
  }
  frame.setElements(op.getBucket(), std::move(buckets));
  return success();
}

LogicalResult vocabularyIndex(VocabularyIndexOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  const Tensor &vocabulary = frame.get(op.getVocabulary());
  std::vector<Element> places;
  for (const Element &word : x.elements) {
    int64_t place = op.getDefaultValue();
    bool isKnown = word.isKnown;
    for (int64_t i = vocabulary.size() - 1; i >= 0; --i) {
      isKnown &= vocabulary.elements[i].isKnown;
      if (vocabulary.elements[i].integer == word.integer)
        place = i;
    }
    places.push_back(Element::of(place, isKnown));
  }
  frame.setElements(op.getPlace(), std::move(places));
  return success();
}

/// The last steps of SplitMix64.
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

LogicalResult hashBucket(HashBucketOp op, Frame &frame) {
  return mapElements(op, frame, [&](ArrayRef<Element> keys) {
    return hashBucketOf(keys, static_cast<int64_t>(op.getSeed()),
                        static_cast<int64_t>(op.getNumBuckets()));
  });
}

} // namespace

Element hashBucketOf(ArrayRef<Element> keys, int64_t seed, int64_t numBuckets) {
  auto hash = static_cast<uint64_t>(seed);
  bool isKnown = true;
  for (const Element &key : keys) {
    hash = mix(hash + 0x9E3779B97F4A7C15 + static_cast<uint64_t>(key.integer));
    isKnown &= key.isKnown;
  }
  uint64_t bucket = hash % static_cast<uint64_t>(numBuckets);
  return Element::of(static_cast<int64_t>(bucket), isKnown);
}

void addFeatureOps(OpTable &table) {
  table.add<BucketizeOp>(bucketize);
  table.add<HashBucketOp>(hashBucket);
  table.add<VocabularyIndexOp>(vocabularyIndex);
}

} // namespace graphc::interpreter
