// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is inside a model, for people and for FileCheck. The text is stable:
// numbers that move with every change of the compiler (offsets, sizes of code
// and of the file, digests) appear only where `layout` asks for them.
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
void printMemory(const format::Graph &graph, std::ostream &out,
                 bool layout = false);

/// The kernels with their work; sizes of their code per level with `layout`.
void printKernels(const format::Model &model, std::ostream &out,
                  bool layout = false);

/// Arena bytes divided by the largest live sum; 1 when nothing is live.
double arenaRatio(const format::Program &program);

/// Bytes from the entry of kernel `index` to the next entry or the end.
/// REQUIRES: `index` is below the number of kernels.
uint64_t codeSize(const format::Image &image, uint32_t index);

/// 32 hexadecimal digits, the high half first, as xxhsum prints it.
std::string digestText(const std::array<uint64_t, 2> &digest);

} // namespace graphc::runtime

#endif
