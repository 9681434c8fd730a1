// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph of the report in the language of Graphviz.
#ifndef GRAPHC_RUNTIME_REPORT_WRITEDOT_H
#define GRAPHC_RUNTIME_REPORT_WRITEDOT_H

#include "runtime/report/Report.h"

#include <iosfwd>

namespace graphc::runtime {

/// Every op and every value, a cluster per device and in it one per tower or
/// outermost scope; what crosses devices has its bytes.
void writeDot(const Report &report, const ReportGraph &graph,
              std::ostream &out);

} // namespace graphc::runtime

#endif
