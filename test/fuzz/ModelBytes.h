// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that become a model.bin: what a digest would hide from a fuzzer.
#ifndef GRAPHC_TEST_FUZZ_MODELBYTES_H
#define GRAPHC_TEST_FUZZ_MODELBYTES_H

#include "runtime/format/Model.h"

#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace graphc::test {

/// A file with these bytes after its header, which is made to fit: mark,
/// version, sizes and digests. The size of the index stays where it can.
std::vector<std::byte> repairModel(std::span<const std::byte> bytes);

/// The model of a repaired file, or null where it is refused. What a reader
/// follows before it runs anything was followed: texts, blobs, schedules.
std::shared_ptr<const runtime::Model>
openRepaired(std::span<const std::byte> bytes);

/// Variables, arenas and scratch memory that a model asks for are below 16 MiB:
/// the machine has the memory that it declares.
bool isSmall(const runtime::Model &model);

/// One change to a file that keeps it a FlatBuffer: a number of its index
/// becomes another one. Gives the new size.
size_t changeNumber(std::span<std::byte> file, std::mt19937 &random);

} // namespace graphc::test

#endif
