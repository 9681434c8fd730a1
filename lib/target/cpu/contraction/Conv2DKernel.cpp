// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of the result is some pixels of one row times some vectors of
// channels. The reduction runs over the rows of the image that the filter meets
// and, for each, over (kw, channel), which is contiguous in a padded row. The
// gradient of the input is the same loop over the gradient of the output with
// the prepared filter. Behind a stride of s, pixels that are s apart meet the
// same columns of the filter, every s-th one, so a tile takes pixels of one
// residue modulo s and no product with a zero between pixels is computed.
#include "lib/target/cpu/contraction/Conv2DKernel.h"

#include "lib/target/cpu/contraction/MicroKernel.h"
#include "lib/target/cpu/contraction/PaddedImage.h"
#include "lib/target/cpu/contraction/PanelPacking.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace graphc {

/// Vectors side by side beyond which loading the filter costs more than it
/// saves in broadcasts.
constexpr int64_t kMaxVectors = 4;

namespace {

/// Pixels of a row of the result that meet the same columns of the filter.
struct PixelClass {
  int64_t first, count;   ///< Pixels first, first + spacing, ...
  int64_t firstTap, taps; ///< Columns firstTap, firstTap + spacing, ...
  int64_t imageColumn;    ///< That the first pixel meets first; may be < 0.
};

/// The convolution that is emitted, and the sizes that follow from it: out[h,
/// w] is the sum over the i and j for which the filter has these elements, of
/// image[i, j] * filter[i * spacing + padTop - h * stride, ...].
struct Conv2DLayout {
  PaddedImage image;
  int64_t batch, kernelHeight, kernelWidth;
  int64_t outHeight, outWidth, outChannels;
  int64_t strideHeight, strideWidth;   ///< In the image, of the forward pass.
  int64_t spacingHeight, spacingWidth; ///< In the filter, of the gradient.
  int64_t padTop, padLeft;
  int64_t imagesPerUnit, rowBlocks; ///< One of them is 1.
  int64_t epilogueOffset, filterOffset, scratchBytes;

