// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the contents of a model, for people and for FileCheck. The text is
// stable: values that change with every change of the compiler (offsets, sizes
// of code and of the file, digests) appear only where `layout` asks for them.
#ifndef GRAPHC_RUNTIME_FORMAT_PRINT_PRINT_H
#define GRAPHC_RUNTIME_FORMAT_PRINT_PRINT_H

#include "runtime/format/Model.h"

#include <iosfwd>

namespace graphc::runtime {

/// Producer, format, flags, variables, datasets, and each graph's feeds and
/// fetches; the size and the digest with `layout`. An empty `graphName` stands
/// for all graphs.
void printMetadata(const Model &model, std::ostream &out, bool layout = false,
                   std::string_view graphName = {});

/// The numbered instructions of each program of a graph of `model`.
void printSchedule(const format::Model &model, const format::Graph &graph,
                   std::ostream &out);

/// The arena's bytes beside the largest sum of live slots, and the slots with
/// their lifetimes; sizes and offsets of slots with `layout`.
void printMemory(const format::Model &model, const format::Graph &graph,
                 std::ostream &out, bool layout = false);

/// The kernels with their work; sizes of their code per image with `layout`.
void printKernels(const Model &model, std::ostream &out, bool layout = false);

/// Arena bytes divided by the largest live sum; 1 when nothing is live.
double arenaRatio(const format::Program &program);

/// The size of a kernel's machine code per image: its name, bytes.
/// REQUIRES: `kernel` is below the number of kernels.
std::vector<std::pair<std::string, uint64_t>> codeSizes(const Model &model,
                                                        uint32_t kernel);

/// 32 hexadecimal digits, the high half first, as xxhsum prints it.
std::string digestText(const std::array<uint64_t, 2> &digest);

} // namespace graphc::runtime

#endif
