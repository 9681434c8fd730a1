// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores, atomics and the spaces they use; shadow cells of single bytes.
#include "test/cuda/EmulatedGpu.h"

using namespace graphc::test;

namespace {

class MemoryAccess : public EmulatedGpu {
protected:
  /// A kernel over x and y, with its own declarations.
  CUfunction body(const std::string &text, const std::string &module = "") {
    return load(".version 8.0\n.target sm_80\n.address_size 64\n" + module +
                    ".visible .entry body(.param .u64 x, .param .u64 y) {\n"
                    ".reg .b64 %x, %y, %at, %g; .reg .b32 %r<9>;\n"
                    ".reg .b16 %h<9>; .reg .pred %p;\n"
                    "ld.param.u64 %x, [x]; ld.param.u64 %y, [y];\n"
                    "mov.u32 %r0, %tid.x;\n" +
                    text + "\nret;\n}\n",
                "body");
  }

  using EmulatedGpu::failureOf;
  /// Of a kernel's text, where x is a zero and y has no values.
  std::string failureOf(const std::string &text, unsigned grid, unsigned block,
                        CUresult code = CUDA_ERROR_LAUNCH_FAILED) {
    return EmulatedGpu::failureOf(
        body(text), grid, block,
        {upload(std::vector<uint32_t>{0}), allocate(4)}, code);
  }
};

TEST_F(MemoryAccess, SmallTypesAreExtended) {
  CUdeviceptr x = upload(std::vector<uint8_t>{0x80, 0x7f}), y = allocate(16);
  ASSERT_CUDA(launch(body("ld.global.s8 %r1, [%x]; ld.global.u8 %r2, [%x];\n"
                          "ld.global.s16 %r3, [%x]; ld.global.s8 %r4, [%x+1];\n"
                          "st.global.v4.u32 [%y], {%r1, %r2, %r3, %r4};"),
                     1, 1, {x, y}));
  EXPECT_EQ(download<int32_t>(y, 4),
            (std::vector<int32_t>{-128, 128, 0x7f80, 127}));
}

TEST_F(MemoryAccess, VectorsOfTwoAndFour) {
  CUdeviceptr x = upload(std::vector<uint32_t>{1, 2, 3, 4}), y = allocate(24);
  ASSERT_CUDA(launch(body("ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%x];\n"
                          "st.global.v2.b32 [%y], {%r4, %r3};\n"
                          "st.global.v2.b32 [%y+8], {%r2, %r1};\n"
                          "ld.global.v2.u16 {%h1, %h2}, [%x+8];\n"
                          "st.global.v2.u16 [%y+16], {%h1, %h2};\n"
                          "st.global.u8 [%y+20], %r2;"),
                     1, 1, {x, y}));
  EXPECT_EQ(download<uint32_t>(y, 5), (std::vector<uint32_t>{4, 3, 2, 1, 3}));
}

TEST_F(MemoryAccess, VectorsOfNumbers) {
  CUdeviceptr x = upload(std::vector<uint32_t>{0}), y = allocate(24);
  ASSERT_CUDA(launch(body("st.global.v2.b64 [%y], {-3, 274877906941};\n"
                          "ld.global.u32 %r1, [%x];\n"
                          "st.global.v2.b32 [%y+16], {%r1, -1};"),
                     1, 1, {x, y}));
  EXPECT_EQ(download<int64_t>(y, 3),
            (std::vector<int64_t>{-3, 274877906941, -4294967296}));
}

TEST_F(MemoryAccess, GenericAddressesOfAllSpaces) {
  CUdeviceptr x = upload(std::vector<uint32_t>{11}), y = allocate(64);
  CUfunction function =
      body(".shared .align 4 .b8 s[8]; .local .align 4 .b8 l[8];\n"
           "mov.u64 %at, s; cvta.shared.u64 %g, %at;\n"
           "st.u32 [%g+4], 21; ld.shared.u32 %r1, [s+4];\n"
           "mov.u64 %at, l; cvta.local.u64 %g, %at;\n"
           "st.local.u32 [l], 31; ld.u32 %r2, [%g];\n"
           "cvta.global.u64 %g, %x; ld.u32 %r3, [%g];\n"
           "ld.const.u32 %r4, [table+4]; mov.u64 %at, scale;\n"
           "ld.global.f32 %r5, [%at];\n"
           "st.global.v4.b32 [%y], {%r1, %r2, %r3, %r4};\n"
           "st.global.b32 [%y+16], %r5;",
           ".const .align 4 .u32 table[3] = {5, 6, 7};\n"
           ".global .align 4 .f32 scale = 0f3F800000;\n");
  ASSERT_CUDA(launch(function, 1, 1, {x, y}));
  EXPECT_EQ(download<uint32_t>(y, 5),
            (std::vector<uint32_t>{21, 31, 11, 6, 0x3f800000}));
}

TEST_F(MemoryAccess, AtomicsOfManyBlocks) {
  CUdeviceptr x = upload(std::vector<uint32_t>{0, 0, 0, 5, 100}),
              y = allocate(4);
  ASSERT_CUDA(launch(body("atom.global.add.u32 %r1, [%x], 2;\n"
                          "red.global.max.u32 [%x+4], %r0;\n"
                          "red.global.add.f32 [%x+8], 0f3F000000;\n"
                          "atom.global.cas.b32 %r2, [%x+12], 5, 6;\n"
                          "red.relaxed.gpu.global.min.s32 [%x+16], -3;"),
                     4, 64, {x, y}));
  EXPECT_EQ(download<uint32_t>(x, 5),
            (std::vector<uint32_t>{512, 63, 0x43000000, 6, 0xfffffffd}));
}

TEST_F(MemoryAccess, AtomicsDoNotExcusePlainAccess) {
  std::string text = failureOf("red.global.add.u32 [%x], 1;\n"
                               "ld.global.u32 %r1, [%x];",
                               1, 64);
  EXPECT_TRUE(contains(text, "of the same block"));
}

TEST_F(MemoryAccess, NeighbouringBytesDoNotRace) {
  CUdeviceptr x = upload(std::vector<uint32_t>{0}), y = allocate(64);
  CUfunction function = body("cvt.u64.u32 %at, %r0; add.s64 %at, %at, %y;\n"
                             "st.global.u8 [%at], %r0;");
  ASSERT_CUDA(launch(function, 1, 64, {x, y}));
  EXPECT_EQ(download<uint8_t>(y, 64)[63], 63);
  CUfunction overlaps = body("cvt.u64.u32 %at, %r0; and.b64 %at, %at, 62;\n"
                             "add.s64 %at, %at, %y; st.global.u8 [%at], %r0;");
  failureOf(overlaps, 1, 64, {x, y});
}

TEST_F(MemoryAccess, EveryReaderIsRemembered) {
  // One thread of each warp reads; the last that did so writes.
  const char *text =
      ".shared .align 4 .b8 s[4]; setp.eq.u32 %p, %r0, 0;\n"
      "@%p st.shared.u32 [s], 1; bar.sync 0; and.b32 %r2, %r0, 31;\n"
      "setp.eq.u32 %p, %r2, 0; @%p ld.shared.u32 %r1, [s];\n"
      "bar.warp.sync -1;\n"
      "setp.eq.u32 %p, %r0, 32; @%p st.shared.u32 [s], 2;";
  EXPECT_TRUE(contains(failureOf(text, 1, 64), "thread 32: writes"));
}

TEST_F(MemoryAccess, EveryReaderOfAWarpIsRemembered) {
  const char *text = "ld.global.u32 %r1, [%x];\n"
                     "setp.eq.u32 %p, %r0, 31; @%p "
                     "st.global.u32 [%x], 2;";
  EXPECT_TRUE(contains(failureOf(text, 1, 32), "thread 31: writes"));
}

TEST_F(MemoryAccess, EveryReadingBlockIsRemembered) {
  const char *text = "ld.global.u32 %r1, [%x]; mov.u32 %r2, %ctaid.x;\n"
                     "setp.eq.u32 %p, %r2, 3; @%p "
                     "st.global.u32 [%x], 5;";
  EXPECT_TRUE(contains(failureOf(text, 4, 1),
                       "the blocks of a launch are not ordered"));
}

TEST_F(MemoryAccess, BarriersOrder) {
  CUdeviceptr x = upload(std::vector<uint32_t>{0}), y = allocate(256);
  auto reverse = [&](const std::string &barrier) {
    return body(".shared .align 4 .b8 s[256]; mov.u32 %r1, s;\n"
                "mad.lo.u32 %r2, %r0, 4, %r1; st.shared.u32 [%r2], %r0;\n" +
                barrier +
                "mov.u32 %r3, %ntid.x; sub.u32 %r3, %r3, %r0;\n"
                "mad.lo.u32 %r2, %r3, 4, %r1; ld.shared.u32 %r4, [%r2+-4];\n"
                "mul.wide.u32 %at, %r0, 4; add.s64 %at, %at, %y;\n"
                "st.global.u32 [%at], %r4;");
  };
  ASSERT_CUDA(launch(reverse("bar.warp.sync -1;\n"), 1, 32, {x, y}));
  EXPECT_EQ(download<uint32_t>(y, 32)[0], 31u);
  ASSERT_CUDA(launch(reverse("bar.sync 0;\n"), 1, 64, {x, y}));
  EXPECT_EQ(download<uint32_t>(y, 64)[0], 63u);
  failureOf(reverse("bar.warp.sync -1;\n"), 1, 64, {x, y});
}

TEST_F(MemoryAccess, SharedMemoryIsNewInEachBlock) {
  std::string text =
      failureOf(".shared .align 4 .b8 s[8]; mov.u32 %r1, %ctaid.x;\n"
                "setp.eq.u32 %p, %r1, 0; @%p st.shared.u32 [s], 1;\n"
                "ld.shared.u32 %r1, [s];",
                2, 1);
  EXPECT_TRUE(contains(text, "block 1, thread 0: reads 4 bytes at byte 0 of "
                             "shared memory, which nobody has written"));
}

TEST_F(MemoryAccess, BoundsOfSharedAndLocalMemory) {
  std::string text =
      failureOf(".shared .align 4 .b8 s[8]; st.shared.u32 [s+8], 1;", 1, 1,
                CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(text, "writes 4 bytes at byte 8 of the shared memory of "
                             "its block, which has 8"));
}

TEST_F(MemoryAccess, BoundsOfLocalMemory) {
  std::string text =
      failureOf(".local .align 4 .b8 l[8]; st.local.u32 [l+-4], 1;", 1, 1,
                CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(text, "byte -4 of its local memory, which has 8"));
}

TEST_F(MemoryAccess, CopiesMoveWhatIsUninitialised) {
  CUdeviceptr x = allocate(64), y = allocate(64);
  std::vector<uint32_t> result(16);
  ASSERT_CUDA(cuMemsetD8Async(x, 1, 32, nullptr));
  ASSERT_CUDA(cuMemcpyDtoDAsync_v2(y, x, 64, nullptr));
  EXPECT_EQ(download<uint32_t>(y, 8)[7], 0x01010101);
  EXPECT_EQ(cuMemcpyDtoH_v2(result.data(), y, 64), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "reads byte 32 of"));
}

TEST_F(MemoryAccess, CopiesStayWithinAllocations) {
  CUdeviceptr x = allocate(64);
  std::vector<uint32_t> values(32);
  EXPECT_EQ(cuMemcpyHtoD_v2(x, values.data(), 68), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "reach beyond the end of"));
  EXPECT_EQ(cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr>(values.data()),
                            values.data(), 4),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(x, reinterpret_cast<void *>(x), 4),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "no pointer to host memory"));
}

} // namespace
