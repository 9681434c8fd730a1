// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing the values of one field of one example, as its options say.
#ifndef GRAPHC_RUNTIME_DATA_FIELDS_FIELDWRITER_H
#define GRAPHC_RUNTIME_DATA_FIELDS_FIELDWRITER_H

#include "runtime/base/DType.h"
#include "runtime/data/fields/FieldOptions.h"

#include <cstddef>
#include <string_view>

namespace graphc::runtime {

/// Values are added one after the other; finish() pads what is missing. A
/// failure's text names the value that is wrong, to be put after "has ".
/// Thread-safety: one thread.
class FieldWriter {
public:
  /// `to` has room for type.numBytes(). Both references outlive the writer.
  FieldWriter(const TensorType &type, const FieldOptions &options,
              std::byte *to)
      : type(type), options(options), to(to), room(type.numElements()) {}

  Status addInteger(int64_t value);
  Status addReal(double value);
  /// By vocabulary or hash; else a number in digits. Words of it, where the
  /// field's texts are split.
  Status addText(std::string_view text);
  Status finish();

  /// Writes the default; failure: there is none.
  Status addFallback();

  /// INVALID_ARGUMENT where a text is no number that fits an element.
  static Status checkNumber(const TensorType &type, std::string_view text);

private:
  Status addWord(std::string_view word);
  Status addDigits(std::string_view text);
  bool isFull() const { return count >= room; }
  template <typename T> void store(T value);
  void storeInteger(int64_t value);
  void storeReal(double value);

  const TensorType &type;
  const FieldOptions &options;
  std::byte *to;
  int64_t room;
  int64_t count = 0;
};

} // namespace graphc::runtime

#endif
