// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares a compiled program with the reference interpreter.
#ifndef GRAPHC_TEST_RANDOM_CHECK_H
#define GRAPHC_TEST_RANDOM_CHECK_H

#include "graphc/Choices.h"
#include "lib/interpreter/Interpreter.h"
#include "tools/graphc/CompareTensors.h"

#include <cstdint>
#include <map>
#include <string>

namespace graphc::random {

/// Options of a check: the line `// check: KEY=VALUE ...` at its top.
struct CheckOptions {
  int64_t steps = 1;
  uint64_t seed = 0;
  int64_t gpus = 0; ///< virtual ones
  int threads = 2;
  bool canonical = false;
  std::string level = "x86-64-v3";
  std::string resume;  ///< phase that is printed and read back; "" is none
  std::string devices; ///< --devices; "" is as many as `gpus` says
  std::string replicate = "towers"; ///< what programs become on `devices`
  bool isCluster = false; ///< devices are those of tasks, which are simulated
  int64_t faults = 0;     ///< of these, such that a run survives them
  std::string reduce;     ///< how their gradients are added up; "" is auto
  std::string variables;  ///< where they are; "" is the default
};
CheckOptions parseCheckOptions(llvm::StringRef text);

using interpreter::compare;
using interpreter::compareValues;
using interpreter::Counts;

/// Code for CPUs as CompileOptions name it.
struct CpuCode {
  std::string target = "cpu";
  OptLevel optLevel = OptLevel::Full;
};

/// Compiles the program for CPUs, runs it and compares everything that it
/// computes; "" or a description of the first difference. Diagnostics go to
/// stderr.
std::string checkProgram(const std::string &text, const std::string &folder,
                         const CpuCode &code, Counts &counts);

/// The tensor for a feed or a field of a dataset: random, but the same for a
/// name and a seed.
runtime::HostTensor randomTensor(const runtime::TensorType &type, uint64_t seed,
                                 llvm::StringRef name);

} // namespace graphc::random

#endif
