// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Option of flags and passes: the place of the variables of towers.
#ifndef GRAPHC_INCLUDE_GRAPHC_VARIABLEHOME_H
#define GRAPHC_INCLUDE_GRAPHC_VARIABLEHOME_H

#include "runtime/base/DeviceName.h"

#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>

namespace graphc {

/// Place of the variables of towers. Thread-safety: as a value type.
struct VariableHome {
  bool isMirrored = false; ///< on every device with a tower
  /// Else on this device, full or partial; without one the default counts.
  std::optional<runtime::DeviceName> device;

  bool isGiven() const { return isMirrored || device; }
};

/// Reads a device, or "mirrored"; "" leaves the place open. InvalidArgument as
/// DeviceName::parseLocal gives it.
runtime::StatusOr<VariableHome> parseVariableHome(llvm::StringRef text);

/// The text that parseVariableHome reads back.
std::string toText(const VariableHome &home);

} // namespace graphc

namespace llvm::cl {

/// Makes VariableHome a type of options of passes.
template <>
class parser<graphc::VariableHome> : public basic_parser<graphc::VariableHome> {
public:
  using basic_parser::basic_parser;

  /// True after an error, as LLVM has it.
  bool parse(Option &option, StringRef name, StringRef text,
             graphc::VariableHome &home);
  StringRef getValueName() const override { return "device"; }
  void printOptionDiff(const Option &option, const graphc::VariableHome &,
                       const OptVal &, size_t width) const {
    printOptionName(option, width);
  }
  static void print(raw_ostream &stream, const graphc::VariableHome &home) {
    stream << graphc::toText(home);
  }
};

} // namespace llvm::cl

#endif
