// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/profile/ProfileFlags.h"

#include "tools/flags/FlagValues.h"

#include <algorithm>
#include <utility>

namespace graphc::run {

using namespace runtime;

namespace {

constexpr std::pair<std::string_view, ProfileView> kViews[] = {
    {"kernel", ProfileView::Kernel}, {"op", ProfileView::Op},
    {"line", ProfileView::Line},     {"layer", ProfileView::Layer},
    {"device", ProfileView::Device}, {"path", ProfileView::Path}};

} // namespace

void addProfileFlags(CLI::App &app, ProfileFlags &flags) {
  app.add_option("--profile-by", flags.viewsText,
                 "Tables of --profile: kernel, op, line, layer, device, path "
                 "(default: kernel, and device,path with several devices)")
      ->type_name("LIST");
  app.add_option("--profile-top", flags.top,
                 "Rows of each table of --profile, the longest first; 0: all "
                 "(default: 20)")
      ->check(flags::wholeNumber(0));
}

Status convertProfileFlags(const CLI::App &app, bool isProfiled,
                           ProfileFlags &flags) {
  for (const char *name : {"--profile-by", "--profile-top"})
    if (app.get_option(name)->count() > 0 && !isProfiled)
      return invalidArgument(std::string(name) + " needs --profile");
  if (app.get_option("--profile-by")->count() == 0)
    return Status::ok();
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = flags.viewsText.find(',', begin);
    std::string word = flags.viewsText.substr(
        begin, end == std::string::npos ? end : end - begin);
    GRAPHC_ASSIGN_OR_RETURN(ProfileView view,
                            flags::parseChoice("--profile-by", word, kViews));
    if (std::ranges::find(flags.views, view) == flags.views.end())
      flags.views.push_back(view);
  }
  return Status::ok();
}

} // namespace graphc::run
