// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/fields/FieldOptions.h"

#include "runtime/base/Suggest.h"
#include "runtime/data/fields/FieldWriter.h"

#include <algorithm>
#include <charconv>

namespace graphc::runtime {

namespace {

const std::vector<std::string> kNames = {
    "raw", "image", "jpeg",  "png",   "resize", "crop", "dct",    "length",
    "pad", "cut",   "split", "vocab", "oov",    "hash", "default"};

StatusOr<int64_t> wholeNumber(std::string_view option, std::string_view text,
                              int64_t least) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    return invalidArgument("':" + std::string(option) + "=" +
                           std::string(text) +
                           "' takes a whole number of at "
                           "least " +
                           std::to_string(least));
  return value;
}

/// "ROW+COLUMN" or "ROW+COLUMN+HEIGHT+WIDTH".
StatusOr<ImageWindow> parseWindow(std::string_view text) {
  std::vector<int64_t> numbers;
  for (std::string_view rest = text; numbers.size() < 5;) {
    std::string_view part = rest.substr(0, rest.find('+'));
    StatusOr<int64_t> number = wholeNumber("crop", part, 0);
    if (!number.isOk())
      break;
    numbers.push_back(*number);
    if (part.size() == rest.size()) {
      if (numbers.size() == 2)
        return ImageWindow{numbers[0], numbers[1], 0, 0};
      if (numbers.size() == 4 && numbers[2] > 0 && numbers[3] > 0)
        return ImageWindow{numbers[0], numbers[1], numbers[2], numbers[3]};
      break;
    }
    rest.remove_prefix(part.size() + 1);
  }
  return invalidArgument("':crop=" + std::string(text) +
                         "' is no window; write crop=centre, crop=ROW+COLUMN "
                         "or crop=ROW+COLUMN+HEIGHT+WIDTH");
}

Status setResize(std::string_view text, ImageRules &rules) {
  constexpr std::pair<std::string_view, Resizing> kKinds[] = {
      {"bilinear", Resizing::Bilinear},
      {"bilinear-tf1", Resizing::BilinearTf1},
      {"nearest", Resizing::Nearest},
      {"nearest-tf1", Resizing::NearestTf1}};
  for (const auto &[name, kind] : kKinds)
    if (name == text) {
      rules.resizing = kind;
      return Status::ok();
    }
  return invalidArgument("':resize=" + std::string(text) +
                         "' is not bilinear, nearest, bilinear-tf1 or "
                         "nearest-tf1");
}

/// An option without a value; false where it takes one.
bool setFlag(std::string_view name, FieldOptions &options) {
  if (name == "raw")
    options.image.kinds = ImageKinds::None;
  else if (name == "image")
    options.image.kinds = ImageKinds::Any;
  else if (name == "jpeg")
    options.image.kinds = ImageKinds::Jpeg;
  else if (name == "png")
    options.image.kinds = ImageKinds::Png;
  else if (name == "dct")
    options.image.scalesByDct = true;
  else if (name == "length")
    options.isLength = true;
  else if (name == "cut")
    options.cuts = true;
  else if (name == "split")
    options.splits = true;
  else
    return false;
  return true;
}

Status setValue(std::string_view name, std::string_view value,
                FieldOptions &options) {
  if (name == "resize")
    return setResize(value, options.image);
  if (name == "crop" && (value == "centre" || value == "center")) {
    options.image.cropsCentre = true;
  } else if (name == "crop") {
    GRAPHC_ASSIGN_OR_RETURN(options.image.window, parseWindow(value));
  } else if (name == "length") {
    options.isLength = true;
    GRAPHC_ASSIGN_OR_RETURN(options.mostLength, wholeNumber(name, value, 0));
  } else if (name == "pad") {
    options.pad = value;
  } else if (name == "default") {
    options.fallback = value;
  } else if (name == "vocab") {
    GRAPHC_ASSIGN_OR_RETURN(options.vocabulary,
                            Vocabulary::load(std::string(value)));
  } else if (name == "oov") {
    GRAPHC_ASSIGN_OR_RETURN(options.unknown, wholeNumber(name, value, -1));
  } else if (name == "hash") {
    GRAPHC_ASSIGN_OR_RETURN(options.buckets, wholeNumber(name, value, 1));
  } else {
    return invalidArgument("':" + std::string(name) + "' takes no value");
  }
  return Status::ok();
}

Status setOption(std::string_view text, FieldOptions &options) {
  size_t sign = text.find('=');
  std::string_view name = text.substr(0, sign);
  if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
    return invalidArgument(unknownName("a field", "option", name, kNames));
  if (sign != std::string_view::npos)
    return setValue(name, text.substr(sign + 1), options);
  if (setFlag(name, options))
    return Status::ok();
  return invalidArgument("':" + std::string(name) +
                         "' needs a value: ':" + std::string(name) + "=VALUE'");
}

bool isInteger(DType dtype) {
  return dtype == DType::UInt8 || dtype == DType::Int32 ||
         dtype == DType::Int64;
}

Status checkOptions(const DatasetSpec::Field &field,
                    const FieldOptions &options) {
  const TensorType &type = field.type;
  if (options.vocabulary && options.buckets > 0)
    return invalidArgument("':vocab' and ':hash' are two ways; take one");
  if (options.unknown && !options.vocabulary)
    return invalidArgument("':oov' goes with ':vocab'");
  if ((options.takesTexts() || options.isLength) && !isInteger(type.dtype))
    return invalidArgument("numbers of texts and lengths are integers, but the "
                           "field is declared " +
                           type.toString() + "; declare it i64");
  if (options.isLength && (!type.shape.empty() || options.takesTexts()))
    return invalidArgument(
        "':length' is one number, but the field is declared " +
        type.toString() + "; declare it i64");
  if (options.image.isAsked() && (!isImageType(type) || !options.isPlain()))
    return invalidArgument("an image is decoded to u8[HEIGHT, WIDTH, 1 or 3], "
                           "but the field is declared " +
                           type.toString() +
                           (options.isPlain() ? "" : " with other options"));
  if (options.pad)
    GRAPHC_TRY(FieldWriter::checkNumber(type, *options.pad));
  if (options.fallback && !options.takesTexts())
    GRAPHC_TRY(FieldWriter::checkNumber(type, *options.fallback));
  return Status::ok();
}

} // namespace

