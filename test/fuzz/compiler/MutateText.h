// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to a program that leave its words whole: bytes changed at random are
// mostly errors of spelling, after which nothing is looked at.
#ifndef GRAPHC_TEST_FUZZ_COMPILER_MUTATETEXT_H
#define GRAPHC_TEST_FUZZ_COMPILER_MUTATETEXT_H

#include <random>
#include <string>
#include <string_view>

namespace graphc::test {

/// The text with one of these changes: a number, a size or an element type is
/// another one; an op, a value or a name is another one of the text; a line is
/// gone, twice there, or elsewhere.
std::string mutateText(std::string_view text, std::mt19937 &random);

} // namespace graphc::test

#endif
