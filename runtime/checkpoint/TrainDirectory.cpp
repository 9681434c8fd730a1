// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/TrainDirectory.h"

#include "runtime/checkpoint/ShardFile.h"
#include "runtime/data/File.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace graphc::runtime {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::string_view kOld = ".old";
constexpr std::string_view kTemporary = ".tmp";
constexpr const char *kMetricsName = "evaluation.json";
constexpr const char *kEndName = "/ended";

/// The step of "checkpoint-1000"; nothing: another name.
std::optional<uint64_t> stepOfName(std::string_view name) {
  if (!name.starts_with(kPrefix))
    return std::nullopt;
  name.remove_prefix(kPrefix.size());
  uint64_t step = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || name.empty())
    return std::nullopt;
  return step;
}

/// True for the name of a PendingCheckpoint's folder.
bool isPending(std::string_view name) {
  if (!name.ends_with(kTemporary))
    return false;
  name.remove_suffix(kTemporary.size());
  size_t dot = name.rfind('.');
  return dot != std::string_view::npos && stepOfName(name.substr(0, dot)) &&
         name.substr(dot) != kOld;
}

std::string drawToken() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) {
    char part[9];
    std::snprintf(part, sizeof(part), "%08x", random());
    token += part;
  }
  return token;
}

std::vector<std::string> namesIn(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error))
    names.push_back(it->path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

bool endsWith(std::string_view &name, std::string_view end) {
  if (!name.ends_with(end))
    return false;
  name.remove_suffix(end.size());
  return true;
}

} // namespace

std::vector<SavedCheckpoint> listCheckpoints(const std::string &directory) {
  std::map<uint64_t, std::string, std::greater<>> folders;
  for (const std::string &name : namesIn(directory)) {
    std::string_view plain = name;
    bool isOld = endsWith(plain, kOld);
    std::optional<uint64_t> step = stepOfName(plain);
    if (step && (!isOld || !folders.count(*step)))
      folders[*step] = directory + "/" + name; // the plain name sorts first
  }
  std::vector<SavedCheckpoint> checkpoints;
  for (auto &[step, folder] : folders)
    checkpoints.push_back({step, std::move(folder)});
  return checkpoints;
}

StatusOr<SavedCheckpoint>
latestCheckpoint(const std::string &directory,
                 const std::function<void(const std::string &)> &note) {
  std::vector<SavedCheckpoint> all = listCheckpoints(directory);
  if (all.empty())
    return notFound("'" + directory + "' has no checkpoint");
  for (SavedCheckpoint &checkpoint : all) {
    Status status = readManifest(checkpoint.folder).status();
    if (status.isOk())
      status = openCheckpoint(checkpoint.folder).status();
    if (status.isOk())
      return std::move(checkpoint);
    if (note)
      note("passes over '" + checkpoint.folder + "': " + status.message());
  }
  return dataLoss("none of the " + std::to_string(all.size()) +
                  " checkpoints in '" + directory +
                  "' can be read; bring back one of them from a copy, or name "
                  "another directory to begin anew");
}

std::map<std::string, double> metricsOf(const std::string &folder) {
  std::map<std::string, double> metrics;
  if (StatusOr<CheckpointManifest> manifest = readManifest(folder);
      manifest.isOk())
    metrics = manifest->metrics;
  StatusOr<std::vector<std::byte>> bytes =
      readFileBytes(folder + "/" + kMetricsName);
  if (!bytes.isOk())
    return metrics;
  const char *text = reinterpret_cast<const char *>(bytes->data());
  Json json = Json::parse(text, text + bytes->size(), nullptr,
                          /*allow_exceptions=*/false);
  if (json.is_object())
    for (const auto &[name, value] : json.items())
      if (value.is_number())
        metrics[name] = value.get<double>();
  return metrics;
}

