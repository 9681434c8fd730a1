// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/Warp.h"

#include "test/cuda/emulator/BlockRun.h"

#include <algorithm>

namespace graphc::emulator {

namespace {

constexpr uint32_t kNowhere = ~0u;

/// Maximum count of backward jumps of a warp, after which its kernel counts as
/// endless.
constexpr uint32_t kBackwardJumps = 1u << 24;

} // namespace

Warp::Warp(const Kernel &kernel, BlockRun &block, uint32_t number)
    : kernel(kernel), block(block), number(number),
      registers(size_t{kernel.rows} * kLanes) {
  local.resize(kernel.localBytes * kLanes);
  localInitialised.resize(local.size());
  for (auto [constant, bits] : kernel.constants)
    std::fill_n(row(constant), kLanes, bits);
  const Launch &launch = block.ofLaunch();
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    uint32_t thread = firstThread() + lane;
    row(kTidX)[lane] = thread % launch.block.x;
    row(kTidY)[lane] = thread / launch.block.x % launch.block.y;
    row(kTidZ)[lane] = thread / launch.block.x / launch.block.y;
    row(kLaneId)[lane] = lane;
    row(kLaneMaskEq)[lane] = 1u << lane;
    row(kLaneMaskLt)[lane] = (1u << lane) - 1;
    row(kLaneMaskLe)[lane] = (2ull << lane) - 1;
    row(kLaneMaskGt)[lane] = ~static_cast<uint32_t>((2ull << lane) - 1);
    row(kLaneMaskGe)[lane] = ~((1u << lane) - 1);
  }
  auto fill = [&](Row first, Dim3 values) {
    std::fill_n(row(first), kLanes, values.x);
    std::fill_n(row(first + 1), kLanes, values.y);
    std::fill_n(row(first + 2), kLanes, values.z);
  };
  fill(kNtidX, launch.block);
  fill(kNctaidX, launch.grid);
  std::fill_n(row(kWarpId), kLanes, number);
}

void Warp::start(uint32_t threads) {
  uint32_t number = block.number();
  const Dim3 &grid = block.ofLaunch().grid;
  std::fill_n(row(kCtaidX), kLanes, number % grid.x);
  std::fill_n(row(kCtaidY), kLanes, number / grid.x % grid.y);
  std::fill_n(row(kCtaidZ), kLanes, number / grid.x / grid.y);
  std::fill(localInitialised.begin(), localInitialised.end(), 0);
  live = threads >= kLanes ? ~0u : (1u << threads) - 1;
  waiting = parked = epoch = jumps = 0;
  groups.assign(1, {0, live});
}

void Warp::add(uint32_t at, uint32_t lanes) {
  if (!lanes)
    return;
  for (Group &group : groups)
    if (group.at == at) {
      group.lanes |= lanes;
      parked &= ~group.lanes;
      return;
    }
  groups.push_back({at, lanes});
}

bool Warp::isParked(const Group &group) const { return group.lanes & parked; }

uint32_t Warp::guarded(const Instruction &instruction, uint32_t lanes) {
  if (instruction.guard < 0)
    return lanes;
  const uint64_t *guard = row(static_cast<Row>(instruction.guard));
  uint32_t holds = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    holds |= static_cast<uint32_t>(guard[lane] & 1) << lane;
  return lanes & (instruction.guardNegated ? ~holds : holds);
}

bool Warp::run() {
  while (!groups.empty()) {
    auto best = groups.end();
    for (auto group = groups.begin(); group != groups.end(); ++group)
      if (!isParked(*group) && (best == groups.end() || group->at < best->at))
        best = group;
    if (best == groups.end()) {
      const Group &group = groups.front();
      const Instruction &instruction = kernel.code[group.at];
      uint32_t lane = static_cast<uint32_t>(std::countr_zero(group.lanes));
      return block.fail(
          *this, instruction, lane,
          "waits for lanes of its warp (mask " +
              hex(row(instruction.src[instruction.target])[lane]) +
              ") that went another way and do not come");
    }
    Group group = *best;
    groups.erase(best);
    if (!step(group))
      return false;
  }
  return true;
}