  int64_t imageUnits() const { return ceilDiv(batch, imagesPerUnit); }
  PixelClass pixelClass(int64_t first) const;
  void plan(double flops, int64_t filterFloats);
};

PixelClass Conv2DLayout::pixelClass(int64_t first) const {
  int64_t firstTap = (padLeft - first) % spacingWidth;
  if (firstTap < 0)
    firstTap += spacingWidth;
  int64_t taps =
      ceilDiv(std::max<int64_t>(kernelWidth - firstTap, 0), spacingWidth);
  return {first, ceilDiv(outWidth - first, spacingWidth), firstTap, taps,
          (first + firstTap - padLeft) / spacingWidth};
}

void Conv2DLayout::plan(double flops, int64_t filterFloats) {
  int64_t left = image.width, right = 0;
  for (int64_t i = 0; i < std::min(spacingWidth, outWidth); ++i) {
    PixelClass pixels = pixelClass(i);
    left = std::min(left, pixels.imageColumn);
    right = std::max(right, pixels.imageColumn +
                                (pixels.count - 1) * strideWidth + pixels.taps);
  }
  // A first column beyond 0 stays: rows that need no padding are not copied.
  image.padLeft = std::max<int64_t>(-left, 0);
  image.paddedWidth = right + image.padLeft;
  int64_t wanted = wantedUnits(flops);
  imagesPerUnit = ceilDiv(batch, wanted);
  rowBlocks = imagesPerUnit > 1
                  ? 1
                  : std::clamp<int64_t>(std::min<int64_t>(wanted, 16) / batch,
                                        1, outHeight);
  int64_t blockHeight = ceilDiv(outHeight, rowBlocks);
  int64_t reach = (blockHeight - 1) * strideHeight + kernelHeight;
  image.maxRows = std::min(image.height, ceilDiv(reach, spacingHeight));
  epilogueOffset = roundUp(image.scratchFloats() * 4, 64);
  filterOffset = epilogueOffset + kEpilogueScratchFloats * 4;
  scratchBytes = filterOffset + roundUp(filterFloats * 4, 64);
}

Conv2DLayout forwardLayout(const tfir::Conv2DSpec &spec) {
  Conv2DLayout layout;
  layout.image = {spec.inHeight, spec.inWidth, spec.inChannels};
  layout.batch = spec.batch;
  layout.kernelHeight = spec.kernelHeight;
  layout.kernelWidth = spec.kernelWidth;
  layout.outHeight = spec.outHeight;
  layout.outWidth = spec.outWidth;
  layout.outChannels = spec.outChannels;
  layout.strideHeight = spec.strideHeight;
  layout.strideWidth = spec.strideWidth;
  layout.spacingHeight = layout.spacingWidth = 1;
  layout.padTop = spec.padTop;
  layout.padLeft = spec.padLeft;
  layout.plan(spec.flops(), 0);
  return layout;
}

Conv2DLayout backpropLayout(const tfir::Conv2DSpec &spec, bool filterPrepared) {
  Conv2DLayout layout;
  layout.image = {spec.outHeight, spec.outWidth, spec.outChannels};
  layout.batch = spec.batch;
  layout.kernelHeight = spec.kernelHeight;
  layout.kernelWidth = spec.kernelWidth;
  layout.outHeight = spec.inHeight;
  layout.outWidth = spec.inWidth;
  layout.outChannels = spec.inChannels;
  layout.strideHeight = layout.strideWidth = 1;
  layout.spacingHeight = spec.strideHeight;
  layout.spacingWidth = spec.strideWidth;
  layout.padTop = spec.kernelHeight - 1 - spec.padTop;
  layout.padLeft = spec.kernelWidth - 1 - spec.padLeft;
  layout.plan(spec.flops(), filterPrepared ? 0 : spec.filterElements());
  return layout;
}

/// Emits one convolution.
class Conv2DEmitter {
public:
  Conv2DEmitter(KernelBuilder &builder, const Conv2DLayout &layout,
                const RegisterTile &tile, Value images, Value filter,
                const Epilogue &epilogue, Value scratch)
      : b(builder), layout(layout), tile(tile), vectors(widestTile()),
        epilogue(epilogue), filter(b.flatten(filter)),
        epilogueScratch(
            b.floats(scratch, layout.epilogueOffset, kEpilogueScratchFloats)),
        reader(b, layout.image, b.flatten(images), imageScratch(scratch)) {}

  void emitUnits(Value begin, Value end);

private:
  void emitBlock(Value image, Value block);
  void emitPanel(Value column, int64_t columns);
  void emitRow(Value outRow, Value column, int64_t columns);
  void emitPixels(const PixelClass &pixels, Value outRow, Value column,
                  int64_t columns);
  void emitTile(const PixelClass &pixels, Value outRow, Value first,
                int64_t count, Value column, int64_t columns);

  /// The image row of the first row of the filter, in units of 1 / spacing.
  Value topOf(Value outRow) {
    return b.add(b.mul(outRow, layout.strideHeight), -layout.padTop);
  }
  /// The image rows that the filter meets from `top` on.
  Value firstImageRow(Value top) {
    Value first = b.max(top, b.constant(0));
    return b.div(b.add(first, layout.spacingHeight - 1), layout.spacingHeight);
  }
  Value lastImageRow(Value top) {
    Value last = b.add(top, layout.kernelHeight - 1 + layout.spacingHeight);
    return b.min(b.div(b.max(last, b.constant(0)), layout.spacingHeight),
                 b.constant(layout.image.height));
  }

  /// Vectors per tile: as many as fill the registers with the pixels of a row.
  int64_t widestTile() const {
    int64_t count = 2;
    while (count < kMaxVectors && tile.rows(count + 1) >= layout.outWidth)
      ++count;
    return std::min(count, ceilDiv(layout.outChannels, tile.width));
  }
  Value imageScratch(Value scratch) {
    int64_t count = layout.image.scratchFloats();
    return count ? b.floats(scratch, 0, count) : Value();
  }

