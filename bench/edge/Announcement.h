// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Announcement of the receiver's port to the sending process.
#ifndef GRAPHC_BENCH_EDGE_ANNOUNCEMENT_H
#define GRAPHC_BENCH_EDGE_ANNOUNCEMENT_H

#include "bench/edge/Task.h"

#include <unistd.h>

namespace graphc::bench {

/// Made before the second process, which has a copy.
class Announcement {
public:
  Announcement() {
    if (::pipe(ends) != 0)
      fail("cannot make a pipe");
  }
  void write(uint16_t port) const {
    if (::write(ends[1], &port, sizeof port) != sizeof port)
      fail("the sender is gone");
  }
  uint16_t read() const {
    ::close(ends[1]); // so that the other process's end is noticed
    uint16_t port = 0;
    if (::read(ends[0], &port, sizeof port) != sizeof port)
      fail("the receiver does not listen");
    return port;
  }

private:
  int ends[2];
};

} // namespace graphc::bench

#endif
