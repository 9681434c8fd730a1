// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Documents of an editor, and its requests about them.
#ifndef GRAPHC_TOOLS_GRAPHC_LSP_SERVER_H
#define GRAPHC_TOOLS_GRAPHC_LSP_SERVER_H

#include "tools/graphc-lsp/Analysis.h"
#include "tools/graphc-lsp/MlirServer.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LSP/Transport.h"

namespace graphc::lsp {

/// Answers the messages of a client about texts by itself, and passes those
/// about MLIR's form on to MLIR's server. Thread-safety: none.
class Server {
public:
  Server(llvm::lsp::JSONTransport &client, AnalysisOptions options);

  /// Reads messages until the client ends the session. Returns the exit code
  /// that the protocol asks for.
  int run(llvm::lsp::JSONTransportInput &input);

private:
  using Object = llvm::json::Object;
  using Answer = llvm::Expected<llvm::json::Value>;
  using Method = std::function<Answer(const Analysis &, const Object &)>;

  /// Handles one message; false for `exit`.
  bool handle(Object &message);
  Answer answer(llvm::StringRef method, Object &params);
  void notice(llvm::StringRef method, Object &params);
  Answer initialize(const Object &params);
  void addMethods();
  void open(llvm::StringRef uri, std::string source, const Object &params,
            bool isNew);
  void report(llvm::Error error);

  llvm::lsp::JSONTransport &client;
  AnalysisOptions options;
  llvm::StringMap<Method> methods;
  /// By URI; null for a source in MLIR's form.
  llvm::StringMap<std::unique_ptr<Analysis>> documents;
  MlirServer mlir;
  bool isShutDown = false;
};

} // namespace graphc::lsp

#endif
