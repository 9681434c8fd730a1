// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the tables of a profile.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_PROFILEFLAGS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_PROFILEFLAGS_H

#include "tools/flags/CommandLine.h"

#include <cstddef>
#include <string>
#include <vector>

namespace graphc::run {

/// A table that --profile prints.
enum class ProfileView { Kernel, Op, Line, Layer, Device, Path };

struct ProfileFlags {
  std::vector<ProfileView> views; ///< empty: those that say something
  size_t top = 20;                ///< rows of a table; 0: all

  std::string viewsText; ///< before it is converted
};

/// Adds --profile-by and --profile-top.
void addProfileFlags(CLI::App &app, ProfileFlags &flags);

/// Converts the texts. INVALID_ARGUMENT names the flag that is wrong, or needs
/// --profile.
runtime::Status convertProfileFlags(const CLI::App &app, bool isProfiled,
                                    ProfileFlags &flags);

} // namespace graphc::run

#endif
