// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Alignment, contents and limits of device memory.
#include "runtime/target/cpu/DeviceBuffer.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

TEST(DeviceBuffer, IsZeroedAndAlignedAtAllSizes) {
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{100}, size_t{2} << 20,
                       (size_t{5} << 20) + 3}) {
    StatusOr<DeviceBuffer> buffer = DeviceBuffer::allocate(bytes, "a test");
    ASSERT_TRUE(buffer.isOk());
    ASSERT_EQ(buffer->size(), bytes);
    size_t alignment = bytes >= (2 << 20) ? 2 << 20 : 64;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % alignment, 0u);
    for (size_t i = 0; i < bytes; i += 97) {
      ASSERT_EQ(buffer->data()[i], std::byte{0});
      buffer->data()[i] = std::byte{1};
    }
  }
}

TEST(DeviceBuffer, TooMuchIsAFailureThatSaysWhatFor) {
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2}) {
    StatusOr<DeviceBuffer> buffer = DeviceBuffer::allocate(bytes, "the arena");
    ASSERT_FALSE(buffer.isOk());
    EXPECT_EQ(buffer.status().code(), StatusCode::ResourceExhausted);
    EXPECT_NE(buffer.status().message().find("for the arena"),
              std::string::npos);
  }
}

TEST(DeviceBuffer, MovesItsMemory) {
  StatusOr<DeviceBuffer> first = DeviceBuffer::allocate(64, "a test");
  std::byte *data = first->data();
  DeviceBuffer second = std::move(first).value();
  EXPECT_EQ(second.data(), data);
}

} // namespace