Status addMetrics(FileLayer &files, const std::string &folder,
                  const std::map<std::string, double> &metrics) {
  Json json = Json::object();
  for (const auto &[name, value] : metrics)
    if (std::isfinite(value))
      json[name] = value;
  return replaceText(files, folder + "/" + kMetricsName,
                     json.dump(1, ' ', false, Json::error_handler_t::replace) +
                         "\n");
}

namespace {

struct Rated {
  SavedCheckpoint checkpoint;
  double value;
};

/// Those that have the metric, the best first.
std::vector<Rated> rate(const std::vector<SavedCheckpoint> &checkpoints,
                        const std::string &metric, bool isLargerBetter) {
  std::vector<Rated> rated;
  for (const SavedCheckpoint &checkpoint : checkpoints) {
    std::map<std::string, double> metrics = metricsOf(checkpoint.folder);
    auto found = metrics.find(metric);
    if (found != metrics.end() && std::isfinite(found->second))
      rated.push_back({checkpoint, found->second});
  }
  std::sort(rated.begin(), rated.end(), [&](const Rated &a, const Rated &b) {
    if (a.value != b.value)
      return isLargerBetter ? a.value > b.value : a.value < b.value;
    return a.checkpoint.step < b.checkpoint.step;
  });
  return rated;
}

} // namespace

std::optional<SavedCheckpoint>
bestCheckpoint(const std::vector<SavedCheckpoint> &checkpoints,
               const std::string &metric, bool isLargerBetter) {
  std::vector<Rated> rated = rate(checkpoints, metric, isLargerBetter);
  return rated.empty() ? std::nullopt
                       : std::optional(std::move(rated[0].checkpoint));
}

std::vector<SavedCheckpoint>
superfluousCheckpoints(const std::string &directory,
                       const RetentionPolicy &policy) {
  std::vector<SavedCheckpoint> all = listCheckpoints(directory), gone;
  if (policy.last <= 0)
    return gone;
  std::set<uint64_t> kept;
  for (size_t i = 0; i < std::min(all.size(), static_cast<size_t>(policy.last));
       ++i)
    kept.insert(all[i].step);
  if (policy.best > 0) {
    std::vector<Rated> rated = rate(all, policy.metric, policy.isLargerBetter);
    for (size_t i = 0;
         i < std::min(rated.size(), static_cast<size_t>(policy.best)); ++i)
      kept.insert(rated[i].checkpoint.step);
  }
  for (auto it = all.rbegin(); it != all.rend(); ++it)
    if (!kept.count(it->step))
      gone.push_back(*it);
  return gone;
}

Status removeCheckpoint(FileLayer &files, const SavedCheckpoint &checkpoint) {
  std::string temporary = checkpoint.folder + std::string(kTemporary);
  GRAPHC_TRY(files.removeTree(temporary));
  GRAPHC_TRY(files.rename(checkpoint.folder, temporary));
  return files.removeTree(temporary);
}

StatusOr<TrainDirectory> TrainDirectory::open(const std::string &path,
                                              FileLayer &files) {
  GRAPHC_TRY(files.makeDirectory(path));
  std::string name = path + "/lock";
  int lock = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0)
    return permissionDenied("cannot write '" + name +
                            "': " + std::generic_category().message(errno) +
                            "; name a directory with --train-dir that this "
                            "user may write to");
  TrainDirectory directory(path, files, lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return failedPrecondition("another process trains in '" + path +
                              "'; wait for it, stop it (touch " + path +
                              "/STOP), or name another --train-dir");
  GRAPHC_TRY(directory.clearAway());
  return directory;
}

TrainDirectory::TrainDirectory(TrainDirectory &&other) noexcept
    : directory(std::move(other.directory)), files(other.files),
      lock(std::exchange(other.lock, -1)) {}

TrainDirectory &TrainDirectory::operator=(TrainDirectory &&other) noexcept {
  std::swap(directory, other.directory);
  std::swap(files, other.files);
  std::swap(lock, other.lock);
  return *this;
}

