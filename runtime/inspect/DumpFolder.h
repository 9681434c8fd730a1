// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders with the values of steps, a file of arrays for each:
// DIR/step-000012.npz.
#ifndef GRAPHC_RUNTIME_INSPECT_DUMPFOLDER_H
#define GRAPHC_RUNTIME_INSPECT_DUMPFOLDER_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Makes the folder, if there is none, and checks that files can be written
/// there. PERMISSION_DENIED names it.
Status prepareDumps(const std::string &folder);

/// The file of a step, which counts from 1.
std::string dumpPath(const std::string &folder, uint64_t step);

/// Replaces the file, whole or not at all. The arrays keep their order, which
/// is that in which the step made them.
Status writeDump(const std::string &path, std::span<const NamedTensor> values);

struct DumpFile {
  uint64_t step = 0;
  std::string path;
};
/// The files of steps in a folder, by step; empty: there is none.
std::vector<DumpFile> listDumps(const std::string &folder);

} // namespace graphc::runtime

#endif
