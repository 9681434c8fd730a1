// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies rows into scratch. The zeros around the pixels are written once per
// range of units: no copy touches them.
#include "lib/target/cpu/contraction/PaddedImage.h"

#include "lib/target/cpu/contraction/PanelPacking.h"

using namespace mlir;

namespace graphc {

PaddedImageReader::PaddedImageReader(KernelBuilder &builder,
                                     const PaddedImage &layout, Value images,
                                     Value scratch)
    : b(builder), layout(layout), images(images), scratch(scratch) {
  if (scratch)
    emitFill(b, scratch, b.constant(0), layout.scratchFloats(), 0.0f);
}

void PaddedImageReader::emitOpen(Value image, Value first, Value last) {
  int64_t channels = layout.channels;
  int64_t stored = layout.width * channels;
  imageBase = b.mul(image, layout.height * stored);
  firstRow = first;
  if (!scratch)
    return;
  // So many pixels of a row land inside of the padded row.
  int64_t pixels = std::min(layout.width, layout.paddedWidth - layout.padLeft);
  if (pixels <= 0)
    return;
  Value source = b.add(imageBase, b.mul(first, stored));
  int64_t target =
      layout.padLeft * channels + layout.topRows * layout.rowFloats();
  emitCopyBlock(b, {images, source, stored, scratch, b.constant(target),
                    layout.rowFloats(), b.sub(last, first), pixels * channels});
}

Value PaddedImageReader::rowBase(Value row) {
  if (!scratch)
    return b.add(imageBase, b.mul(row, layout.rowFloats()));
  return b.mul(b.add(b.sub(row, firstRow), layout.topRows), layout.rowFloats());
}

} // namespace graphc