  KernelBuilder &b;
  const Conv2DLayout &layout;
  const RegisterTile &tile;
  int64_t vectors;
  const Epilogue &epilogue;
  Value filter, epilogueScratch;
  PaddedImageReader reader;
  Value image, firstOutRow, lastOutRow; ///< Being emitted.
};

void Conv2DEmitter::emitUnits(Value begin, Value end) {
  if (layout.rowBlocks > 1) {
    b.loop(begin, end, 1, [&](Value unit) {
      emitBlock(b.div(unit, layout.rowBlocks), b.rem(unit, layout.rowBlocks));
    });
    return;
  }
  Value last =
      b.min(b.mul(end, layout.imagesPerUnit), b.constant(layout.batch));
  b.loop(b.mul(begin, layout.imagesPerUnit), last, 1,
         [&](Value image) { emitBlock(image, b.constant(0)); });
}

void Conv2DEmitter::emitBlock(Value whichImage, Value block) {
  image = whichImage;
  firstOutRow = b.div(b.mul(block, layout.outHeight), layout.rowBlocks);
  lastOutRow =
      b.div(b.mul(b.add(block, 1), layout.outHeight), layout.rowBlocks);
  reader.emitOpen(image, firstImageRow(topOf(firstOutRow)),
                  lastImageRow(topOf(b.add(lastOutRow, -1))));
  b.blocks(layout.outChannels, vectors * tile.width,
           [&](Value column, int64_t columns) { emitPanel(column, columns); });
}

void Conv2DEmitter::emitPanel(Value column, int64_t columns) {
  b.loop(firstOutRow, lastOutRow, 1,
         [&](Value row) { emitRow(row, column, columns); });
}

void Conv2DEmitter::emitRow(Value outRow, Value column, int64_t columns) {
  int64_t classes = std::min(layout.spacingWidth, layout.outWidth);
  for (int64_t i = 0; i < classes; ++i)
    emitPixels(layout.pixelClass(i), outRow, column, columns);
}

void Conv2DEmitter::emitPixels(const PixelClass &pixels, Value outRow,
                               Value column, int64_t columns) {
  RowTiling tiling(pixels.count, tile.rows(ceilDiv(columns, tile.width)));
  int64_t higher = tiling.higher * (tiling.height + 1);
  auto emit = [&](int64_t from, int64_t to, int64_t count) {
    b.loop(b.constant(from), b.constant(to), count, [&](Value first) {
      emitTile(pixels, outRow, first, count, column, columns);
    });
  };
  emit(0, higher, tiling.height + 1);
  emit(higher, pixels.count, tiling.height);
}

void Conv2DEmitter::emitTile(const PixelClass &pixels, Value outRow,
                             Value first, int64_t count, Value column,
                             int64_t columns) {
  int64_t channels = layout.image.channels;
  int64_t tapFloats = channels * layout.outChannels;
  int64_t rowFloats = layout.kernelWidth * tapFloats;
  Value top = topOf(outRow), zero = b.constant(0);
  MicroKernel kernel;
  kernel.a = reader.buffer();
  kernel.aBase =
      b.add(b.add(reader.rowBase(zero),
                  (layout.image.padLeft + pixels.imageColumn) * channels),
            b.mul(first, layout.strideWidth * channels));
  for (int64_t pixel = 0; pixel < count; ++pixel)
    kernel.rowOffsets.push_back(pixel * layout.strideWidth * channels);
  kernel.b = filter;
  kernel.bBase =
      b.add(b.sub(column, b.mul(top, rowFloats)), pixels.firstTap * tapFloats);
  kernel.columns = columns;
  kernel.width = tile.width;
  kernel.loops = {{firstImageRow(top), lastImageRow(top),
                   layout.image.rowFloats(), layout.spacingHeight * rowFloats}};
  if (layout.spacingWidth == 1) {
    kernel.loops.push_back(
        {zero, b.constant(pixels.taps * channels), 1, layout.outChannels});
  } else {
    kernel.loops.push_back({zero, b.constant(pixels.taps), channels,
                            layout.spacingWidth * tapFloats});
    kernel.loops.push_back({zero, b.constant(channels), 1, layout.outChannels});
  }
  Value outColumn = b.add(b.mul(first, layout.spacingWidth), pixels.first);
  ResultTile result{{image, outRow, outColumn, column},
                    /*rowDim=*/2,
                    count,
                    columns,
                    tile.width,
                    emitMicroKernel(b, kernel),
                    layout.spacingWidth};
  emitEpilogue(b, epilogue, result, epilogueScratch);
}

ContractionPlan planOf(const Conv2DLayout &layout,
                       const tfir::Conv2DSpec &spec) {
  ContractionPlan plan;
  plan.units = layout.imageUnits() * layout.rowBlocks;
  plan.scratchBytes = layout.scratchBytes;
  plan.flops = spec.flops();
  plan.bytes =
      4.0 * (spec.batch * (spec.inHeight * spec.inWidth * spec.inChannels +
                           spec.outHeight * spec.outWidth * spec.outChannels) +
             spec.filterElements());
  return plan;
}

} // namespace

