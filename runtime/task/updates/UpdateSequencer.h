// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders the reads and updates of workers, whose variables lie on several
// tasks.
#ifndef GRAPHC_RUNTIME_TASK_UPDATES_UPDATESEQUENCER_H
#define GRAPHC_RUNTIME_TASK_UPDATES_UPDATESEQUENCER_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Operation of an entry in the sequence.
enum class SequenceOp : uint32_t {
  Read = 0,   ///< the worker's step begins: its values are sent now
  Update = 1, ///< the worker's step updates the variables now
  Drop = 2,   ///< the worker's gradients are late: its step ends without update
  Apply = 3,  ///< the quorum is reached: the mean is applied
  Fence = 4   ///< variables are copied for a client that saves them
};

/// Every task that has variables carries out entries in the order in which they
/// were given, so all see the same sequence of reads and updates.
struct SequenceEntry {
  SequenceOp kind = SequenceOp::Read;
  uint32_t worker = 0;
  uint64_t step = 0;    ///< of the worker; Apply: the version that it makes
  uint64_t version = 0; ///< updates before this entry
};

struct UpdateSequencerOptions {
  uint32_t workers = 1;
  /// The most updates of others between a worker's read and its update.
  std::optional<uint32_t> staleness = std::nullopt;
  /// Gradients that make an update together; 0: each is one (asynchronous).
  uint32_t quorum = 0;
};

/// Decides at one task, the coordinator, for all. An event machine without a
/// clock.
///
/// Asynchronous: each worker's step is one update. With a bound on staleness n:
/// let r_0 <= r_1 <= ... be the versions that the workers between read and
/// update have read, and v the version; an entry is issued only if v - r_i + i
/// <= n for all i afterwards, so that the oldest may always go on and no update
/// is ever staler than n. Quorum k: gradients computed from the current version
/// are added up; the k-th makes an Apply entry, after which gradients of the
/// old version are dropped and counted, and workers that have contributed may
/// read again. Each (step, worker) is sequenced once; a repeated request is
/// ignored. Thread-safety: one call at a time.
class UpdateSequencer {
public:
  explicit UpdateSequencer(const UpdateSequencerOptions &options);
  UpdateSequencer(UpdateSequencer &&) noexcept;
  UpdateSequencer &operator=(UpdateSequencer &&) noexcept;
  ~UpdateSequencer();

  /// The worker is about to begin a step; or has all its gradients in place.
  void requestRead(uint32_t worker, uint64_t step);
  void requestUpdate(uint32_t worker, uint64_t step);
  /// The worker is gone or its run has ended: what it asked for and did not
  /// get, and its open read, are forgotten, so it may ask for that step again;
  /// a gradient that was added already stays.
  void forget(uint32_t worker);

  /// The entries that can be issued now, in order; each is returned once.
  std::vector<SequenceEntry> take();

  /// With a quorum: whether workers that have not `hasEnded` can still make the
  /// next update.
  bool canComplete(const std::vector<bool> &hasEnded) const;
  /// With a quorum: the worker has given its gradient and asks for the next
  /// version.
  bool waitsForQuorum(uint32_t worker) const;

  uint64_t version() const;
  uint64_t lateGradients() const;
  /// The first step of the worker that was neither updated nor dropped; it may
  /// not ask for earlier ones.
  uint64_t nextStep(uint32_t worker) const;
  /// Updates by staleness, of a worker.
  const std::vector<uint64_t> &staleness(uint32_t worker) const;
  /// Reason why the worker is not next, human-readable: "worker 2, whose values
  /// are 4 updates old, must update first". Empty: it waits for none.
  std::string waitsFor(uint32_t worker) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
