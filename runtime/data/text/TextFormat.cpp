// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/text/TextFormat.h"

#include "runtime/data/fields/FieldWriter.h"
#include "runtime/data/source/KeptRows.h"
#include "runtime/data/source/LineFile.h"

namespace graphc::runtime {

namespace {

/// Each field is made of the same line.
class TextRows final : public ExampleRows {
public:
  TextRows(LineFile file, const DatasetSpec &spec,
           std::vector<FieldOptions> options)
      : file(std::move(file)), fields(spec.fields),
        options(std::move(options)) {}

  int64_t rows() const override { return file.lines(); }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> places) const override {
    static thread_local std::vector<std::byte> buffer;
    for (size_t i = 0; i < rows.size(); ++i) {
      GRAPHC_ASSIGN_OR_RETURN(std::string_view line,
                              file.read(rows[i], buffer));
      for (size_t f = 0; f < fields.size(); ++f) {
        const TensorType &type = fields[f].type;
        FieldWriter writer(type, options[f], places[f] + i * type.numBytes());
        Status status = writer.addText(line);
        if (status.isOk())
          status = writer.finish();
        if (!status.isOk())
          return Status(status.code(), file.placeOf(rows[i]) + ": field '" +
                                           fields[f].name + "' has " +
                                           status.message());
      }
    }
    return Status::ok();
  }

private:
  LineFile file;
  std::vector<DatasetSpec::Field> fields;
  std::vector<FieldOptions> options;
};

class TextFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "text"; }
  StatusOr<std::unique_ptr<ExampleRows>>
  open(const DatasetSpec &spec, const DatasetFiles &files) const override {
    if (files.paths.size() != 1)
      return invalidArgument("text:FILE is one file; put the lines together");
    GRAPHC_ASSIGN_OR_RETURN(std::vector<FieldOptions> options,
                            fieldOptionsOf(spec, files));
    for (size_t f = 0; f < options.size(); ++f) {
      // Several numbers are those of the words of a line.
      options[f].splits |=
          options[f].isLength || !spec.fields[f].type.shape.empty();
      if (!options[f].takesTexts() && !options[f].isLength)
        return invalidArgument("field '" + spec.fields[f].name +
                               "' is made of lines of text; give their words "
                               "numbers by ?" +
                               spec.fields[f].name +
                               "=line:vocab=FILE or :hash=N");
    }
    GRAPHC_ASSIGN_OR_RETURN(LineFile file,
                            LineFile::open(files.paths[0], false));
    return keepSmall(spec, std::unique_ptr<ExampleRows>(new TextRows(
                               std::move(file), spec, std::move(options))));
  }
};

} // namespace

const SourceFormat *textFormat() {
  static const TextFormat format;
  return &format;
}

} // namespace graphc::runtime