ContractionPlan planConv2D(const tfir::Conv2DSpec &spec) {
  return planOf(forwardLayout(spec), spec);
}

void emitConv2D(OpBuilder &builder, Location loc, const tfir::Conv2DSpec &spec,
                Value input, Value filter, const Epilogue &epilogue,
                Value scratch, Value begin, Value end,
                const RegisterTile &tile) {
  KernelBuilder b(loc, builder);
  Conv2DLayout layout = forwardLayout(spec);
  Conv2DEmitter(b, layout, tile, input, filter, epilogue, scratch)
      .emitUnits(begin, end);
}

ContractionPlan planConv2DBackpropInput(const tfir::Conv2DSpec &spec,
                                        bool filterPrepared) {
  return planOf(backpropLayout(spec, filterPrepared), spec);
}

void emitConv2DBackpropInput(OpBuilder &builder, Location loc,
                             const tfir::Conv2DSpec &spec, Value gradient,
                             Value filter, bool filterPrepared,
                             const Epilogue &epilogue, Value scratch,
                             Value begin, Value end, const RegisterTile &tile) {
  KernelBuilder b(loc, builder);
  Conv2DLayout layout = backpropLayout(spec, filterPrepared);
  if (!filterPrepared) {
    Value prepared =
        b.floats(scratch, layout.filterOffset, spec.filterElements());
    emitPrepareFilter(b, loc, spec, filter, prepared, b.constant(0),
                      b.constant(spec.kernelHeight * spec.kernelWidth));
    filter = prepared;
  }
  Conv2DEmitter(b, layout, tile, gradient, filter, epilogue, scratch)
      .emitUnits(begin, end);
}

ContractionPlan planPrepareFilter(const tfir::Conv2DSpec &spec) {
  ContractionPlan plan;
  plan.units = spec.kernelHeight * spec.kernelWidth;
  plan.bytes = 8.0 * spec.filterElements();
  return plan;
}

void emitPrepareFilter(OpBuilder &builder, Location loc,
                       const tfir::Conv2DSpec &spec, Value filter,
                       Value prepared, Value begin, Value end) {
  KernelBuilder b(loc, builder);
  Value source = b.flatten(filter), target = b.flatten(prepared);
  int64_t taps = spec.kernelHeight * spec.kernelWidth;
  int64_t floats = spec.inChannels * spec.outChannels;
  b.loop(begin, end, 1, [&](Value tap) {
    Value mirrored = b.sub(b.constant(taps - 1), tap);
    emitTransposeBlock(b, {source, b.mul(tap, floats), spec.outChannels, target,
                           b.mul(mirrored, floats), spec.inChannels,
                           spec.inChannels, spec.outChannels});
  });
}

} // namespace graphc
