// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/AssembleCubin.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace graphc {

namespace {

/// A file that is there as long as this object.
struct TemporaryFile {
  SmallString<128> path;
  std::optional<FileRemover> remover;

  Error create(StringRef ending) {
    if (std::error_code error =
            sys::fs::createTemporaryFile("graphc", ending, path))
      return createStringError(error, "cannot make a temporary file: %s",
                               error.message().c_str());
    remover.emplace(path);
    return Error::success();
  }
};

std::string textOf(const TemporaryFile &file) {
  auto buffer = MemoryBuffer::getFile(file.path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

} // namespace

Expected<std::string> assembleCubin(StringRef ptx, StringRef arch) {
  ErrorOr<std::string> program = sys::findProgramByName("ptxas");
  if (!program)
    return createStringError(
        "machine code of GPUs needs 'ptxas', the assembler of the CUDA "
        "toolkit, which is not on PATH; add its folder, or leave out "
        "--gpu-cubin: drivers compile PTX themselves");
  TemporaryFile text, code, log;
  if (Error error = text.create("ptx"))
    return error;
  if (Error error = code.create("cubin"))
    return error;
  if (Error error = log.create("log"))
    return error;
  if (Error error = writeToOutput(text.path, [&](raw_ostream &stream) -> Error {
        stream << ptx;
        return Error::success();
      }))
    return error;
  std::string target = ("-arch=" + arch).str();
  StringRef arguments[] = {*program, target, "-o", code.path, text.path};
  std::optional<StringRef> streams[] = {StringRef(""), StringRef(log.path),
                                        StringRef(log.path)};
  std::string cause;
  if (sys::ExecuteAndWait(*program, arguments, std::nullopt, streams, 0, 0,
                          &cause) != 0)
    return createStringError("'%s' does not take the PTX: %s", program->c_str(),
                             (cause + textOf(log)).c_str());
  std::string bytes = textOf(code);
  if (bytes.empty())
    return createStringError("'%s' made no code", program->c_str());
  return bytes;
}

} // namespace graphc
