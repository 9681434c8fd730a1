// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/TaskProcesses.h"

#include "runtime/base/Clock.h"
#include "runtime/base/host/Cores.h"
#include "runtime/transport/LocalCluster.h"
#include "tools/graphc-run/FindTool.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphc::run {

using namespace runtime;
namespace fs = std::filesystem;

namespace {

// What servers have for a clean end before they are killed.
constexpr int64_t kEndNanos = 3'000'000'000;
// How long the end of a process may take to be heard of after its effects.
constexpr int64_t kDeathNanos = 300'000'000;
// How often dead processes are looked for.
constexpr auto kLookTime = std::chrono::milliseconds(50);
constexpr const char *kFolderPrefix = "graphc-";
constexpr const char *kLockName = "/lock";
constexpr size_t kLastLines = 5;

std::string endText(int state) {
  if (WIFSIGNALED(state))
    return std::string("was killed by signal ") +
           std::to_string(WTERMSIG(state)) + " (" + strsignal(WTERMSIG(state)) +
           ")";
  return "ended with exit code " + std::to_string(WEXITSTATUS(state));
}

/// In the new process, before it becomes a server: only async-signal-safe
/// calls.
[[noreturn]] void becomeServer(pid_t parent, int log, char *const *arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127); // the parent died before the line above
  // A terminal's Ctrl-C is for graphc-run, which ends the run and the servers.
  setpgid(0, 0);
  int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

/// Locks the folder until this process ends; -1: another one has it.
int lockFolder(const std::string &folder, int flags) {
  int file =
      open((folder + kLockName).c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
    return file;
  if (file >= 0)
    close(file);
  return -1;
}

/// Removes what processes left that were killed. A folder without a lock is
/// being made, or somebody else's.
void removeStaleFolders(const fs::path &temporary) {
  std::error_code error;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(temporary, error)) {
    std::string name = entry.path().filename().string();
    struct stat status{};
    bool isOurs = name.starts_with(kFolderPrefix) &&
                  lstat(entry.path().c_str(), &status) == 0 &&
                  S_ISDIR(status.st_mode) && status.st_uid == getuid();
    if (!isOurs)
      continue;
    int lock = lockFolder(entry.path().string(), 0);
    if (lock < 0)
      continue;
    fs::remove_all(entry.path(), error);
    close(lock);
  }
}

} // namespace

Status TaskProcesses::makeFolder(const ProcessOptions &options) {
  std::error_code error;
  std::string form =
      (fs::temp_directory_path(error) / (std::string(kFolderPrefix) + "XXXXXX"))
          .string();
  if (error || !mkdtemp(form.data()))
    return permissionDenied("cannot make a folder for the sockets of --spawn "
                            "in the temporary folder: " +
                            std::string(std::strerror(errno)) +
                            "; set TMPDIR to one that is yours");
  folder = form;
  lock = lockFolder(folder, O_CREAT);
  removeStaleFolders(fs::path(folder).parent_path());
  bool isText = options.tasks.find_first_of("{/") != std::string::npos ||
                options.tasks.find(':') == std::string::npos;
  if (isText) {
    GRAPHC_ASSIGN_OR_RETURN(spec, ClusterSpec::read(options.tasks));
    return Status::ok();
  }
  GRAPHC_ASSIGN_OR_RETURN(ClusterSpec counts, parseTaskCounts(options.tasks));
  std::vector<ClusterTask> tasks = counts.tasks();
  for (ClusterTask &task : tasks)
    task.address =
        "unix:" + folder + "/" + task.job + "-" + std::to_string(task.index);
  GRAPHC_ASSIGN_OR_RETURN(spec, ClusterSpec::make(std::move(tasks)));
  return Status::ok();
}

StatusOr<std::unique_ptr<TaskProcesses>>
TaskProcesses::start(const ProcessOptions &options) {
  std::unique_ptr<TaskProcesses> all(new TaskProcesses());
  GRAPHC_ASSIGN_OR_RETURN(all->server,
                          findTool("graphc-server", "--spawn needs",
                                   "build it or name running "
                                   "tasks by --target"));
  GRAPHC_TRY(all->makeFolder(options));
  size_t tasks = all->spec.size();
  unsigned cores = usableCores();
  size_t threads =
      options.threads > 0
          ? static_cast<size_t>(options.threads)
          : std::max<size_t>(1, cores / std::max<size_t>(1, tasks));
  all->flags.push_back("--cluster=" + all->spec.json());
  all->flags.push_back("--threads=" + std::to_string(threads));
  if (!options.route.empty())
    all->flags.push_back("--route=" + options.route);
  if (!options.tlsDir.empty())
    all->flags.push_back("--tls-dir=" + options.tlsDir);
  if (options.virtualGpus)
    all->flags.push_back("--virtual-gpus");
  if (options.shareGpus)
    all->flags.push_back("--gpus-share");
  all->keepsAlive = options.keepsAlive;
  MutexLock guard(all->mutex);
  all->processes.resize(tasks);
  all->ends.resize(tasks);
  all->thread =
      std::thread([processes = all.get()] { processes->supervise(); });
  while (!all->isStarted)
    all->changed.wait(guard.native());
  GRAPHC_TRY(all->launched);
  guard.unlock();
  return all;
}

