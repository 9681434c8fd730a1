// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profile/DeviceBalance.h"

#include <algorithm>
#include <map>

namespace graphc::runtime {

namespace {

/// Adds up the times of one program.
class ProgramClock {
public:
  ProgramClock(const StepDependences &step, uint32_t program)
      : step(step), program(program), waitingFor(step.programCount()) {}

  void add(const StepRecord &record) {
    int64_t free = record.beginNanos; // when the instruction before has ended
    for (uint32_t i = step.firstOf(program); i < step.endOf(program); ++i) {
      if (!record.has(i))
        continue;
      int64_t begin = std::max(free, record.begins[i]);
      int64_t end = std::max(begin, record.ends[i]);
      int64_t arrived = addWaiting(record, i, free, end);
      begin = std::max(begin, arrived);
      time.ready += static_cast<double>(begin - arrived);
      time.busy += static_cast<double>(end - begin);
      free = end;
    }
    time.done += static_cast<double>(record.endNanos - free);
  }

  ProgramTime take(double steps) {
    auto most = std::ranges::max_element(waitingFor);
    time.waitsFor = static_cast<uint32_t>(most - waitingFor.begin());
    time.waitingForIt = *most / steps;
    for (double *each : {&time.busy, &time.waiting, &time.ready, &time.done})
      *each /= steps;
    return time;
  }

private:
  /// When the last of what the instruction waits for was there, `free` if that
  /// was before, and `end` at the latest.
  int64_t addWaiting(const StepRecord &record, uint32_t index, int64_t free,
                     int64_t end) {
    int64_t arrived = free;
    uint32_t from = program;
    for (uint32_t other : step.othersBefore(index))
      if (record.ends[other] > arrived) {
        arrived = std::min(record.ends[other], end);
        from = step.programOf(other);
      }
    auto nanos = static_cast<double>(arrived - free);
    time.waiting += nanos;
    waitingFor[from] += nanos;
    return arrived;
  }

  const StepDependences &step;
  const uint32_t program;
  ProgramTime time;
  std::vector<double> waitingFor; ///< by program
};

constexpr uint32_t kNoPeer = 0xffffffff;

/// The peer of each instruction, by index; gives the balance its names.
std::vector<uint32_t> findPeers(std::span<const std::string> names,
                                PeerBalance &balance) {
  std::map<std::string, uint32_t> numbers;
  for (const std::string &name : names)
    if (!name.empty())
      numbers.try_emplace(name);
  for (auto &[name, number] : numbers) {
    number = static_cast<uint32_t>(balance.peers.size());
    balance.peers.push_back({.name = name});
  }
  std::vector<uint32_t> peers;
  peers.reserve(names.size());
  for (const std::string &name : names)
    peers.push_back(name.empty() ? kNoPeer : numbers[name]);
  return peers;
}

/// Adds a step; the ratio of the longest busy time to the mean one.
double addRecord(const StepRecord &record, std::span<const uint32_t> peerOf,
                 PeerBalance &balance) {
  std::vector<int64_t> busy(balance.peers.size()), ends(balance.peers.size());
  for (uint32_t i = 0; i < peerOf.size(); ++i) {
    uint32_t peer = peerOf[i];
    if (peer == kNoPeer || !record.has(i))
      continue;
    busy[peer] += record.ends[i] - record.begins[i];
    ends[peer] = std::max(ends[peer], record.ends[i]);
  }
  double sum = 0;
  for (size_t peer = 0; peer < busy.size(); ++peer) {
    sum += static_cast<double>(busy[peer]);
    balance.peers[peer].busy += static_cast<double>(busy[peer]);
  }
  auto longest = std::ranges::max_element(busy);
  ++balance.peers[longest - busy.begin()].slowest;
  ++balance.peers[std::ranges::max_element(ends) - ends.begin()].last;
  return sum > 0 ? static_cast<double>(*longest) *
                       static_cast<double>(busy.size()) / sum
                 : 1;
}

} // namespace

std::vector<ProgramTime> programTimes(const StepDependences &step,
                                      std::span<const StepRecord> records) {
  std::vector<ProgramTime> times(step.programCount());
  if (records.empty())
    return times;
  for (uint32_t program = 0; program < step.programCount(); ++program) {
    ProgramClock clock(step, program);
    for (const StepRecord &record : records)
      clock.add(record);
    times[program] = clock.take(static_cast<double>(records.size()));
  }
  return times;
}

PeerBalance balanceOf(const StepDependences &step,
                      std::span<const StepRecord> records,
                      std::span<const std::string> peerOf) {
  PeerBalance balance;
  std::vector<uint32_t> peers = findPeers(
      peerOf.first(std::min<size_t>(peerOf.size(), step.size())), balance);
  if (balance.peers.empty() || records.empty())
    return balance;
  auto count = static_cast<double>(records.size());
  double ratios = 0;
  for (const StepRecord &record : records)
    ratios += addRecord(record, peers, balance);
  for (PeerTime &peer : balance.peers)
    peer.busy /= count;
  balance.maxToMean = ratios / count;
  return balance;
}

} // namespace graphc::runtime
