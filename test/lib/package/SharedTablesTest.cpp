// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equal tables are there once, and nothing else is taken for equal.
#include "lib/target/common/SharedTables.h"

#include <gtest/gtest.h>

using namespace graphc;
using flatbuffers::Offset;

namespace {

struct SharedTablesTest : testing::Test {
  Offset<format::Slot> slot(const char *name, uint64_t offset,
                            const format::Blob *data = nullptr) {
    return tables.table(format::CreateSlot, format::SlotKind::Arena,
                        tables.text(name), type, 64, offset, 0, data, 0, 0,
                        nullptr);
  }

  flatbuffers::FlatBufferBuilder builder;
  SharedTables tables{builder};
  Offset<format::TensorType> type =
      tables.table(format::CreateTensorType, format::DType::Float32,
                   tables.list(std::vector<int64_t>{4, 4}));
};

TEST_F(SharedTablesTest, EqualTablesAreOne) {
  EXPECT_EQ(slot("x", 64).o, slot("x", 64).o);
  size_t size = builder.GetSize();
  slot("x", 64);
  EXPECT_EQ(builder.GetSize(), size);
}

TEST_F(SharedTablesTest, EachFieldTellsTablesApart) {
  EXPECT_NE(slot("x", 64).o, slot("y", 64).o);
  EXPECT_NE(slot("x", 64).o, slot("x", 128).o);
  format::Blob some(64, 16), other(128, 16);
  EXPECT_NE(slot("x", 64).o, slot("x", 64, &some).o);
  EXPECT_NE(slot("x", 64, &some).o, slot("x", 64, &other).o);
}

TEST_F(SharedTablesTest, TablesOfTwoKindsWithTheSameFieldsAreTwo) {
  auto edges = tables.list(std::vector<uint32_t>{1});
  EXPECT_NE(tables.table(format::CreateSend, edges, edges).o,
            tables.table(format::CreateRecv, edges, edges).o);
}

/// A place in the buffer is a number, too.
TEST_F(SharedTablesTest, NumbersAreNoPlacesOfTables) {
  Offset<format::Slot> x = slot("x", 0);
  auto slots = tables.list(std::vector<Offset<format::Slot>>{x});
  auto numbers = tables.list(std::vector<uint32_t>{x.o});
  EXPECT_NE(slots.o, numbers.o);
}

TEST_F(SharedTablesTest, ListsOfOtherSizesAreOthers) {
  EXPECT_NE(tables.list(std::vector<int64_t>{1}).o,
            tables.list(std::vector<uint32_t>{1, 0}).o);
  EXPECT_NE(tables.list(std::vector<uint32_t>{}).o,
            tables.list(std::vector<uint8_t>{}).o);
}

} // namespace
