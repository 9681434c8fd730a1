// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/updates/UpdateSequencer.h"

#include <algorithm>

using namespace graphc::runtime;

namespace {

struct OpenRead {
  uint64_t step;
  uint64_t version;
};

/// A request that is not sequenced yet; `arrival` orders them.
struct Pending {
  uint64_t step;
  uint64_t arrival;
};

struct Worker {
  std::optional<Pending> read;
  std::optional<Pending> update; ///< only with `open`
  std::optional<OpenRead> open;
  uint64_t nextStep = 0; ///< steps before were sequenced as Update or Drop
  /// With a quorum: the version to which the last gradient was added.
  std::optional<uint64_t> contributed;
  std::vector<uint64_t> staleness;
};

} // namespace

struct UpdateSequencer::State {
  UpdateSequencerOptions options;
  std::vector<Worker> workers;
  uint64_t version = 0;
  uint64_t late = 0;
  uint64_t arrivals = 0;
  uint32_t gradients = 0; ///< added up for the next version

  std::optional<uint32_t> oldest() const;
  size_t openReads() const;
  bool mayRead(uint32_t worker) const;
  bool mayUpdate(uint32_t worker) const;
  void giveRead(uint32_t worker, std::vector<SequenceEntry> &entries);
  void giveUpdate(uint32_t worker, std::vector<SequenceEntry> &entries);
  bool giveNext(std::vector<SequenceEntry> &entries);
};

/// The worker that has read the oldest version and is to update.
std::optional<uint32_t> UpdateSequencer::State::oldest() const {
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < workers.size(); ++i)
    if (workers[i].open &&
        (!found || workers[i].open->version < workers[*found].open->version))
      found = i;
  return found;
}

size_t UpdateSequencer::State::openReads() const {
  return std::ranges::count_if(
      workers, [](const Worker &worker) { return worker.open.has_value(); });
}

bool UpdateSequencer::State::mayRead(uint32_t index) const {
  const Worker &worker = workers[index];
  if (worker.open)
    return false;
  // Where there are fewer workers than gradients are wanted, they give several.
  if (options.quorum > 0)
    return worker.contributed != version || workers.size() < options.quorum;
  // The new reader is the youngest: the condition of the others stays as it is.
  return !options.staleness || openReads() <= *options.staleness;
}

bool UpdateSequencer::State::mayUpdate(uint32_t index) const {
  if (options.quorum > 0 || !options.staleness)
    return true;
  std::vector<uint64_t> reads;
  for (uint32_t i = 0; i < workers.size(); ++i)
    if (i != index && workers[i].open)
      reads.push_back(workers[i].open->version);
  std::ranges::sort(reads);
  for (size_t i = 0; i < reads.size(); ++i)
    if (version + 1 - reads[i] + i > *options.staleness)
      return false;
  return true;
}

void UpdateSequencer::State::giveRead(uint32_t index,
                                      std::vector<SequenceEntry> &entries) {
  Worker &worker = workers[index];
  worker.open = OpenRead{worker.read->step, version};
  worker.read.reset();
  entries.push_back({SequenceOp::Read, index, worker.open->step, version});
}

void UpdateSequencer::State::giveUpdate(uint32_t index,
                                        std::vector<SequenceEntry> &entries) {
  Worker &worker = workers[index];
  uint64_t step = worker.open->step;
  uint64_t age = version - worker.open->version;
  worker.update.reset();
  worker.open.reset();
  worker.nextStep = step + 1;
  if (options.quorum > 0 && age > 0) {
    ++late;
    entries.push_back({SequenceOp::Drop, index, step, version});
    return;
  }
  if (worker.staleness.size() <= age)
    worker.staleness.resize(age + 1);
  ++worker.staleness[age];
  entries.push_back({SequenceOp::Update, index, step, version});
  if (options.quorum == 0) {
    ++version;
    return;
  }
  worker.contributed = version;
  if (++gradients < options.quorum)
    return;
  gradients = 0;
  entries.push_back({SequenceOp::Apply, 0, version + 1, version});
  ++version;
}

