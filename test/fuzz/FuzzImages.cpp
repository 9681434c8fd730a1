// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JPEG and PNG images: any bytes are refused with a reason, or fill the field.
// The first byte says how they are cropped and resized.
#include "runtime/data/image/ImageField.h"
#include "test/fuzz/Input.h"

#include <vector>

using namespace graphc;
using namespace graphc::runtime;

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  auto choice = input.take<uint8_t>();
  std::span<const std::byte> bytes = input.takeBytes(size);
  // What a bomb of pixels is, a limit tells; here it only takes time.
  if (size > 1 << 16)
    return 0;
  ImageRules rules;
  rules.resizing = static_cast<Resizing>(choice % 5);
  rules.cropsCentre = choice & 0x10;
  rules.scalesByDct = choice & 0x20;
  if (choice & 0x40)
    rules.window = ImageWindow{1, 1, choice & 0x20 ? 3 : 0, 3};
  TensorType type{DType::UInt8, {4, 5, choice & 0x80 ? 3 : 1}};
  std::vector<std::byte> pixels(type.numBytes());
  test::requireMessage(decodeImageField(bytes, type, rules, pixels.data()));
  return 0;
}