TrainDirectory::~TrainDirectory() {
  if (lock >= 0)
    ::close(lock);
}

std::string TrainDirectory::folderOf(uint64_t step) const {
  return directory + "/" + std::string(kPrefix) + std::to_string(step);
}

std::optional<std::string> endOfTraining(const std::string &directory) {
  StatusOr<std::vector<std::byte>> bytes = readFileBytes(directory + kEndName);
  if (!bytes.isOk())
    return std::nullopt;
  std::string reason(reinterpret_cast<const char *>(bytes->data()),
                     bytes->size());
  return reason.substr(0, reason.find('\n'));
}

Status TrainDirectory::markEnd(const std::string &reason) {
  return replaceText(*files, directory + kEndName, reason + "\n");
}

Status TrainDirectory::clearAway() {
  GRAPHC_TRY(files->removeTree(directory + kEndName));
  clearPending();
  for (const std::string &name : namesIn(directory)) {
    std::string_view plain = name;
    std::string path = directory + "/" + name;
    if (endsWith(plain, kTemporary)) {
      endsWith(plain, kOld);
      if (stepOfName(plain))
        GRAPHC_TRY(files->removeTree(path));
    } else if (endsWith(plain, kOld) && stepOfName(plain)) {
      std::string whole = directory + "/" + std::string(plain);
      std::error_code error;
      GRAPHC_TRY(fs::exists(whole, error) ? files->removeTree(path)
                                          : files->rename(path, whole));
    }
  }
  return Status::ok();
}

Status TrainDirectory::write(std::span<const OwnedTensor> tensors,
                             CheckpointManifest manifest,
                             const RetentionPolicy &policy) {
  GRAPHC_TRY(writeCheckpoint(*files, folderOf(manifest.step), tensors,
                             std::move(manifest)));
  removeSuperfluous(policy);
  return Status::ok();
}

void TrainDirectory::removeSuperfluous(const RetentionPolicy &policy) {
  for (const SavedCheckpoint &gone : superfluousCheckpoints(directory, policy))
    (void)removeCheckpoint(*files, gone); // one that stays does no harm
}

/// A process that does not know yet that its checkpoint was given up may still
/// write there, which can keep a folder from going; it has a name that no other
/// checkpoint will have.
void TrainDirectory::clearPending() {
  for (const std::string &name : namesIn(directory))
    if (isPending(name))
      (void)files->removeTree(directory + "/" + name);
}

StatusOr<PendingCheckpoint> TrainDirectory::begin(uint64_t step) {
  clearPending();
  PendingCheckpoint pending{step, {}, drawToken()};
  std::error_code error;
  fs::path whole = fs::absolute(folderOf(step), error).lexically_normal();
  if (error)
    return notFound("cannot tell where '" + directory +
                    "' is: " + error.message() + "; name it by its whole path");
  pending.folder = whole.string() + "." + pending.token.substr(0, 16) +
                   std::string(kTemporary);
  GRAPHC_TRY(files->makeDirectory(pending.folder));
  Status status = [&]() -> Status {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file,
                            files->create(pending.folder + "/" + kProbeName));
    return file->write(std::as_bytes(std::span(pending.token)));
  }();
  if (!status.isOk()) {
    abandon(pending);
    return status;
  }
  return pending;
}

Status TrainDirectory::commit(const PendingCheckpoint &pending,
                              const CheckpointManifest &manifest,
                              uint64_t tensorBytes,
                              const RetentionPolicy &policy) {
  Status status = files->removeTree(pending.folder + "/" + kProbeName);
  if (status.isOk())
    status = publishCheckpoint(*files, pending.folder, folderOf(pending.step),
                               manifest, tensorBytes);
  if (!status.isOk()) {
    abandon(pending);
    return status;
  }
  removeSuperfluous(policy);
  return Status::ok();
}

void TrainDirectory::abandon(const PendingCheckpoint &pending) {
  (void)files->removeTree(pending.folder);
}

} // namespace graphc::runtime
