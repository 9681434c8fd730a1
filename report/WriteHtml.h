// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model as one page for a browser.
#ifndef GRAPHC_REPORT_WRITEHTML_H
#define GRAPHC_REPORT_WRITEHTML_H

#include "runtime/format/Model.h"

#include <iosfwd>

namespace graphc::report {

/// Writes one file that needs nothing else: the graphs by device, why each op
/// is where it is, memory over time, bytes per link. Opens with `graphName`, or
/// the first graph but `init` when that is empty. A model without a report of
/// its ops gives a page without the drawing; one with a malformed report is
/// refused.
runtime::Status writeHtml(const runtime::Model &model,
                          std::string_view graphName, std::ostream &out);

} // namespace graphc::report

#endif
