// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR's mains of tools (mlir-opt, mlir-lsp-server) read and parse sources
// themselves and have no hook before the parser, which knows one form only, and
// whose stack a text of twenty thousand brackets overflows. They call the
// parser through the dynamic linker, as libMLIR is a shared library: the
// function of its name below comes first, and calls MLIR's own.
#include "lib/text/GuardParser.h"

#include "lib/frontend/CheckText.h"
#include "lib/text/ParseText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <dlfcn.h>

using namespace mlir;

using ParseFunction = LogicalResult (*)(const llvm::SourceMgr &, Block *,
                                        const ParserConfig &, AsmParserState *,
                                        AsmParserCodeCompleteContext *);

/// MLIR's own parser.
static ParseFunction nextParser() {
  static const auto next = reinterpret_cast<ParseFunction>(dlsym(
      RTLD_NEXT, "_ZN4mlir18parseAsmSourceFileERKN4llvm9SourceMgrEPNS_5BlockERK"
                 "NS_12ParserConfigEPNS_14AsmParserStateEPNS_28AsmParserCode"
                 "CompleteContextE"));
  if (!next)
    llvm::report_fatal_error("libMLIR has no parser of texts; link the shared "
                             "library of MLIR 22");
  return next;
}

void graphc::guardParser() { nextParser(); }

/// Parses a text of the text language to the end of `block`. `file` has it or
/// is it; places count from its begin.
static LogicalResult parseLanguage(StringRef source,
                                   const llvm::MemoryBuffer &file, Block *block,
                                   const ParserConfig &config) {
  MLIRContext &context = *config.getContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      FileLineColLoc::get(&context, file.getBufferIdentifier(), 1, 1));
  if (failed(graphc::text::parseText(source, file.getBufferIdentifier(),
                                     *module, {file.getBuffer()})))
    return failure();
  // The caller makes a module around whatever is no module.
  block->push_back(module.release());
  return success();
}

LogicalResult
mlir::parseAsmSourceFile(const llvm::SourceMgr &sources, Block *block,
                         const ParserConfig &config, AsmParserState *state,
                         AsmParserCodeCompleteContext *completion) {
  const llvm::MemoryBuffer &buffer =
      *sources.getMemoryBuffer(sources.getMainFileID());
  // Of a file that is split, the part to parse is the last buffer.
  StringRef source =
      sources.getMemoryBuffer(sources.getNumBuffers())->getBuffer();
  if (graphc::text::isText(source))
    return parseLanguage(source, buffer, block, config);
  if (failed(graphc::checkText(buffer.getBuffer(), buffer.getBufferIdentifier(),
                               *config.getContext())))
    return failure();
  return nextParser()(sources, block, config, state, completion);
}
