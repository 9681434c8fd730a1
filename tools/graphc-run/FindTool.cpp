// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/FindTool.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace graphc::run {

using namespace runtime;

StatusOr<std::string> findTool(const std::string &name, const std::string &why,
                               const std::string &cure) {
  std::error_code error;
  std::filesystem::path own =
      std::filesystem::read_symlink("/proc/self/exe", error);
  std::string folders = own.parent_path().string();
  if (const char *path = std::getenv("PATH"))
    folders += std::string(":") + path;
  for (size_t begin = 0; begin <= folders.size();) {
    size_t end = std::min(folders.find(':', begin), folders.size());
    std::string file = folders.substr(begin, end - begin) + "/" + name;
    if (access(file.c_str(), X_OK) == 0)
      return file;
    begin = end + 1;
  }
  return notFound(why + " " + name +
                  ", which is neither beside graphc-run nor on the PATH; " +
                  cure);
}

StatusOr<int> runTool(const std::string &path,
                      const std::vector<std::string> &arguments) {
  std::vector<char *> argv{const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (int error = posix_spawn(&child, path.c_str(), nullptr, nullptr,
                              argv.data(), environ))
    return internalError("cannot start '" + path +
                         "': " + std::strerror(error));
  int state = 0;
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR)
      return internalError("cannot wait for '" + path +
                           "': " + std::strerror(errno));
  if (WIFSIGNALED(state))
    return internalError("'" + path + "' was killed by signal " +
                         std::to_string(WTERMSIG(state)) + " (" +
                         strsignal(WTERMSIG(state)) + ")");
  return WEXITSTATUS(state);
}

} // namespace graphc::run