StatusOr<FieldOptions> parseFieldOptions(const DatasetSpec::Field &field,
                                         std::string_view text) {
  FieldOptions options;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == ':' && text.substr(at + 1, 1) != ":")
      break;
    at += text[at] == ':';
    options.key += text[at];
  }
  Status status;
  for (text.remove_prefix(at); !text.empty() && status.isOk();) {
    text.remove_prefix(1); // the colon
    std::string_view option = text.substr(0, text.find(':'));
    status = setOption(option, options);
    text.remove_prefix(option.size());
  }
  if (status.isOk())
    status = checkOptions(field, options);
  if (!status.isOk())
    return status.annotate("field '" + field.name + "'");
  if (options.key.empty())
    options.key = field.name;
  return options;
}

StatusOr<std::vector<FieldOptions>>
fieldOptionsOf(const DatasetSpec &spec, const DatasetFiles &files,
               std::span<const std::string_view> settings) {
  std::vector<FieldOptions> all;
  std::vector<std::string> names;
  for (const DatasetSpec::Field &field : spec.fields) {
    auto key = files.keys.find(field.name);
    GRAPHC_ASSIGN_OR_RETURN(
        FieldOptions options,
        parseFieldOptions(field, key == files.keys.end() ? "" : key->second));
    all.push_back(std::move(options));
    names.push_back(field.name);
  }
  for (const auto &[name, key] : files.keys)
    if (std::find(names.begin(), names.end(), name) == names.end() &&
        std::find(settings.begin(), settings.end(), name) == settings.end())
      return invalidArgument(unknownName("it", "field", name, names));
  return all;
}

} // namespace graphc::runtime
