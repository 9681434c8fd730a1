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

TrainStore::~TrainStore() { noteFailure(writer.finish()); }

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
  noteFailure(writer.finish());
  return !listCheckpoints(directory.path()).empty();
}

StatusOr<CheckpointStore::Texts> TrainStore::texts() {
  noteFailure(writer.finish());
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
  noteFailure(writer.finish());
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
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<StateCapture> captured,
                          session.capture());
  CheckpointManifest manifest;
  manifest.graph = graph;
  manifest.step = step;
  manifest.plan = digestText(session.model().digest());
  manifest.seed = options.seed;
  manifest.texts = texts;
  if (options.metrics)
    manifest.metrics = options.metrics();
  last = directory.folderOf(step);
  std::shared_ptr<StateCapture> shared = std::move(captured);
  int64_t begin = nowNanos();
  noteFailure(writer.start([this, shared, manifest, begin]() -> Status {
    Status status = writeCaptured(*shared, manifest);
    if (options.counts)
      options.counts->noteWrite(status.isOk(), nowNanos() - begin);
    return status;
  }));
  return Status::ok();
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

Status TrainStore::finish() { return writer.finish(); }

Status TrainStore::markEnd(const std::string &reason) {
  GRAPHC_TRY(writer.finish());
  return directory.markEnd(reason);
}

Status TrainStore::addMetrics(const std::map<std::string, double> &metrics) {
  GRAPHC_TRY(writer.finish());
  return runtime::addMetrics(systemFiles(), last, metrics);
}

} // namespace graphc::runtime
