// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks programs, a process for each, so that a crash is a result:
//
//   check-programs FILE...      # or, without files, paths on stdin
//   check-programs --cpu-target=reference FILE...   # compiled by that, too
//   check-programs --opt-level=0 FILE...            # with little of LLVM
//
// prints a line per program: FILE, then `ok CHECKED UNDECIDED`, or what is
// wrong. What the program printed is in FILE.log.
#include "test/random/Check.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

/// More is a hang: of the processor's time, and, for what waits, of time on a
/// machine that does other things, too.
constexpr rlim_t kCpuSeconds = 200;
constexpr unsigned kSeconds = 600;
/// Address space of one check.
constexpr rlim_t kMemory = rlim_t(8) << 30;

/// The ways in which a program is compiled, one after the other.
using Ways = std::vector<graphc::random::CpuCode>;

/// The first fault of the program, whatever the way.
std::string checkWays(const std::string &text, const std::string &folder,
                      const Ways &ways, graphc::random::Counts &counts) {
  for (const graphc::random::CpuCode &way : ways) {
    std::string fault = graphc::random::checkProgram(text, folder, way, counts);
    if (!fault.empty())
      return &way == &ways.front() ? fault
                                   : "by target " + way.target + ": " + fault;
  }
  return "";
}

/// In the child: writes the result to `out`.
int checkFile(const std::string &path, const Ways &ways, int out) {
  alarm(kSeconds);
  rlimit memory = {kMemory, kMemory},
         processor = {kCpuSeconds, kCpuSeconds + 1};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CPU, &processor);
  int log = open((path + ".log").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  dup2(log, 1);
  dup2(log, 2);
  auto file = llvm::MemoryBuffer::getFile(path);
  std::string folder = path + ".data";
  (void)llvm::sys::fs::create_directories(folder);
  graphc::random::Counts counts;
  std::string fault =
      file ? checkWays((*file)->getBuffer().str(), folder, ways, counts)
           : "cannot be read";
  (void)llvm::sys::fs::remove_directories(folder);
  std::string result = fault.empty()
                           ? "ok " + std::to_string(counts.checked) + " " +
                                 std::to_string(counts.undecided)
                           : fault;
  (void)!write(out, result.data(), result.size());
  return fault.empty() ? 0 : 1;
}

std::string readAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  return text;
}

bool check(const std::string &path, const Ways &ways) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  std::cout.flush();
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    int code = checkFile(path, ways, ends[1]);
    _exit(code);
  }
  close(ends[1]);
  std::string result = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    result = WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU
                 ? "hangs"
                 : std::string("crash: ") + strsignal(WTERMSIG(status));
  if (result.empty())
    result =
        "ended without a result, code " + std::to_string(WEXITSTATUS(status));
  std::cout << path << " " << result << std::endl;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

int main(int argc, char **argv) {
  bool isGood = true;
  Ways ways(1);
  int first = 1;
  for (; first < argc; ++first) {
    llvm::StringRef option = argv[first];
    if (option.consume_front("--cpu-target=")) {
      ways.push_back({option.str(), ways.front().optLevel});
    } else if (option.consume_front("--opt-level=")) {
      auto level = graphc::parseChoice<graphc::OptLevel>(option);
      if (!level) {
        std::cerr << "--opt-level: expected "
                  << llvm::join(graphc::choiceNames<graphc::OptLevel>(), " or ")
                  << "\n";
        return 2;
      }
      for (graphc::random::CpuCode &way : ways)
        way.optLevel = *level;
    } else {
      break;
    }
  }
  for (int i = first; i < argc; ++i)
    isGood &= check(argv[i], ways);
  if (argc == first)
    for (std::string path; std::getline(std::cin, path);)
      isGood &= check(path, ways);
  return isGood ? 0 : 1;
}
