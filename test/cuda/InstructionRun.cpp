// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/InstructionRun.h"

namespace graphc::test {

namespace {

/// `.reg` of a size; there are none of 8 bits.
std::string declare(const std::string &name, size_t bits) {
  return "  .reg .b" + std::to_string(std::max<size_t>(bits, 16)) + " " + name +
         ";\n";
}

std::string load(const std::string &name, size_t bits, size_t parameter) {
  std::string size = std::to_string(bits);
  return "  ld.param.u64 %base, [p" + std::to_string(parameter) +
         "];\n"
         "  mad.lo.s64 %at, %thread, " +
         std::to_string(bits / 8) + ", %base;\n  ld.global.b" + size + " " +
         name + ", [%at];\n";
}

} // namespace

std::string instructionKernel(const std::string &instructions, size_t bitsOfD,
                              size_t bitsOfA, size_t bitsOfB, size_t bitsOfC) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry instruction(.param .u64 p0, .param .u64 p1,\n"
         "    .param .u64 p2, .param .u64 p3) {\n"
         "  .reg .b64 %base, %at, %thread;\n"
         "  .reg .b32 %tid, %x, %y;\n  .reg .pred %p, %q;\n" +
         declare("%a", bitsOfA) + declare("%b", bitsOfB) +
         declare("%c", bitsOfC) + declare("%d", bitsOfD) +
         "  mov.u32 %tid, %tid.x;\n  cvt.u64.u32 %thread, %tid;\n" +
         load("%a", bitsOfA, 0) + load("%b", bitsOfB, 1) +
         load("%c", bitsOfC, 2) + "  " + instructions +
         "\n  ld.param.u64 %base, [p3];\n  mad.lo.s64 %at, %thread, " +
         std::to_string(bitsOfD / 8) + ", %base;\n  st.global.b" +
         std::to_string(bitsOfD) + " [%at], %d;\n  ret;\n}\n";
}

} // namespace graphc::test
