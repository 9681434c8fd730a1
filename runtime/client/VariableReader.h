// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of variables on their way between a client and tasks.
#ifndef GRAPHC_RUNTIME_CLIENT_VARIABLEREADER_H
#define GRAPHC_RUNTIME_CLIENT_VARIABLEREADER_H

#include "runtime/client/ClientRun.h"

namespace graphc::runtime {

/// Sends a value to a place of it; `handler` gets the one answer.
void sendValue(ClientMachine::State &state, const VariablePlace &place,
               std::span<const std::byte> bytes,
               ClientMachine::State::Handler handler);

/// Reads a whole variable, wherever its parts are. Thread-safety: one call at a
/// time.
class VariableReader {
public:
  using Done = std::function<void(const Status &)>;

  /// `whenDone` is called once, later.
  void start(ClientMachine::State &state, const ClusterVariable &variable,
             Done whenDone);

  HostTensor value; ///< when it is done

private:
  void take(const VariablePlace &part, size_t number,
            const protocol::Reply &reply);
  void end(const Status &status);

  Done done;
  size_t missing = 0;
  std::vector<size_t> got; ///< bytes, by part
  bool isOver = false;
};

} // namespace graphc::runtime

#endif
