// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/train/TrainStore.h"

#include "runtime/base/Clock.h"
#include "runtime/format/print/Print.h"

#include <utility>

namespace graphc::runtime {

StatusOr<std::shared_ptr<TrainStore>>
TrainStore::open(const std::string &path, TrainStoreOptions options) {
  GRAPHC_ASSIGN_OR_RETURN(TrainDirectory directory, TrainDirectory::open(path));
  return std::shared_ptr<TrainStore>(
      new TrainStore(std::move(directory), std::move(options)));
}

TrainStore::~TrainStore() { noteFailure(wait()); }

/// The writer may wait for tasks, with which only the session's thread talks.
Status TrainStore::wait() {
  if (captured)
    captured->help();
  Status status = writer.finish();
  captured.reset();
  return status;
}

void TrainStore::note(const std::string &text) const {
  if (options.note)
    options.note(text);
}

void TrainStore::noteFailure(const Status &status) const {
  if (!status.isOk())
    note("note: a checkpoint was not written: " + status.message() +
         "; the training goes on, those before it are whole");
}

bool TrainStore::exists() {
  noteFailure(wait());
  return !listCheckpoints(directory.path()).empty();
}

StatusOr<CheckpointStore::Texts> TrainStore::texts() {
  noteFailure(wait());
  GRAPHC_ASSIGN_OR_RETURN(SavedCheckpoint latest,
                          latestCheckpoint(directory.path(), options.note));
  GRAPHC_ASSIGN_OR_RETURN(CheckpointManifest manifest,
                          readManifest(latest.folder));
  if (manifest.seed != options.seed)
    note("note: '" + latest.folder +
         "' was written with --seed=" + std::to_string(manifest.seed) +
         "; with another one the random numbers from here on are others");
  return std::move(manifest.texts);
}

StatusOr<CheckpointStore::Texts> TrainStore::load(Session &session) {
  noteFailure(wait());
  Status lost;
  for (const SavedCheckpoint &checkpoint : listCheckpoints(directory.path())) {
    Texts texts;
    Status status = readManifest(checkpoint.folder).status();
    if (status.isOk())
      status = session.load(checkpoint.folder, &texts);
    if (status.isOk())
      return texts;
    if (status.code() != StatusCode::DataLoss &&
        status.code() != StatusCode::NotFound)
      return status;
    note("passes over '" + checkpoint.folder + "': " + status.message());
    lost = status;
  }
  return dataLoss("none of the checkpoints in '" + directory.path() +
                  "' can be read: " + lost.message());
}

Status TrainStore::write(Session &session, const std::string &graph,
                         uint64_t step, const Texts &texts) {
  // A capture may use the folder, and what the one before has still to do.
  noteFailure(wait());
  std::optional<PendingCheckpoint> pending;
  GRAPHC_ASSIGN_OR_RETURN(captured, capture(session, pending, step));
  CheckpointManifest manifest;
  manifest.graph = graph;
  manifest.step = step;
  manifest.plan = digestText(session.model().digest());
  manifest.seed = options.seed;
  manifest.texts = texts;
  if (options.metrics)
    manifest.metrics = options.metrics();
  last = directory.folderOf(step);
  int64_t begin = nowNanos();
  noteFailure(writer.start(
      [this, pending, shared = captured, manifest, begin]() -> Status {
        Status status = pending ? commitCaptured(*shared, *pending, manifest)
                                : writeCaptured(*shared, manifest);
        if (options.counts)
          options.counts->noteWrite(status.isOk(), nowNanos() - begin);
        return status;
      }));
  if (!pending)
    captured.reset(); // the writer's, to be free when it is written
  return Status::ok();
}

/// `pending`: where tasks write; nothing: they do not, and this process has the
/// values.
StatusOr<std::unique_ptr<StateCapture>>
TrainStore::capture(Session &session, std::optional<PendingCheckpoint> &pending,
                    uint64_t step) {
  if (!session.hasTasks())
    return session.capture();
  // If the folder cannot be made, writing it all tells why.
  StatusOr<PendingCheckpoint> begun = directory.begin(step);
  if (!begun.isOk())
    return session.capture();
  StatusOr<std::unique_ptr<StateCapture>> capture = session.captureTo(*begun);
  if (capture.isOk() && (*capture)->isOfShards()) {
    pending = std::move(*begun);
    isRefusalNoted = false;
    return capture;
  }
  directory.abandon(*begun);
  if (!capture.isOk())
    return capture;
  std::string refusal = (*capture)->whyNoShards();
  if (!refusal.empty() && !std::exchange(isRefusalNoted, true))
    note("note: tasks send their variables here, and do not write them to '" +
         directory.path() + "' by themselves: " + refusal);
  return capture;
}

Status TrainStore::commitCaptured(StateCapture &captured,
                                  const PendingCheckpoint &pending,
                                  const CheckpointManifest &manifest) {
  int64_t begin = nowNanos();
  StatusOr<const SessionState *> state = captured.await();
  Status status = state.status();
  if (status.isOk()) {
    CheckpointManifest whole = manifest;
    whole.texts.insert((*state)->texts.begin(), (*state)->texts.end());
    whole.shards = (*state)->shards;
    status =
        directory.commit(pending, whole, (*state)->shardBytes, options.keeps);
  } else {
    directory.abandon(pending);
  }
  if (options.onWritten)
    options.onWritten(begin, nowNanos());
  return status;
}

Status TrainStore::writeCaptured(StateCapture &captured,
                                 const CheckpointManifest &manifest) {
  GRAPHC_ASSIGN_OR_RETURN(const SessionState *state, captured.await());
  std::vector<OwnedTensor> tensors;
  for (size_t i = 0; i < state->values.size(); ++i)
    tensors.push_back({&state->values[i], state->owners[i]});
  CheckpointManifest whole = manifest;
  whole.texts.insert(state->texts.begin(), state->texts.end());
  // A thread cannot get its priority back, so the copy is made before.
  int64_t begin = nowNanos();
  Status written = doInSpareTime(
      [&] { return directory.write(tensors, whole, options.keeps); });
  if (options.onWritten)
    options.onWritten(begin, nowNanos());
  return written;
}

Status TrainStore::finish() { return wait(); }

Status TrainStore::markEnd(const std::string &reason) {
  GRAPHC_TRY(wait());
  return directory.markEnd(reason);
}

Status TrainStore::addMetrics(const std::map<std::string, double> &metrics) {
  GRAPHC_TRY(wait());
  return runtime::addMetrics(systemFiles(), last, metrics);
}

} // namespace graphc::runtime
