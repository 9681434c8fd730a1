// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of a field in --data, "KEY:vocab=words.txt:pad=0": rules by which its
// elements are made of what a file has.
#ifndef GRAPHC_RUNTIME_DATA_FIELDS_FIELDOPTIONS_H
#define GRAPHC_RUNTIME_DATA_FIELDS_FIELDOPTIONS_H

#include "runtime/base/Status.h"
#include "runtime/data/DatasetFiles.h"
#include "runtime/data/fields/Vocabulary.h"
#include "runtime/data/image/ImageRules.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Thread-safety: as a value type; read by any thread.
struct FieldOptions {
  std::string key; ///< of the feature, column or array; else the field's name
  ImageRules image;
  bool isLength = false;             ///< the field is the number of values
  std::optional<int64_t> mostLength; ///< what it is at most
  std::optional<std::string> pad;    ///< a number, for values that are missing
  bool cuts = false;                 ///< values beyond the last are left out
  bool splits = false;               ///< a text is its words, between blanks
  std::optional<std::string>
      fallback; ///< for a feature or cell that is missing
  std::shared_ptr<const Vocabulary> vocabulary;
  std::optional<int64_t> unknown; ///< the number of words that are not in it
  int64_t buckets = 0;            ///< texts become hash % buckets; 0: none

  /// Texts become numbers.
  bool takesTexts() const { return vocabulary || buckets > 0; }
  /// No option but the key and those of images.
  bool isPlain() const {
    return !isLength && !pad && !cuts && !splits && !fallback && !takesTexts();
  }
};

/// Reads "KEY[:OPTION[=VALUE]...]" and the files that it names; '::' in a KEY
/// is a ':'. INVALID_ARGUMENT for an option that there is not, or that does not
/// fit the field's type.
StatusOr<FieldOptions> parseFieldOptions(const DatasetSpec::Field &field,
                                         std::string_view text);

/// The options of each field, in their order. INVALID_ARGUMENT for a key in
/// files.keys that is neither a field nor one of the settings.
StatusOr<std::vector<FieldOptions>>
fieldOptionsOf(const DatasetSpec &spec, const DatasetFiles &files,
               std::span<const std::string_view> settings = {});

} // namespace graphc::runtime

#endif
