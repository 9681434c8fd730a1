// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/profile/TextCells.h"

#include <algorithm>
#include <cstdio>

namespace graphc::run {

namespace {

std::string numberText(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

} // namespace

std::string rightCell(std::string_view text, size_t width) {
  size_t spaces = width > text.size() ? width - text.size() : 1;
  return std::string(spaces, ' ') + std::string(text);
}

std::string numberCell(double number, size_t width) {
  return rightCell(numberText(number, 1), width);
}

std::string rateCell(double amount, double seconds, size_t width) {
  if (amount <= 0 || seconds <= 0)
    return rightCell("-", width);
  double rate = amount / seconds * 1e-9;
  return rightCell(numberText(rate, rate < 10 ? 2 : 1), width);
}

std::string microsText(double nanos) {
  return numberText(nanos * 1e-3, nanos < 1e4 ? 2 : 1);
}

std::string microsCell(double nanos, size_t width) {
  return rightCell(microsText(nanos), width);
}

double percentOf(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

} // namespace graphc::run
