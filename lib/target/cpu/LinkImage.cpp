// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links in process with lld, then throws the ELF container away: what is left
// are the read-only and executable segments at their addresses from 0. The
// loader of the runtime maps them and jumps, so everything that a dynamic
// linker would have to do is refused here.
#include "lib/target/cpu/LinkImage.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using object::ELF64LE;

namespace graphc {
namespace {

Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// The first line of lld's complaint without its prefix.
Error linkError(StringRef output) {
  StringRef line = output.split('\n').first;
  line.consume_front("ld.lld: ");
  line.consume_front("error: ");
  if (line.consume_front("undefined symbol: "))
    return makeError("kernel code calls '" + line +
                     "', but kernels may not call libraries; this is a "
                     "function that code generation must expand inline");
  return makeError("linking kernels: " + line);
}

/// Writes an object to a file for lld.
Error writeObject(ArrayRef<char> object, StringRef path) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (!error)
    stream.write(object.data(), object.size());
  stream.flush();
  if (!error && !stream.has_error())
    return Error::success();
  std::string cause = (error ? error : stream.error()).message();
  stream.clear_error();
  return makeError("writing '" + path + "': " + cause +
                   "; free some space or set TMPDIR");
}

Expected<std::unique_ptr<MemoryBuffer>> link(ArrayRef<ArrayRef<char>> objects) {
  SmallString<128> folder;
  if (std::error_code error = sys::fs::createUniqueDirectory("graphc", folder))
    return makeError("making a temporary folder for linking: " +
                     error.message() + "; set TMPDIR to a writable folder");
  scope_exit removal([&] { sys::fs::remove_directories(folder); });
  SmallString<128> out(folder);
  sys::path::append(out, "kernels.so");
  std::vector<std::string> files;
  for (ArrayRef<char> object : objects) {
    SmallString<128> in(folder);
    sys::path::append(in, "kernels" + Twine(files.size()) + ".o");
    if (Error error = writeObject(object, in))
      return error;
    files.push_back(in.str().str());
  }
  // Relocatable text would need the runtime's help: -z text refuses it.
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "-o",
                                         out.c_str(),
                                         "-Bsymbolic",
                                         "--hash-style=gnu",
                                         "-z",
                                         "now",
                                         "-z",
                                         "norelro",
                                         "-z",
                                         "text",
                                         "--threads=1",
                                         "--gc-sections",
                                         "--build-id=none",
                                         "--no-undefined",
                                         "-s"};
  for (const std::string &file : files)
    arguments.push_back(file.c_str());
  std::string text;
  raw_string_ostream stream(text);
  // lld keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return linkError(text);
  auto buffer = MemoryBuffer::getFile(out, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (!buffer)
    return makeError("reading '" + out + "': " + buffer.getError().message());
  return std::move(*buffer);
}

/// Refuses sections that need a dynamic linker or writable memory.
Error checkSections(const object::ELFFile<ELF64LE> &elf) {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    auto name = elf.getSectionName(section);
    if (!name)
      return name.takeError();
    if (section.sh_type == ELF::SHT_RELA || section.sh_type == ELF::SHT_REL)
      return makeError("kernel code needs relocations ('" + *name + "')");
    bool writable = section.sh_flags & ELF::SHF_WRITE;
    if (writable && section.sh_size && section.sh_type != ELF::SHT_DYNAMIC)
      return makeError("kernel code has writable data ('" + *name +
                       "'); kernels keep no state");
    if (section.sh_type != ELF::SHT_DYNAMIC)
      continue;
    auto entries = elf.getSectionContentsAsArray<ELF64LE::Dyn>(section);
    if (!entries)
      return entries.takeError();
    for (const auto &entry : *entries)
      if (entry.d_tag == ELF::DT_NEEDED)
        return makeError("kernel code needs a shared library");
  }
  return Error::success();
}

/// The bytes of the segments that are not writable, at their addresses.
Expected<std::vector<char>> flatten(const object::ELFFile<ELF64LE> &elf) {
  auto headers = elf.program_headers();
  if (!headers)
    return headers.takeError();
  std::vector<char> code;
  for (const auto &header : *headers) {
    if (header.p_type != ELF::PT_LOAD || (header.p_flags & ELF::PF_W))
      continue;
    if (header.p_memsz != header.p_filesz)
      return makeError("kernel code has zero-filled data; kernels keep no "
                       "state");
    if (code.size() < header.p_vaddr + header.p_memsz)
      code.resize(header.p_vaddr + header.p_memsz);
    memcpy(code.data() + header.p_vaddr, elf.base() + header.p_offset,
           header.p_filesz);
  }
  return code;
}

} // namespace

Expected<LinkedImage> linkImage(ArrayRef<ArrayRef<char>> objects,
                                ArrayRef<std::string> symbols) {
  auto buffer = link(objects);
  if (!buffer)
    return buffer.takeError();
  auto file =
      object::ELFObjectFile<ELF64LE>::create((*buffer)->getMemBufferRef());
  if (!file)
    return file.takeError();
  const object::ELFFile<ELF64LE> &elf = file->getELFFile();
  if (Error error = checkSections(elf))
    return error;
  auto code = flatten(elf);
  if (!code)
    return code.takeError();
  LinkedImage image;
  image.code = std::move(*code);
  StringMap<uint64_t> addresses;
  for (const object::ELFSymbolRef &symbol : file->getDynamicSymbolIterators()) {
    auto name = symbol.getName();
    auto address = symbol.getAddress();
    if (!name)
      return name.takeError();
    if (!address)
      return address.takeError();
    addresses[*name] = *address;
  }
  for (const std::string &symbol : symbols) {
    auto found = addresses.find(symbol);
    if (found == addresses.end() || found->second >= image.code.size())
      return makeError("kernel '" + symbol + "' is not in the linked code");
    image.entries.push_back(found->second);
  }
  return image;
}

} // namespace graphc
