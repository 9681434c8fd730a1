// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/monitor/Console.h"

#include "runtime/base/ThreadAnnotations.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace graphc::run::console {

namespace {

constexpr size_t kUsualColumns = 80;
constexpr std::string_view kClearLine = "\r\x1b[K";

runtime::Mutex gMutex;
std::string gStatus GRAPHC_GUARDED_BY(gMutex); ///< that is shown

size_t columns() {
  winsize size{};
  bool isKnown = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return isKnown && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

/// In one write, so that nothing flickers.
void write(std::FILE *file, const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

/// The last column stays free: many terminals go to the next line after it.
std::string drawn(const std::string &status) {
  return std::string(kClearLine) + status.substr(0, columns() - 1);
}

} // namespace

bool isTerminal() {
  const char *type = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && !(type && std::string_view(type) == "dumb");
}

void showStatus(const std::string &text) {
  runtime::MutexLock lock(gMutex);
  gStatus = text;
  write(stdout, drawn(gStatus));
}

void clearStatus() {
  runtime::MutexLock lock(gMutex);
  if (!gStatus.empty())
    write(stdout, std::string(kClearLine));
  gStatus.clear();
}

void printLine(std::FILE *file, const std::string &text) {
  runtime::MutexLock lock(gMutex);
  if (gStatus.empty())
    return write(file, text + "\n");
  write(stdout, std::string(kClearLine));
  write(file, text + "\n");
  write(stdout, drawn(gStatus));
}

} // namespace graphc::run::console
