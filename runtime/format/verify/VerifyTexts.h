// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the errors of verifiers.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_VERIFYTEXTS_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_VERIFYTEXTS_H

#include "runtime/base/Status.h"
#include "runtime/format/Quote.h"

#include <cstdint>
#include <string>

namespace graphc::runtime {

inline std::string textOf(uint64_t number) { return std::to_string(number); }

/// "slot %3 'fc1/MatMul'", of the kind "slot %".
inline std::string labelOf(const char *kind, uint64_t index,
                           const flatbuffers::String *name) {
  std::string label = kind + textOf(index);
  return name && name->size() ? label + " " + quote(name->string_view())
                              : label;
}

/// Error of an index of which there are only `count`.
inline Status outOfBounds(const char *what, uint64_t index, uint64_t count) {
  return dataLoss(std::string(what) + " " + textOf(index) +
                  " does not exist; there are " + textOf(count));
}

} // namespace graphc::runtime

#endif
