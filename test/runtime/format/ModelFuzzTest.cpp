// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A damaged file is refused, or all of it can be read; it never crashes.
#include "runtime/format/FileHeader.h"
#include "runtime/format/print/Print.h"
#include "test/runtime/format/Refusal.h"
#include "test/runtime/format/TestPlans.h"

#include <cstring>
#include <random>
#include <sstream>

using namespace graphc;
using namespace graphc::test;
using runtime::Model;

namespace {

constexpr int kRounds = 10000;

/// Sums the bytes of a blob, so that each is really read.
uint64_t touch(const Model &model, const format::Blob *blob) {
  uint64_t sum = 0;
  if (blob)
    for (std::byte byte : model.blob(*blob))
      sum += static_cast<uint64_t>(byte);
  return sum;
}

/// Reads the strings of a constant as an executor would.
void touchStrings(const Model &model, const format::Slot &slot) {
  auto table = model.blob(*slot.data());
  uint64_t count, begin, end;
  std::memcpy(&count, table.data(), 8);
  for (uint64_t i = 0; i < count; ++i) {
    std::memcpy(&begin, table.data() + 8 + 8 * i, 8);
    std::memcpy(&end, table.data() + 16 + 8 * i, 8);
    std::string(reinterpret_cast<const char *>(table.data()) + begin,
                end - begin);
  }
}

/// Follows every accessor of an accepted model.
void walk(const Model &model) {
  std::ostringstream out;
  runtime::printMetadata(model, out, true);
  runtime::printKernels(model, out, true);
  touch(model, model.index().source());
  for (const format::Executable *executable : *model.index().executables())
    touch(model, executable->code());
  for (const format::Graph *graph : *model.index().graphs()) {
    runtime::printSchedule(model.index(), *graph, out);
    runtime::printMemory(model.index(), *graph, out, true);
    for (const format::Program *program : *graph->programs())
      for (const format::Slot *slot : *program->slots()) {
        if (slot->kind() != format::SlotKind::Constant)
          continue;
        touch(model, slot->data());
        if (slot->type()->dtype() == format::DType::String)
          touchStrings(model, *slot);
      }
  }
}

void flipBit(Bytes &bytes, std::mt19937 &random) {
  size_t bit = random() % (bytes.size() * 8);
  bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
}

/// Puts a number that is likely to be out of some bound at an aligned place.
void putNumber(Bytes &bytes, std::mt19937 &random) {
  static constexpr uint64_t numbers[] = {
      0, 1, 8, 255, 1u << 31, UINT32_MAX, uint64_t(1) << 62, UINT64_MAX};
  uint64_t number = numbers[random() % std::size(numbers)];
  size_t width = random() % 2 ? 4 : 8;
  size_t place = random() % (bytes.size() / width) * width;
  std::memcpy(bytes.data() + place, &number, width);
}

TEST(Fuzz, EveryTruncationIsRefused) {
  Bytes bytes = makeSampleModel().finish();
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(refusal(Bytes(bytes.begin(), bytes.begin() + size)), "accepted")
        << size;
}

TEST(Fuzz, EveryFlipIsRefused) {
  Bytes bytes = makeSampleModel().finish();
  std::mt19937 random(1);
  for (int i = 0; i < kRounds; ++i) {
    Bytes broken = bytes;
    flipBit(broken, random);
    ASSERT_NE(refusal(broken), "accepted") << i;
  }
}

/// Every bit of the header, which the digest does not cover.
TEST(Fuzz, EveryFlipOfTheHeaderIsRefused) {
  Bytes bytes = makeSampleModel().finish();
  for (size_t bit = 0; bit < sizeof(format::FileHeader) * 8; ++bit) {
    Bytes broken = bytes;
    broken[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ASSERT_NE(refusal(broken), "accepted") << bit;
  }
}

/// Damages with a digest that fits; what is accepted is read to the end.
template <typename Damage>
void checkRestamped(const Bytes &bytes, Damage damage) {
  std::mt19937 random(2);
  int accepted = 0;
  for (int i = 0; i < kRounds; ++i) {
    Bytes broken = bytes;
    damage(broken, random);
    restampDigest(broken);
    auto model = Model::fromBytes(broken, "fuzz");
    if (!model.isOk())
      continue;
    ++accepted;
    walk(**model);
  }
  // Both happen, or the test shows nothing.
  EXPECT_GT(accepted, kRounds / 100);
  EXPECT_LT(accepted, kRounds);
}

TEST(Fuzz, RestampedFlipsNeverCrash) {
  checkRestamped(makeSampleModel().finish(), flipBit);
  checkRestamped(makeServerPlan(2).finish(), flipBit);
  checkRestamped(makeRingPlan(2).finish(), flipBit);
  checkRestamped(makeGpuModel().finish(), flipBit);
}

TEST(Fuzz, RestampedNumbersNeverCrash) {
  checkRestamped(makeSampleModel().finish(), putNumber);
  checkRestamped(makeServerPlan(2).finish(), putNumber);
  checkRestamped(makeRingPlan(2).finish(), putNumber);
  checkRestamped(makeGpuModel().finish(), putNumber);
}

/// Every byte of a plan's index, with each of some values.
void checkEachByte(const Bytes &bytes) {
  format::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (size_t i = 0; i < header.indexSize; ++i)
    for (int value : {0, 1, 127, 255}) {
      Bytes broken = bytes;
      broken[sizeof(header) + i] = static_cast<std::byte>(value);
      restampDigest(broken);
      auto model = Model::fromBytes(broken, "fuzz");
      if (model.isOk())
        walk(**model);
    }
}

TEST(Fuzz, RestampedBytesNeverCrash) {
  checkEachByte(makeServerPlan(1).finish());
  checkEachByte(makeGpuModel().finish());
}

} // namespace
