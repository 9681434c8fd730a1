// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats that data is read from, in the order in which they are asked.
#include "runtime/data/archive/Inflate.h"
#include "runtime/data/cifar/CifarFormat.h"
#include "runtime/data/csv/CsvFormat.h"
#include "runtime/data/generate/GenerateFormat.h"
#include "runtime/data/idx/IdxFormat.h"
#include "runtime/data/images/ImagesFormat.h"
#include "runtime/data/npy/NpyFormat.h"
#include "runtime/data/npz/NpzFormat.h"
#include "runtime/data/safetensors/SafetensorsFormat.h"
#include "runtime/data/text/TextFormat.h"
#include "runtime/data/tfrecord/RecordFormat.h"

#include <algorithm>
#include <filesystem>

namespace graphc::runtime {

std::span<const SourceFormat *const> sourceFormats() {
  static const SourceFormat *const all[] = {
      recordFormat(), npyFormat(),     npzFormat(),      safetensorsFormat(),
      imagesFormat(), cifar10Format(), cifar100Format(), idxFormat(),
      csvFormat(),    textFormat(),    generateFormat(),
  };
  return all;
}

const SourceFormat *namedFormat(std::string_view name) {
  for (const SourceFormat *format : sourceFormats())
    if (format->name() == name)
      return format;
  return nullptr;
}

StatusOr<FileHead> readFileHead(const std::string &path) {
  constexpr uint64_t kHead = 4096, kPackedHead = 12;
  FileHead head;
  head.path = path;
  std::error_code error;
  head.isFolder = std::filesystem::is_directory(path, error);
  if (head.isFolder)
    return head;
  GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  head.bytes.resize(std::min(file.size(), kHead));
  GRAPHC_TRY(file.readAt(0, head.bytes));
  bool isZlibFile = isZlib(head.bytes);
  if (!isGzip(head.bytes) && !isZlibFile)
    return head;
  // What is cut here need not be whole.
  StatusOr<std::vector<std::byte>> inflated =
      inflateBytes(head.bytes, isZlibFile ? Wrapping::Zlib : Wrapping::Gzip,
                   kPackedHead, path);
  if (!inflated.isOk() && isZlibFile)
    return head; // two bytes that any file may begin with
  head.packing = isZlibFile ? FileHead::Packing::Zlib : FileHead::Packing::Gzip;
  head.bytes =
      inflated.isOk() ? std::move(*inflated) : std::vector<std::byte>();
  return head;
}

StatusOr<const SourceFormat *> formatOf(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(FileHead head, readFileHead(path));
  for (const SourceFormat *format : sourceFormats())
    if (format->recognises(head))
      return format;
  if (head.isFolder)
    return invalidArgument("'" + path +
                           "' is a folder without images; give "
                           "files, or a folder with a folder of .jpg or .png "
                           "files for each class");
  return invalidArgument("'" + path +
                         "' is no file of data; .npy, .npz, IDX (plain or "
                         "gzip) and files named *.csv are read, TFRecord, "
                         "safetensors and CIFAR files, folders of images, "
                         "and by FORMAT:FILE lines of text and others");
}

} // namespace graphc::runtime
