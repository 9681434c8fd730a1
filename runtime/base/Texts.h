// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and numbers of bytes as messages show them.
#ifndef GRAPHC_RUNTIME_BASE_TEXTS_H
#define GRAPHC_RUNTIME_BASE_TEXTS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::runtime {

/// The text without quotes; control characters become "\xNN", so that a file
/// cannot steer a terminal or break a line.
std::string escape(std::string_view text);

/// 'text', escaped as above.
std::string quote(std::string_view text);

/// "62 KB", "1.2 GB"; powers of 1000, for pages and pictures.
std::string decimalBytes(uint64_t bytes);

/// "4 MiB", "1.5 KiB", "100 bytes"; powers of 1024, as flags take them.
std::string binaryBytes(int64_t bytes);

} // namespace graphc::runtime

#endif
