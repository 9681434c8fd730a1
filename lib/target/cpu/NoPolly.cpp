// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debian's LLVM is built with Polly, of which it has no archive. lld's
// link-time optimisation, which kernels do not use, asks for it: there is none.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }
