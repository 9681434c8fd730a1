// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests exchange between threads of a warp, special registers, barriers.
#include "test/cuda/InstructionRun.h"

#include <numeric>

using namespace graphc::test;

namespace {

using Words = std::vector<uint32_t>;

class Warps : public InstructionRun {
protected:
  void SetUp() override {
    InstructionRun::SetUp();
    std::iota(lanes.begin(), lanes.end(), 0);
  }

  /// Expects expected(lane) in each of 32 lanes; %a is the lane.
  template <typename F>
  void perLane(const std::string &instructions, F expected) {
    Words result = run<uint32_t>(instructions, lanes);
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(result[lane], static_cast<uint32_t>(expected(lane)))
          << instructions << " in lane " << lane;
  }

  Words lanes = Words(32);
};

TEST_F(Warps, Shuffles) {
  perLane("shfl.sync.bfly.b32 %d, %a, 5, 31, -1;",
          [](uint32_t l) { return l ^ 5; });
  perLane("shfl.sync.down.b32 %d, %a, 3, 31, -1;",
          [](uint32_t l) { return l + 3 < 32 ? l + 3 : l; });
  perLane("shfl.sync.up.b32 %d, %a, 3, 0, -1;",
          [](uint32_t l) { return l >= 3 ? l - 3 : l; });
  perLane("shfl.sync.idx.b32 %d, %a, 9, 31, -1;", [](uint32_t) { return 9; });
  // Segments of eight lanes.
  perLane("shfl.sync.idx.b32 %d, %a, 1, 0x181f, -1;",
          [](uint32_t l) { return (l & 24) + 1; });
  perLane("shfl.sync.down.b32 %d|%p, %a, 2, 0x181f, -1;\n"
          "@!%p mov.b32 %d, 77;",
          [](uint32_t l) { return (l & 7) < 6 ? l + 2 : 77; });
}

TEST_F(Warps, Votes) {
  const std::string first = "setp.lt.u32 %p, %a, 4; ";
  perLane(first + "vote.sync.ballot.b32 %d, %p, -1;",
          [](uint32_t) { return 15; });
  perLane(first + "vote.sync.ballot.b32 %d, !%p, -1;",
          [](uint32_t) { return ~15u; });
  perLane(first + "vote.sync.any.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;",
          [](uint32_t) { return 1; });
  perLane(first + "vote.sync.all.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;",
          [](uint32_t) { return 0; });
  perLane(first + "vote.sync.uni.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;",
          [](uint32_t) { return 0; });
}

TEST_F(Warps, Reductions) {
  perLane("redux.sync.add.u32 %d, %a, -1;", [](uint32_t) { return 496; });
  perLane("redux.sync.xor.b32 %d, %a, -1;", [](uint32_t) { return 0; });
  perLane("sub.s32 %x, 3, %a; redux.sync.min.s32 %d, %x, -1;",
          [](uint32_t) { return -28; });
  perLane("redux.sync.max.u32 %d, %a, -1;", [](uint32_t) { return 31; });
}

TEST_F(Warps, HalvesThatDiverge) {
  perLane("setp.lt.u32 %p, %a, 10; @%p bra LESS;\n"
          "activemask.b32 %d; bra.uni JOIN;\n"
          "LESS: shfl.sync.bfly.b32 %d, %a, 1, 31, 0x3ff;\n"
          "JOIN: bar.warp.sync -1; activemask.b32 %x; add.u32 %x, %x, 1;\n"
          "add.u32 %d, %d, %x;",
          [](uint32_t l) { return l < 10 ? l ^ 1 : 0xfffffc00; });
}

TEST_F(Warps, LanesThatWaitForOthers) {
  perLane("bra.uni START;\n"
          "SYNC: bar.warp.sync -1; activemask.b32 %d; bra.uni END;\n"
          "START: setp.lt.u32 %p, %a, 10; @%p bra SYNC; bra.uni SYNC;\nEND:",
          [](uint32_t) { return ~0u; });
}

TEST_F(Warps, LanesThatHaveEndedAreNotWaitedFor) {
  perLane("mov.u32 %d, 7; setp.ge.u32 %p, %a, 16; @%p bra LATER;\n"
          "shfl.sync.bfly.b32 %d, %a, 1, 31, -1;\nLATER:",
          [](uint32_t l) { return l < 16 ? l ^ 1 : 7; });
}

TEST_F(Warps, LanesThatAreLeftOutOfAMask) {
  CUfunction function =
      load(instructionKernel("shfl.sync.bfly.b32 %d, %a, 1, 31, 0xff;", 32, 32,
                             32, 32),
           "instruction");
  CUdeviceptr x = upload(lanes), y = allocate(128);
  EXPECT_TRUE(contains(failureOf(function, 1, 32, {x, x, x, y}),
                       "thread 8: takes part although the mask 0xff leaves its "
                       "lane out"));
}

TEST_F(Warps, LanesThatDoNotTakePart) {
  CUfunction function =
      load(instructionKernel("shfl.sync.idx.b32 %d, %a, 20, 31, 0xffff;", 32,
                             32, 32, 32),
           "instruction");
  CUdeviceptr x = upload(Words(16)), y = allocate(64);
  EXPECT_TRUE(contains(failureOf(function, 1, 16, {x, x, x, y}),
                       "reads lane 20 by a shuffle in which that lane does not "
                       "take part"));
}

TEST_F(Warps, SpecialRegisters) {
  perLane("mov.u32 %d, %laneid;", [](uint32_t l) { return l; });
  perLane("mov.u32 %d, %lanemask_lt;",
          [](uint32_t l) { return (1u << l) - 1; });
  perLane("mov.u32 %d, %lanemask_ge;",
          [](uint32_t l) { return ~((1u << l) - 1); });
  perLane("mov.u32 %d, %ntid.x;", [](uint32_t) { return 32; });
}

TEST_F(Warps, GridsOfThreeDimensions) {
  CUfunction function = load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry where(.param .u64 y) {
  .reg .b64 %y, %at;
  .reg .b32 %t<4>, %c<4>, %n<4>, %i;
  ld.param.u64 %y, [y];
  mov.u32 %t1, %tid.x; mov.u32 %t2, %tid.y; mov.u32 %t3, %tid.z;
  mov.u32 %c1, %ctaid.x; mov.u32 %c2, %ctaid.y; mov.u32 %c3, %ctaid.z;
  mov.u32 %n1, %nctaid.x; mov.u32 %n2, %nctaid.y;
  mad.lo.u32 %i, %c3, %n2, %c2;
  mad.lo.u32 %i, %i, %n1, %c1;
  mad.lo.u32 %i, %i, 4, %t3;
  mad.lo.u32 %i, %i, 3, %t2;
  mad.lo.u32 %i, %i, 5, %t1;
  mul.wide.u32 %at, %i, 4;
  add.s64 %at, %at, %y;
  st.global.u32 [%at], %i;
  ret;
})",
                             "where");
  constexpr size_t kThreads = 5 * 3 * 4 * 2 * 3 * 2;
  CUdeviceptr y = allocate(kThreads * 4);
  void *parameters[] = {&y};
  ASSERT_CUDA(cuLaunchKernel(function, 2, 3, 2, 5, 3, 4, 0, nullptr, parameters,
                             nullptr));
  Words result = download<uint32_t>(y, kThreads);
  for (uint32_t i = 0; i < kThreads; ++i)
    ASSERT_EQ(result[i], i);
}

TEST_F(Warps, BranchTables) {
  perLane("rem.u32 %x, %a, 3; T: .branchtargets A, B, C;\n"
          "brx.idx %x, T;\n"
          "A: mov.u32 %d, 10; bra.uni END;\n"
          "B: mov.u32 %d, 20; bra.uni END;\n"
          "C: mov.u32 %d, 30;\nEND:",
          [](uint32_t l) { return 10 * (l % 3) + 10; });
}

TEST_F(Warps, TrapsNameTheirThread) {
  CUfunction function = load(
      instructionKernel("setp.eq.u32 %p, %a, 6; @%p trap;", 32, 32, 32, 32),
      "instruction");
  CUdeviceptr x = upload(lanes), y = allocate(128);
  EXPECT_TRUE(contains(failureOf(function, 1, 32, {x, x, x, y}),
                       "thread 6: comes to a trap"));
}

} // namespace
