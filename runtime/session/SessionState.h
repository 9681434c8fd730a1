// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that a checkpoint has of a session.
#ifndef GRAPHC_RUNTIME_SESSION_SESSIONSTATE_H
#define GRAPHC_RUNTIME_SESSION_SESSIONSTATE_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"
#include "runtime/data/TensorReader.h"

#include <string>
#include <vector>

namespace graphc::runtime {

struct SessionState {
  std::vector<NamedTensor> values; ///< of all variables
  std::vector<std::string> owners; ///< the task of each; empty: this process
  TensorReader::Texts texts;       ///< how far the graphs are
};

/// The state of a session at one moment. Steps that follow do not change it;
/// they may wait for await() before they write variables, so call that soon, on
/// another thread. Thread-safety: one call at a time; the session may run steps
/// meanwhile; where it ends it waits for await().
class StateCapture {
public:
  virtual ~StateCapture() = default;
  /// Completes the copy; valid as long as this.
  virtual StatusOr<const SessionState *> await() = 0;
};

} // namespace graphc::runtime

#endif
