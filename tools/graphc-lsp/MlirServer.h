// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR's own language server, for sources in MLIR's form.
#ifndef GRAPHC_TOOLS_GRAPHC_LSP_MLIRSERVER_H
#define GRAPHC_TOOLS_GRAPHC_LSP_MLIRSERVER_H

#include "llvm/Support/JSON.h"

#include <functional>
#include <string>
#include <sys/types.h>

namespace graphc::lsp {

/// A process of this program that runs MLIR's server: that one owns its loop
/// and cannot be called. Messages go to it one after another, each when what
/// the one before has led to has come back. Thread-safety: none.
class MlirServer {
public:
  /// Takes notifications of the process.
  using Notify = std::function<void(llvm::StringRef, llvm::json::Value)>;

  explicit MlirServer(Notify notify) : notify(std::move(notify)) {}
  ~MlirServer();
  MlirServer(const MlirServer &) = delete;
  MlirServer &operator=(const MlirServer &) = delete;

  /// Asks the process; it is started by the first call. An error when it
  /// answers with one, or has ended.
  llvm::Expected<llvm::json::Value> call(llvm::StringRef method,
                                         llvm::json::Value params);
  /// Tells the process, and waits until it has heard.
  llvm::Error tell(llvm::StringRef method, llvm::json::Value params);

private:
  llvm::Error start();
  void stop();
  llvm::Error send(llvm::json::Object message);
  llvm::Expected<llvm::json::Object> receive();
  llvm::Expected<llvm::json::Value> awaitAnswer(int64_t id);

  Notify notify;
  pid_t process = -1;
  int input = -1, output = -1; ///< of the process
  std::string buffer;          ///< read, and no message yet
  int64_t nextId = 0;
};

} // namespace graphc::lsp

#endif