/// Issues the entry that was asked for first among those that can be issued.
bool UpdateSequencer::State::giveNext(std::vector<SequenceEntry> &entries) {
  std::optional<uint32_t> chosen;
  uint64_t arrival = UINT64_MAX;
  bool isRead = false;
  for (uint32_t i = 0; i < workers.size(); ++i) {
    const Worker &worker = workers[i];
    if (worker.update && worker.update->arrival < arrival && mayUpdate(i)) {
      chosen = i;
      arrival = worker.update->arrival;
      isRead = false;
    }
    if (worker.read && worker.read->arrival < arrival && mayRead(i)) {
      chosen = i;
      arrival = worker.read->arrival;
      isRead = true;
    }
  }
  if (!chosen)
    return false;
  if (isRead)
    giveRead(*chosen, entries);
  else
    giveUpdate(*chosen, entries);
  return true;
}

UpdateSequencer::UpdateSequencer(const UpdateSequencerOptions &options)
    : state(std::make_unique<State>()) {
  state->options = options;
  state->workers.resize(options.workers);
}

UpdateSequencer::UpdateSequencer(UpdateSequencer &&) noexcept = default;
UpdateSequencer &
UpdateSequencer::operator=(UpdateSequencer &&) noexcept = default;
UpdateSequencer::~UpdateSequencer() = default;

void UpdateSequencer::requestRead(uint32_t worker, uint64_t step) {
  if (worker >= state->workers.size())
    return;
  Worker &asker = state->workers[worker];
  if (asker.read || step < asker.nextStep ||
      (asker.open && step <= asker.open->step))
    return;
  asker.read = Pending{step, state->arrivals++};
}

void UpdateSequencer::requestUpdate(uint32_t worker, uint64_t step) {
  if (worker >= state->workers.size())
    return;
  Worker &asker = state->workers[worker];
  if (asker.update || !asker.open || asker.open->step != step)
    return;
  asker.update = Pending{step, state->arrivals++};
}

void UpdateSequencer::forget(uint32_t worker) {
  if (worker >= state->workers.size())
    return;
  Worker &gone = state->workers[worker];
  gone.read.reset();
  gone.update.reset();
  gone.open.reset();
}

std::vector<SequenceEntry> UpdateSequencer::take() {
  std::vector<SequenceEntry> entries;
  while (state->giveNext(entries)) {
  }
  return entries;
}

bool UpdateSequencer::canComplete(const std::vector<bool> &hasEnded) const {
  uint32_t quorum = state->options.quorum;
  const std::vector<Worker> &workers = state->workers;
  if (quorum == 0 || workers.size() < quorum)
    return true;
  size_t possible = state->gradients;
  for (size_t i = 0; i < workers.size(); ++i)
    possible += !(i < hasEnded.size() && hasEnded[i]) &&
                workers[i].contributed != state->version;
  return possible >= quorum;
}

bool UpdateSequencer::waitsForQuorum(uint32_t worker) const {
  return state->options.quorum > 0 && worker < state->workers.size() &&
         state->workers[worker].read && !state->workers[worker].open &&
         !state->mayRead(worker);
}

uint64_t UpdateSequencer::version() const { return state->version; }

uint64_t UpdateSequencer::lateGradients() const { return state->late; }

uint64_t UpdateSequencer::nextStep(uint32_t worker) const {
  return worker < state->workers.size() ? state->workers[worker].nextStep : 0;
}

const std::vector<uint64_t> &UpdateSequencer::staleness(uint32_t worker) const {
  static const std::vector<uint64_t> none;
  return worker < state->workers.size() ? state->workers[worker].staleness
                                        : none;
}

std::string UpdateSequencer::waitsFor(uint32_t worker) const {
  if (worker >= state->workers.size())
    return {};
  const Worker &asker = state->workers[worker];
  bool isRead = asker.read && !asker.open && !state->mayRead(worker);
  bool isUpdate = asker.update && !state->mayUpdate(worker);
  if (!isRead && !isUpdate)
    return {};
  if (uint32_t quorum = state->options.quorum)
    return "the update of version " + std::to_string(state->version) + " has " +
           std::to_string(state->gradients) + " of " + std::to_string(quorum) +
           " gradients";
  uint32_t oldest = *state->oldest();
  uint64_t age = state->version - state->workers[oldest].open->version;
  return "worker " + std::to_string(oldest) + ", whose values are " +
         std::to_string(age) + (age == 1 ? " update" : " updates") +
         " old, must update first";
}
