// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/target/cuda/BlockOfFibers.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace graphc {
namespace {

constexpr size_t kStackBytes = 64 << 10;
constexpr uint32_t kWarpThreads = 32;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  bool done = false;
  uint64_t barriers = 0; ///< reached
  uint64_t shuffles = 0;
  uint32_t posted[2] = {}; ///< the values of the last two shuffles
};

struct Block {
  uint32_t number;
  std::vector<Fiber> fibers;
  uint32_t running = 0;
  ucontext_t scheduler;
  const std::function<void()> *body;
};

Block *current = nullptr;

[[noreturn]] void fail(const char *message) {
  fprintf(stderr, "block %u, thread %u: %s\n", current->number,
          current->running, message);
  exit(1);
}

Fiber &self() { return current->fibers[current->running]; }

/// Lets all other threads of the block run.
void pass() { swapcontext(&self().context, &current->scheduler); }

void runFiber() {
  (*current->body)();
  self().done = true;
  pass();
}

} // namespace

void runBlockOfFibers(uint32_t block, uint32_t threads, bool descending,
                      const std::function<void()> &body) {
  Block state;
  state.number = block;
  state.fibers.resize(threads);
  state.body = &body;
  current = &state;
  for (Fiber &fiber : state.fibers) {
    fiber.stack.reset(new char[kStackBytes]);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    makecontext(&fiber.context, runFiber, 0);
  }
  for (bool any = true; any;) {
    any = false;
    for (uint32_t i = 0; i < threads; ++i) {
      state.running = descending ? threads - 1 - i : i;
      if (self().done)
        continue;
      any = true;
      swapcontext(&state.scheduler, &self().context);
    }
  }
  current = nullptr;
}

uint32_t graphcThreadNumber() { return current->running; }
uint32_t graphcBlockNumber() { return current->number; }

void graphcBarrier(uint32_t) {
  uint64_t own = ++self().barriers;
  for (bool all = false; !all;) {
    pass();
    all = true;
    for (const Fiber &fiber : current->fibers) {
      all &= fiber.barriers >= own;
      if (fiber.done && fiber.barriers < own)
        fail("waits at a barrier that a thread has not reached");
    }
  }
}

uint32_t graphcShuffleXor(uint32_t mask, uint32_t value, uint32_t offset,
                          uint32_t clamp) {
  if (mask != 0xffffffff || clamp != kWarpThreads - 1 ||
      (current->running ^ offset) >= current->fibers.size())
    fail("a shuffle of another form than the compiler's");
  uint64_t own = ++self().shuffles;
  self().posted[own % 2] = value;
  const Fiber &other = current->fibers[current->running ^ offset];
  do {
    pass();
    if (other.done && other.shuffles < own)
      fail("waits for a shuffle that a thread does not take part in");
  } while (other.shuffles < own);
  if (other.shuffles > own + 1)
    fail("a thread has overtaken a shuffle");
  return other.posted[own % 2];
}

float graphcShuffleXorFloat(uint32_t mask, float value, uint32_t offset,
                            uint32_t clamp) {
  return std::bit_cast<float>(
      graphcShuffleXor(mask, std::bit_cast<uint32_t>(value), offset, clamp));
}

} // namespace graphc
