// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values as text and as JSON.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_VALUES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_VALUES_H

#include "runtime/base/DType.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace graphc::run {

/// A number with six significant digits: "0.1234", "1e-05", "nan".
std::string formatNumber(double value);

/// The element of a number type as a double.
double elementAt(runtime::DType dtype, std::span<const std::byte> bytes,
                 size_t index);

/// A value for people: strings as they are, up to 16 numbers as
/// "[[1, 2], [3, 4]]", more as "float32[100,10], min 0, max 1, mean 0.5".
std::string formatValue(const runtime::TensorType &type,
                        std::span<const std::byte> bytes);

/// A number, a text, or nested lists of them. NaN and infinities, for which
/// JSON has no numbers, become the texts "NaN", "Infinity" and "-Infinity".
nlohmann::ordered_json valueAsJson(const runtime::TensorType &type,
                                   std::span<const std::byte> bytes);

} // namespace graphc::run

#endif
