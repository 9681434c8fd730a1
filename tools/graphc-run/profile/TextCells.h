// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells of the tables of a profile.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_TEXTCELLS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_TEXTCELLS_H

#include <string>
#include <string_view>

namespace graphc::run {

/// The text, at the right end of `width` characters; a space before it.
std::string rightCell(std::string_view text, size_t width);

/// A number with one digit after the point.
std::string numberCell(double number, size_t width);

/// Microseconds with two digits after the point below 10, else one.
std::string microsCell(double nanos, size_t width);

/// 1e9 of something per second; "-" where there is none of it.
std::string rateCell(double amount, double seconds, size_t width);

/// The number of microsCell(): "12.3" of 12,300 nanoseconds.
std::string microsText(double nanos);

double percentOf(double part, double whole);

} // namespace graphc::run

#endif
