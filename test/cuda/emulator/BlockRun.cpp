// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/BlockRun.h"

#include "test/cuda/emulator/api/DriverApi.h"

#include <sstream>

namespace graphc::emulator {

namespace {

/// A line of PTX without its comment, with single spaces.
std::string trimmed(const std::string &line) {
  std::istringstream words(line.substr(0, line.find("//")));
  std::string text;
  for (std::string word; words >> word;)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

} // namespace

BlockRun::BlockRun(Launch &launch)
    : launch(launch),
      sharedData(launch.kernel->sharedBytes + launch.dynamicShared),
      sharedShadow(sharedData.size(), true),
      lastUsed(launch.kernel->code.size()) {
  for (uint32_t first = 0; first < threads(); first += kLanes)
    warps.push_back(
        std::make_unique<Warp>(*launch.kernel, *this, first / kLanes));
}

bool BlockRun::run(uint32_t number) {
  block = number;
  barriers = 0;
  sharedShadow.forget();
  for (auto &warp : warps)
    warp->start(threads() - warp->firstThread());
  for (bool isDone = false; !isDone;) {
    for (auto &warp : warps)
      if (!warp->run())
        return false;
    if (!meetAtBarrier(isDone))
      return false;
  }
  return true;
}

/// All threads are there, at one barrier, or all have ended.
bool BlockRun::meetAtBarrier(bool &isDone) {
  Warp *waits = nullptr;
  for (auto &warp : warps)
    if (warp->waitingLanes() && !waits)
      waits = warp.get();
  isDone = !waits;
  if (isDone)
    return true;
  const Instruction &barrier = launch.kernel->code[waits->waitsAt()];
  auto lane = static_cast<uint32_t>(std::countr_zero(waits->waitingLanes()));
  for (auto &warp : warps) {
    uint32_t left = threads() - warp->firstThread();
    uint32_t all = left >= kLanes ? ~0u : (1u << left) - 1;
    if (uint32_t gone = all & ~warp->waitingLanes())
      return fail(
          *waits, barrier, lane,
          "waits at a barrier that thread " +
              std::to_string(warp->firstThread() +
                             static_cast<uint32_t>(std::countr_zero(gone))) +
              " has not passed before it ended: the barrier is in "
              "divergent flow");
    if (warp->waitsAt() != waits->waitsAt())
      return fail(
          *waits, barrier, lane,
          "waits at this barrier while thread " +
              std::to_string(warp->firstThread()) + " waits at that of line " +
              std::to_string(launch.kernel->code[warp->waitsAt()].line) +
              ": the barrier is in divergent flow");
  }
  ++barriers;
  for (auto &warp : warps)
    warp->release();
  return true;
}

std::string BlockRun::threadName(uint32_t thread) const {
  const Dim3 &size = launch.block;
  if (size.y * size.z == 1)
    return "thread " + std::to_string(thread);
  return "thread (" + std::to_string(thread % size.x) + ", " +
         std::to_string(thread / size.x % size.y) + ", " +
         std::to_string(thread / size.x / size.y) + ")";
}

bool BlockRun::fail(Warp &warp, const Instruction &instruction, uint32_t lane,
                    const std::string &text, int code) {
  const Kernel &kernel = *launch.kernel;
  launch.failure.code = code ? code : CUDA_ERROR_LAUNCH_FAILED;
  std::string source;
  if (kernel.source && instruction.line > 0 &&
      instruction.line <= kernel.source->size())
    source = " (" + trimmed((*kernel.source)[instruction.line - 1]) + ")";
  launch.failure.text = "kernel '" + kernel.name + "', line " +
                        std::to_string(instruction.line) + " of its PTX" +
                        source + ", block " + std::to_string(block) + ", " +
                        threadName(warp.firstThread() + lane) + ": " + text;
  return false;
}

void Launch::run() {
  BlockRun blocks(*this);
  auto count = static_cast<uint32_t>(grid.count());
  for (uint32_t block = 0; block < count; ++block)
    if (!blocks.run(block))
      return;
}

} // namespace graphc::emulator
