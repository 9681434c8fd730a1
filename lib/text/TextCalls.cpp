// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/TextCalls.h"

#include "llvm/ADT/STLExtras.h"

namespace graphc::text {

static constexpr TextCall kCalls[] = {
    {"case", "case(index, funcs, operands...)",
     "the func at an index, of which that one alone is done; the last one "
     "for all other indices"},
    {"scatter_nd_add", "scatter_nd_add(variable, indices, updates)",
     "adds to slices of a variable at places of several coordinates"},
    {"scatter_nd_sub", "scatter_nd_sub(variable, indices, updates)",
     "subtracts from slices of a variable at places of several coordinates"},
    {"scatter_nd_update", "scatter_nd_update(variable, indices, updates)",
     "gives slices of a variable at places of several coordinates other "
     "values"}};

llvm::ArrayRef<TextCall> textCalls() { return kCalls; }

const TextCall *findTextCall(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      kCalls, [&](const TextCall &each) { return each.name == name; });
  return found == std::end(kCalls) ? nullptr : found;
}

} // namespace graphc::text