/// Runs a group until it meets another one, or splits, ends or waits.
bool Warp::step(Group &group) {
  uint32_t limit = kNowhere;
  for (const Group &other : groups)
    limit = std::min(limit, other.at);
  do {
    const Instruction &instruction = kernel.code[group.at];
    uint32_t lanes = guarded(instruction, group.lanes);
    switch (instruction.flow) {
    case ControlFlow::Next:
      if (lanes && !instruction.run(*this, instruction, lanes))
        return false;
      ++group.at;
      break;
    case ControlFlow::Branch:
      if (lanes && instruction.target <= group.at && ++jumps > kBackwardJumps)
        return block.fail(*this, instruction, 0,
                          "has run in circles too long; the loop does not end");
      if (lanes && lanes != group.lanes) {
        add(instruction.target, lanes);
        add(group.at + 1, group.lanes & ~lanes);
        return true;
      }
      group.at = lanes ? instruction.target : group.at + 1;
      break;
    case ControlFlow::BranchTable:
      return branchByTable(group, instruction);
    case ControlFlow::Exit:
      live &= ~lanes;
      parked = 0; // nobody waits for lanes that are gone
      add(group.at + 1, group.lanes & ~lanes);
      return true;
    case ControlFlow::Barrier:
      return waitAtBarrier(group, lanes);
    case ControlFlow::Sync:
      if (!synchronise(group, instruction, lanes))
        return false;
      if (!group.lanes)
        return true;
      break;
    }
  } while (group.at < limit);
  add(group.at, group.lanes);
  return true;
}

bool Warp::branchByTable(Group &group, const Instruction &instruction) {
  const std::vector<uint32_t> &table = kernel.branchTables[instruction.target];
  uint32_t lanes = guarded(instruction, group.lanes);
  add(group.at + 1, group.lanes & ~lanes);
  for (; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    uint64_t index = row(instruction.src[0])[lane] & 0xffffffff;
    if (index >= table.size())
      return block.fail(*this, instruction, lane,
                        "branches by index " + std::to_string(index) +
                            " of a table of " + std::to_string(table.size()));
    add(table[index], 1u << lane);
  }
  return true;
}

bool Warp::waitAtBarrier(Group &group, uint32_t lanes) {
  if (waiting && lanes && barrier != group.at)
    return block.fail(*this, kernel.code[group.at],
                      static_cast<uint32_t>(std::countr_zero(lanes)),
                      "waits at this barrier while threads of its warp wait at "
                      "that of line " +
                          std::to_string(kernel.code[barrier].line) +
                          ": the barrier is in divergent flow");
  if (lanes)
    barrier = group.at;
  waiting |= lanes;
  add(group.at + 1, group.lanes & ~lanes);
  return true;
}

/// Carries out the instruction once all the lanes that its mask names are
/// there. Leaves the group without lanes if it has to wait.
bool Warp::synchronise(Group &group, const Instruction &instruction,
                       uint32_t lanes) {
  if (lanes != group.lanes) {
    add(group.at + 1, group.lanes & ~lanes);
    add(group.at, lanes);
    // The lanes that wait here have no guard left to pass.
    if (!lanes) {
      group.lanes = 0;
      return true;
    }
    groups.erase(
        std::find_if(groups.begin(), groups.end(),
                     [&](const Group &other) { return other.at == group.at; }));
    group.lanes = lanes;
  }
  auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  auto mask =
      static_cast<uint32_t>(row(instruction.src[instruction.target])[lane]);
  if (lanes & ~mask)
    return block.fail(*this, instruction,
                      static_cast<uint32_t>(std::countr_zero(lanes & ~mask)),
                      "takes part although the mask " + hex(mask) +
                          " leaves its lane out");
  if (mask & live & ~lanes) {
    uint32_t at = group.at;
    group.lanes = 0;
    groups.push_back({at, lanes});
    parked |= lanes;
    return true;
  }
  ++epoch;
  if (!instruction.run(*this, instruction, lanes))
    return false;
  ++group.at;
  return true;
}

void Warp::release() {
  groups.assign(1, {barrier + 1, waiting});
  waiting = epoch = 0;
}

} // namespace graphc::emulator