/// The thread that the processes live with.
void TaskProcesses::supervise() {
  MutexLock guard(mutex);
  launched = launchAll();
  isStarted = true;
  changed.notify_all();
  while (!isOver) {
    changed.wait_for(guard.native(), kLookTime);
    if (isEnding || !keepsAlive || !launched.isOk())
      continue;
    reap();
    launched = launchAll();
  }
}

/// Those that are not there.
Status TaskProcesses::launchAll() {
  for (size_t task = 0; task < processes.size(); ++task) {
    if (processes[task] != 0)
      continue;
    GRAPHC_TRY(launch(task));
    ends[task].clear();
  }
  return Status::ok();
}

bool TaskProcesses::isStopped(size_t task) const {
  std::ifstream file("/proc/" + std::to_string(processes[task]) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  size_t name = text.rfind(')'); // may hold anything
  return name != std::string::npos && name + 2 < text.size() &&
         (text[name + 2] == 'T' || text[name + 2] == 't');
}

Status TaskProcesses::launch(size_t task) {
  const ClusterTask &place = spec.task(static_cast<TaskId>(task));
  std::string name = place.job + "-" + std::to_string(place.index);
  std::string logName = folder + "/" + name + ".log";
  int log =
      open(logName.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (log < 0)
    return permissionDenied("cannot write '" + logName +
                            "': " + std::strerror(errno));
  std::vector<std::string> texts = {server};
  texts.insert(texts.end(), flags.begin(), flags.end());
  texts.push_back("--job=" + place.job);
  texts.push_back("--task=" + std::to_string(place.index));
  std::vector<char *> arguments;
  for (std::string &text : texts)
    arguments.push_back(text.data());
  arguments.push_back(nullptr);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0)
    becomeServer(parent, log, arguments.data());
  int error = errno;
  close(log);
  if (child < 0)
    return resourceExhausted("cannot start a process for " + place.name() +
                             ": " + std::strerror(error));
  processes[task] = child;
  return Status::ok();
}

std::string TaskProcesses::lastLines(size_t task) const {
  const ClusterTask &place = spec.task(static_cast<TaskId>(task));
  std::ifstream log(folder + "/" + place.job + "-" +
                    std::to_string(place.index) + ".log");
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) {
    lines.push_back("\n  " + line);
    if (lines.size() > kLastLines)
      lines.erase(lines.begin());
  }
  std::string text;
  for (const std::string &line : lines)
    text += line;
  return text;
}

/// Notes which processes have died.
void TaskProcesses::reap() {
  for (size_t task = 0; task < processes.size(); ++task) {
    int state = 0;
    if (processes[task] <= 0 ||
        waitpid(processes[task], &state, WNOHANG) != processes[task])
      continue;
    processes[task] = 0;
    ends[task] = "the server of " +
                 spec.task(static_cast<TaskId>(task)).name() + " " +
                 endText(state);
  }
}

std::string TaskProcesses::describeEnds() {
  MutexLock guard(mutex);
  reap();
  std::string text;
  for (size_t task = 0; task < processes.size(); ++task)
    if (!ends[task].empty())
      text += (text.empty() ? "" : "\n") + ends[task] + lastLines(task);
  return text;
}

std::string TaskProcesses::deaths() {
  // A process that is killed closes its files, which other tasks see, before
  // its parent can hear of its end.
  int64_t end = nowNanos() + kDeathNanos;
  std::string text = describeEnds();
  while (text.empty() && nowNanos() < end) {
    usleep(5'000);
    text = describeEnds();
  }
  return text;
}

size_t TaskProcesses::killStopped() {
  MutexLock guard(mutex);
  size_t killed = 0;
  for (size_t task = 0; task < processes.size(); ++task)
    killed += processes[task] > 0 && isStopped(task) &&
              kill(processes[task], SIGKILL) == 0;
  return killed;
}

TaskProcesses::~TaskProcesses() {
  {
    MutexLock guard(mutex);
    isEnding = true;
    reap();
    for (pid_t process : processes)
      if (process > 0) {
        kill(process, SIGTERM);
        kill(process, SIGCONT); // a stopped one hears it only then
      }
  }
  int64_t end = nowNanos() + kEndNanos;
  bool isWaiting = true;
  while (isWaiting) {
    isWaiting = false;
    for (pid_t &process : processes) {
      if (process <= 0)
        continue;
      if (nowNanos() >= end)
        kill(process, SIGKILL);
      if (waitpid(process, nullptr, nowNanos() >= end ? 0 : WNOHANG) != 0)
        process = 0;
      isWaiting |= process > 0;
    }
    if (isWaiting)
      usleep(5'000);
  }
  {
    MutexLock guard(mutex);
    isOver = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
  std::error_code error;
  if (!folder.empty())
    fs::remove_all(folder, error);
  if (lock >= 0)
    close(lock);
}

} // namespace graphc::run
