// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames of a peer that breaks the protocol, while a cluster trains. An input
// is a list of frames; what it breaks is only its own run, and nothing is left.
#include "test/fuzz/Input.h"
#include "test/fuzz/RunningCluster.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

constexpr int kMaxFrames = 100;

void sendFrame(RunningCluster &running, Input &input) {
  auto how = input.take<uint8_t>();
  auto way = input.take<uint8_t>();
  FrameHeader header;
  std::span<const std::byte> given = input.takeBytes(sizeof header);
  std::memcpy(static_cast<void *>(&header), given.data(), given.size());
  if (how & 1) { // of the run that goes
    header.runClient = running.runClient();
    header.runNumber = running.runNumber();
  }
  // Connections promise that sizes agree (parsePacket).
  std::span<const std::byte> payload = input.takeBytes(header.size % 256);
  header.size = static_cast<uint32_t>(payload.size());
  if (how & 2)
    header.total = payload.size();
  running.cluster.sendFrame(way % 6, way / 8 % 4, header,
                            {payload.begin(), payload.end()});
  running.goOn(how >> 3);
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  RunningCluster running(input.take<uint8_t>() & 1);
  running.goOn(50);
  for (int i = 0; i < kMaxFrames && !input.isEmpty(); ++i)
    sendFrame(running, input);
  running.end();
  return 0;
}
