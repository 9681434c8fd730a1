// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-lsp: the language server for .tfir files, in every editor that speaks
// LSP: texts by itself, MLIR's form by MLIR's server.
#include "graphc/InitAll.h"
#include "tools/graphc-lsp/Server.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace graphc;

/// Shapes are shown with this batch, and devices chosen, where no other is
/// given.
constexpr int64_t kUsualBatch = 32;

/// Serves MLIR's form only.
static int serveMlir(int argc, char **argv) {
  // Its parser of flags does not know the first one.
  std::vector<char *> arguments = {argv[0]};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  mlir::DialectRegistry registry;
  registerGraphcDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirLspServerMain(
      static_cast<int>(arguments.size()), arguments.data(), registry));
}

int main(int argc, char **argv) {
  if (argc > 1 && llvm::StringRef(argv[1]) == "--mlir-form")
    return serveMlir(argc, argv);
  llvm::cl::OptionCategory category("graphc-lsp");
  llvm::cl::opt<int64_t> batch(
      "batch", llvm::cl::desc("Show shapes with this batch"),
      llvm::cl::value_desc("N"), llvm::cl::cat(category));
  llvm::cl::list<std::string> devices(
      "devices", llvm::cl::desc("Devices to place for, as graphc takes them"),
      llvm::cl::value_desc("LIST"), llvm::cl::cat(category));
  llvm::cl::list<std::string> defines(
      "define", llvm::cl::desc("Set a constant of the text, as graphc does"),
      llvm::cl::value_desc("NAME=VALUE"), llvm::cl::cat(category));
  llvm::cl::opt<bool> isTest(
      "lit-test",
      llvm::cl::desc("Read messages that lines of '// -----' divide, and write "
                     "them with line ends: for tests"),
      llvm::cl::cat(category));
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "graphc-lsp: the language server for .tfir files\n\nIt reads and writes "
      "messages of the language server protocol; an editor starts it.\n");

  lsp::AnalysisOptions options;
  options.compile.batch = batch > 0 ? batch.getValue() : kUsualBatch;
  options.hasBatch = batch > 0;
  options.compile.devices.devices.assign(devices.begin(), devices.end());
  options.compile.define.assign(defines.begin(), defines.end());
  llvm::sys::ChangeStdinToBinary();
  llvm::lsp::JSONTransportInputOverFile input(
      stdin, isTest ? llvm::lsp::JSONStreamStyle::Delimited
                    : llvm::lsp::JSONStreamStyle::Standard);
  llvm::lsp::JSONTransport client(nullptr, llvm::outs(), isTest);
  return lsp::Server(client, std::move(options)).run(input);
}
