// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR's mains of tools (mlir-opt, mlir-lsp-server) read and parse sources
// themselves and have no hook before the parser, which knows one form only, and
// whose stack a text of twenty thousand brackets overflows. The linker gives
// programs whose LLVM is in them (cmake/Mlir.cmake) the function below in place
// of MLIR's, wherever that is called. GRAPHC_MLIR_PARSER is its symbol.
#include "lib/frontend/CheckText.h"
#include "lib/text/ParseText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// MLIR's own parser.
LogicalResult parseMlir(
    const llvm::SourceMgr &sources, Block *block, const ParserConfig &config,
    AsmParserState *state,
    AsmParserCodeCompleteContext *completion) asm("__real_" GRAPHC_MLIR_PARSER);

/// Parses both forms of a source; checkText() looks at those of MLIR's before
/// its parser does.
LogicalResult parseEitherForm(
    const llvm::SourceMgr &sources, Block *block, const ParserConfig &config,
    AsmParserState *state,
    AsmParserCodeCompleteContext *completion) asm("__wrap_" GRAPHC_MLIR_PARSER);

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

LogicalResult parseEitherForm(const llvm::SourceMgr &sources, Block *block,
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
  return parseMlir(sources, block, config, state, completion);
}
