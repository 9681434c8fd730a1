// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph of the report as a still picture.
#ifndef GRAPHC_REPORT_WRITESVG_H
#define GRAPHC_REPORT_WRITESVG_H

#include "report/Report.h"

#include <iosfwd>

namespace graphc::report {

/// Devices with their towers and outermost scopes as boxes, and what is sent
/// between devices with its bytes. One file without a script.
void writeSvg(const Report &report, const ReportGraph &graph,
              std::ostream &out);

} // namespace graphc::report

#endif
