// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command line of graphc-fmt, for any table of upgraders.
#ifndef GRAPHC_TOOLS_GRAPHC_FMT_FORMATFILES_H
#define GRAPHC_TOOLS_GRAPHC_FMT_FORMATFILES_H

#include "lib/text/syntax/Upgrade.h"

namespace graphc {

/// Formats, checks or upgrades the files that the arguments name. Returns the
/// exit code of the process.
int formatFiles(int argc, char **argv,
                llvm::ArrayRef<text::Upgrader> upgraders);

} // namespace graphc

#endif
