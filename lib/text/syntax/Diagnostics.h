// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors at places of sources, all of them in the order of their discovery.
#ifndef GRAPHC_LIB_TEXT_SYNTAX_DIAGNOSTICS_H
#define GRAPHC_LIB_TEXT_SYNTAX_DIAGNOSTICS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace graphc::text {

/// Knows the lines of all sources that are being parsed and makes diagnostics
/// of MLIR. A place is a pointer into a source.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext &context) : context(context) {}

  /// Makes the places of a source known. Both must outlive this.
  void addSource(llvm::StringRef source, llvm::StringRef file);

  mlir::FileLineColLoc locate(const char *place) const;

  /// Counts and begins an error.
  mlir::InFlightDiagnostic error(const char *place) {
    return error(locate(place));
  }
  mlir::InFlightDiagnostic error(mlir::Location location);

  /// Counts errors that somebody else reports.
  void countError() { ++errors; }

  bool hasErrors() const { return errors > 0; }
  /// True when there are so many that the rest helps nobody.
  bool hasTooMany() const { return errors >= kMaxErrors; }

  mlir::MLIRContext &context;

private:
  static constexpr size_t kMaxErrors = 50;

  struct Source {
    llvm::StringRef text;
    mlir::StringAttr file;
    std::vector<size_t> lines; ///< offsets of their first characters
  };
  std::vector<Source> sources;
  size_t errors = 0;
};

} // namespace graphc::text

#endif
