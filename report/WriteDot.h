// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph of the report in the language of Graphviz.
#ifndef GRAPHC_REPORT_WRITEDOT_H
#define GRAPHC_REPORT_WRITEDOT_H

#include "report/Report.h"

#include <iosfwd>

namespace graphc::report {

/// Every op and every value, a cluster per device and in it one per tower or
/// outermost scope; what crosses devices has its bytes.
void writeDot(const Report &report, const ReportGraph &graph,
              std::ostream &out);

} // namespace graphc::report

#endif
