// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and prints the place of variables.
#include "graphc/VariableHome.h"

#include "lib/placement/inputs/DeviceItem.h"

using graphc::runtime::DeviceName;
using graphc::runtime::StatusOr;

namespace graphc {

static constexpr llvm::StringLiteral kMirrored = "mirrored";

StatusOr<VariableHome> parseVariableHome(llvm::StringRef text) {
  VariableHome home;
  home.isMirrored = text == kMirrored;
  if (text.empty() || home.isMirrored)
    return home;
  GRAPHC_ASSIGN_OR_RETURN(runtime::ParsedDeviceName parsed,
                          parseUserDevice(text));
  if (parsed.name != DeviceName())
    home.device = std::move(parsed.name);
  return home;
}

std::string toText(const VariableHome &home) {
  if (home.isMirrored)
    return kMirrored.str();
  return home.device ? home.device->toString() : "";
}

} // namespace graphc

bool llvm::cl::parser<graphc::VariableHome>::parse(Option &option, StringRef,
                                                   StringRef text,
                                                   graphc::VariableHome &home) {
  StatusOr<graphc::VariableHome> parsed = graphc::parseVariableHome(text);
  if (!parsed.isOk())
    return option.error(parsed.status().message());
  home = *parsed;
  return false;
}
