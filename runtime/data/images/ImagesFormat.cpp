// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/images/ImagesFormat.h"

#include "runtime/base/Texts.h"
#include "runtime/data/fields/FieldWriter.h"
#include "runtime/data/image/ImageField.h"
#include "runtime/data/source/LineFile.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <strings.h>

namespace graphc::runtime {

namespace {

namespace fs = std::filesystem;

bool isImageName(const fs::path &path) {
  std::string ending = path.extension();
  for (const char *known : {".jpg", ".jpeg", ".png"})
    if (::strcasecmp(ending.c_str(), known) == 0)
      return true;
  return false;
}

struct ListedImage {
  std::string path, label;
};

Status cannotList(const std::string &path, const std::error_code &error) {
  return Status(error == std::errc::permission_denied
                    ? StatusCode::PermissionDenied
                    : StatusCode::NotFound,
                "cannot list '" + path + "': " + error.message() +
                    "; check path and permissions");
}

/// The paths in a folder, sorted.
StatusOr<std::vector<fs::path>> entriesOf(const std::string &folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    paths.push_back(entry->path());
  if (error)
    return cannotList(folder, error);
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// FOLDER/CLASS/IMAGE, classes and images sorted by name.
StatusOr<std::vector<ListedImage>> listFolder(const std::string &folder) {
  std::vector<ListedImage> images;
  GRAPHC_ASSIGN_OR_RETURN(std::vector<fs::path> classes, entriesOf(folder));
  for (const fs::path &one : classes) {
    std::error_code error;
    if (!fs::is_directory(one, error))
      continue;
    GRAPHC_ASSIGN_OR_RETURN(std::vector<fs::path> files, entriesOf(one));
    for (const fs::path &file : files)
      if (isImageName(file))
        images.push_back({file, one.filename()});
  }
  return images;
}

/// Lines "FILE,LABEL"; files are relative to the list.
StatusOr<std::vector<ListedImage>> readList(const std::string &path) {
  std::vector<ListedImage> images;
  GRAPHC_ASSIGN_OR_RETURN(LineFile file, LineFile::open(path, true));
  std::vector<std::byte> buffer;
  for (int64_t i = 0; i < file.lines(); ++i) {
    GRAPHC_ASSIGN_OR_RETURN(std::string_view line, file.read(i, buffer));
    size_t comma = line.rfind(',');
    if (comma == std::string_view::npos)
      return invalidArgument(file.placeOf(i) + ": the line is no 'FILE,LABEL'");
    if (i == 0 && !isImageName(fs::path(line.substr(0, comma))))
      continue; // a header
    images.push_back({fs::path(path).parent_path() / line.substr(0, comma),
                      std::string(line.substr(comma + 1))});
  }
  return images;
}

class ImageRows final : public ExampleRows {
public:
  ImageRows(std::vector<ListedImage> listed, const DatasetSpec &spec,
            std::vector<FieldOptions> options)
      : images(std::move(listed)), fields(spec.fields),
        options(std::move(options)) {
    for (const ListedImage &image : images)
      classes.emplace(image.label, 0);
    int64_t number = 0;
    for (auto &[name, id] : classes)
      id = number++;
  }

  /// Labels that all are numbers stay so.
  void keepNumbers() {
    auto isNumber = [](const auto &one) {
      return !one.first.empty() && one.first.size() < 10 &&
             one.first.find_first_not_of("0123456789") == std::string::npos;
    };
    if (std::all_of(classes.begin(), classes.end(), isNumber))
      for (auto &[name, id] : classes)
        id = std::stoll(name);
  }

  int64_t rows() const override { return static_cast<int64_t>(images.size()); }
  /// Some nanoseconds to decode each byte of an image.
  int64_t rowNanos() const override {
    int64_t nanos = 0;
    for (const DatasetSpec::Field &field : fields)
      nanos += 10 * static_cast<int64_t>(field.type.numBytes());
    return nanos;
  }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> places) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      const ListedImage &image = images[static_cast<size_t>(rows[i])];
      for (size_t f = 0; f < fields.size(); ++f)
        GRAPHC_TRY(write(image, f, places[f] + i * fields[f].type.numBytes()));
    }
    return Status::ok();
  }
  StatusOr<std::vector<std::byte>> encoded(int64_t row,
                                           size_t field) const override {
    if (!isImageType(fields[field].type))
      return failedPrecondition("field '" + fields[field].name +
                                "' is no image");
    return readFileBytes(images[static_cast<size_t>(row)].path);
  }

private:
  Status write(const ListedImage &image, size_t f, std::byte *to) const {
    const TensorType &type = fields[f].type;
    Status status;
    if (isImageType(type)) {
      GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                              readFileBytes(image.path));
      status = decodeImageField(bytes, type, options[f].image, to);
    } else {
      FieldWriter writer(type, options[f], to);
      status = options[f].takesTexts()
                   ? writer.addText(image.label)
                   : writer.addInteger(classes.at(image.label));
      if (status.isOk())
        status = writer.finish();
    }
    return status.isOk() ? status
                         : Status(status.code(), "'" + image.path + "' has " +
                                                     status.message());
  }

  std::vector<ListedImage> images;
  std::vector<DatasetSpec::Field> fields;
  std::vector<FieldOptions> options;
  std::map<std::string, int64_t> classes;
};

class ImagesFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "images"; }
  bool recognises(const FileHead &head) const override { return head.isFolder; }
  StatusOr<std::unique_ptr<ExampleRows>>
  open(const DatasetSpec &spec, const DatasetFiles &files) const override {
    GRAPHC_ASSIGN_OR_RETURN(std::vector<FieldOptions> options,
                            fieldOptionsOf(spec, files));
    const std::string &path = files.paths[0];
    if (files.paths.size() != 1)
      return invalidArgument("images are one folder, or one list of files");
    std::error_code error;
    bool isFolder = fs::is_directory(path, error);
    StatusOr<std::vector<ListedImage>> listed =
        isFolder ? listFolder(path) : readList(path);
    GRAPHC_TRY(listed.status());
    if (listed->empty())
      return invalidArgument("'" + path +
                             "' has no images; give a folder with "
                             "a folder of .jpg or .png files for each class, "
                             "or images:LIST with lines FILE,LABEL");
    auto rows = std::make_unique<ImageRows>(std::move(*listed), spec,
                                            std::move(options));
    if (!isFolder)
      rows->keepNumbers();
    return std::unique_ptr<ExampleRows>(std::move(rows));
  }
};

} // namespace

const SourceFormat *imagesFormat() {
  static const ImagesFormat format;
  return &format;
}

} // namespace graphc::runtime
