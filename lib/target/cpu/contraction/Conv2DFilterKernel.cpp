// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of the result is some rows (kh, kw, ci) of the filter times some
// vectors of output channels; the reduction runs over the pixels of one image.
// Between the images of a chunk the sums rest in the output, which the L2
// holds. The rows of a tile are contiguous in a padded row of the image as long
// as kh is the same; filters of few rows have tiles that span several kh.
#include "lib/target/cpu/contraction/Conv2DFilterKernel.h"

#include "lib/target/cpu/contraction/MicroKernel.h"
#include "lib/target/cpu/contraction/PaddedImage.h"
#include "lib/target/cpu/contraction/PanelPacking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace graphc {

constexpr int64_t kPanelColumns = 32;
constexpr int64_t kMaxPartials = 16;
/// Bytes of all partial sums together: they are written and read once more.
constexpr int64_t kMaxPartialBytes = 8 << 20;
/// Most rows of a filter whose tiles are emitted one by one.
constexpr int64_t kMaxUnrolledRows = 56;

namespace {

struct FilterLayout {
  PaddedImage image;
  int64_t partials, panels, columnUnits;
  int64_t rows, rowsPerTap; ///< Of the filter; of one kh.
  bool isUnrolled;
  int64_t scratchBytes;

  explicit FilterLayout(const tfir::Conv2DSpec &spec);
};

FilterLayout::FilterLayout(const tfir::Conv2DSpec &spec) {
  rowsPerTap = spec.kernelWidth * spec.inChannels;
  rows = spec.kernelHeight * rowsPerTap;
  isUnrolled = rows <= kMaxUnrolledRows && spec.kernelHeight > 1;
  image = {spec.inHeight, spec.inWidth, spec.inChannels};
  image.padLeft = spec.padLeft;
  image.paddedWidth = (spec.outWidth - 1) * spec.strideWidth + spec.kernelWidth;
  image.maxRows = spec.inHeight;
  if (isUnrolled) {
    image.topRows = spec.padTop;
    int64_t reach =
        (spec.outHeight - 1) * spec.strideHeight + spec.kernelHeight;
    image.bottomRows =
        std::max<int64_t>(reach - spec.padTop - spec.inHeight, 0);
  }
  scratchBytes = roundUp(image.scratchFloats() * 4, 64);
  int64_t wanted = wantedUnits(spec.flops());
  int64_t fitting =
      std::max<int64_t>(kMaxPartialBytes / (spec.filterElements() * 4), 1);
  partials = std::min({wanted, spec.batch, kMaxPartials, fitting});
  panels = ceilDiv(spec.outChannels, kPanelColumns);
  columnUnits =
      std::min(panels, ceilDiv(std::min(wanted, kMaxPartials), partials));
}

/// Emits one filter gradient.
class FilterEmitter {
public:
  FilterEmitter(KernelBuilder &builder, const tfir::Conv2DSpec &spec,
                const FilterLayout &layout, const RegisterTile &tile,
                Value input, Value gradient, Value output, Value scratch)
      : b(builder), spec(spec), layout(layout), tile(tile),
        gradient(b.flatten(gradient)), output(b.flatten(output)),
        reader(b, layout.image, b.flatten(input), imageScratch(scratch)) {}

  void emitUnit(Value unit);

private:
  using PanelBody = llvm::function_ref<void(Value column, int64_t columns)>;
  void forEachPanel(PanelBody body);
  void emitZeros(Value column, int64_t columns);
  void emitImage(Value column, int64_t columns);
  void emitTap(Value tap, Value column, int64_t columns);
  ReductionLoop outRowsOf(Value tap);
  void emitTile(const ReductionLoop &outRows, Value aBase,
                ArrayRef<int64_t> rowOffsets, Value row, Value column,
                int64_t columns);

  int64_t vectorsOf(int64_t columns) const {
    return std::min<int64_t>(2, ceilDiv(columns, tile.width));
  }
  Value imageScratch(Value scratch) {
    int64_t count = layout.image.scratchFloats();
    return count ? b.floats(scratch, 0, count) : Value();
  }

  KernelBuilder &b;
  const tfir::Conv2DSpec &spec;
  const FilterLayout &layout;
  const RegisterTile &tile;
  Value gradient, output;
  PaddedImageReader reader;
  Value partialBase, firstPanel, lastPanel; ///< Of the unit being emitted.
  Value gradientBase;                       ///< Of the image being emitted.
};

void FilterEmitter::emitUnit(Value unit) {
  Value chunk = b.div(unit, layout.columnUnits);
  Value group = b.rem(unit, layout.columnUnits);
  firstPanel = b.div(b.mul(group, layout.panels), layout.columnUnits);
  lastPanel = b.div(b.mul(b.add(group, 1), layout.panels), layout.columnUnits);
  partialBase = b.mul(chunk, spec.filterElements());
  forEachPanel(
      [&](Value column, int64_t columns) { emitZeros(column, columns); });
  Value first = b.div(b.mul(chunk, spec.batch), layout.partials);
  Value last = b.div(b.mul(b.add(chunk, 1), spec.batch), layout.partials);
  b.loop(first, last, 1, [&](Value image) {
    reader.emitOpen(image, b.constant(0), b.constant(spec.inHeight));
    gradientBase =
        b.mul(image, spec.outHeight * spec.outWidth * spec.outChannels);
    forEachPanel(
        [&](Value column, int64_t columns) { emitImage(column, columns); });
  });
}

void FilterEmitter::forEachPanel(PanelBody body) {
  int64_t rest = spec.outChannels - (layout.panels - 1) * kPanelColumns;
  b.loop(firstPanel, lastPanel, 1, [&](Value panel) {
    Value column = b.mul(panel, kPanelColumns);
    if (layout.panels == 1 || rest == kPanelColumns)
      return body(column, rest);
    b.ifEqual(
        panel, layout.panels - 1, [&] { body(column, rest); },
        [&] { body(column, kPanelColumns); });
  });
}

void FilterEmitter::emitZeros(Value column, int64_t columns) {
  b.loop(b.constant(0), b.constant(layout.rows), 1, [&](Value row) {
    Value base =
        b.add(b.add(partialBase, b.mul(row, spec.outChannels)), column);
    emitFill(b, output, base, columns, 0.0f);
  });
}

void FilterEmitter::emitImage(Value column, int64_t columns) {
  if (!layout.isUnrolled) {
    b.loop(b.constant(0), b.constant(spec.kernelHeight), 1,
           [&](Value tap) { emitTap(tap, column, columns); });
    return;
  }
  ReductionLoop outRows{b.constant(0), b.constant(spec.outHeight),
                        spec.strideHeight * layout.image.rowFloats(),
                        spec.outWidth * spec.outChannels};
  Value aBase = reader.rowBase(b.constant(-spec.padTop));
  RowTiling tiling(layout.rows, tile.rows(vectorsOf(columns)));
  for (int64_t t = 0, row = 0; t < tiling.tiles; ++t) {
    SmallVector<int64_t> offsets;
    int64_t end = row + tiling.height + (t < tiling.higher);
    for (int64_t r = row; r < end; ++r)
      offsets.push_back(r / layout.rowsPerTap * layout.image.rowFloats() +
                        r % layout.rowsPerTap);
    emitTile(outRows, aBase, offsets, b.constant(row), column, columns);
    row = end;
  }
}

ReductionLoop FilterEmitter::outRowsOf(Value tap) {
  // Rows of the result for which row `tap` of the filter lies on the image.
  int64_t stride = spec.strideHeight;
  Value zero = b.constant(0);
  Value above = b.sub(b.constant(spec.padTop + stride - 1), tap);
  Value first = b.div(b.max(above, zero), stride);
  Value below = b.max(b.add(above, spec.inHeight), zero);
  Value last = b.min(b.div(below, stride), b.constant(spec.outHeight));
  return {first, last, stride * layout.image.rowFloats(),
          spec.outWidth * spec.outChannels};
}

void FilterEmitter::emitTap(Value tap, Value column, int64_t columns) {
  ReductionLoop outRows = outRowsOf(tap);
  Value aBase = reader.rowBase(b.add(tap, -spec.padTop));
  RowTiling tiling(layout.rowsPerTap, tile.rows(vectorsOf(columns)));
  int64_t higher = tiling.higher * (tiling.height + 1);
  auto emit = [&](int64_t from, int64_t to, int64_t height) {
    SmallVector<int64_t> offsets =
        llvm::to_vector(llvm::seq<int64_t>(0, height));
    b.loop(b.constant(from), b.constant(to), height, [&](Value first) {
      emitTile(outRows, b.add(aBase, first), offsets,
               b.add(b.mul(tap, layout.rowsPerTap), first), column, columns);
    });
  };
  emit(0, higher, tiling.height + 1);
  emit(higher, layout.rowsPerTap, tiling.height);
}

void FilterEmitter::emitTile(const ReductionLoop &outRows, Value aBase,
                             ArrayRef<int64_t> rowOffsets, Value row,
                             Value column, int64_t columns) {
  int64_t step = vectorsOf(columns) * tile.width;
  b.blocks(columns, step, [&](Value offset, int64_t width) {
    MicroKernel kernel;
    kernel.a = reader.buffer();
    kernel.aBase = aBase;
    kernel.rowOffsets.assign(rowOffsets.begin(), rowOffsets.end());
    kernel.b = gradient;
    kernel.bBase = b.add(b.add(gradientBase, column), offset);
    kernel.columns = width;
    kernel.width = tile.width;
    kernel.loops = {outRows,
                    {b.constant(0), b.constant(spec.outWidth),
                     spec.strideWidth * spec.inChannels, spec.outChannels}};
    Value base =
        b.add(b.add(b.add(partialBase, b.mul(row, spec.outChannels)), column),
              offset);
    SmallVector<Value> sums = emitMicroKernel(b, kernel);
    int64_t perRow = kernel.vectorsPerRow();
    for (auto [i, sum] : llvm::enumerate(sums)) {
      int64_t c = i % perRow * tile.width;
      Value place = b.add(base, i / perRow * spec.outChannels + c);
      Value mask = b.mask(tile.width, kernel.columns - c);
      Value before = b.load(b.floatVector(tile.width), output, place, mask);
      b.store(arith::AddFOp::create(b, before, sum), output, place, mask);
    }
  });
}

} // namespace

ContractionPlan planConv2DBackpropFilter(const tfir::Conv2DSpec &spec) {
  FilterLayout layout(spec);
  ContractionPlan plan;
  plan.partials = layout.partials;
  plan.units = layout.partials * layout.columnUnits;
  plan.scratchBytes = layout.scratchBytes;
  plan.flops = spec.flops();
  plan.bytes =
      4.0 * (spec.batch * (spec.inHeight * spec.inWidth * spec.inChannels +
                           spec.outHeight * spec.outWidth * spec.outChannels) +
             layout.partials * spec.filterElements());
  return plan;
}

void emitConv2DBackpropFilter(OpBuilder &builder, Location loc,
                              const tfir::Conv2DSpec &spec, Value input,
                              Value gradient, Value output, Value scratch,
                              Value begin, Value end,
                              const RegisterTile &tile) {
  KernelBuilder b(loc, builder);
  FilterLayout layout(spec);
  FilterEmitter emitter(b, spec, layout, tile, input, gradient, output,
                        scratch);
  b.loop(begin, end, 1, [&](Value unit) { emitter.emitUnit(unit); });
}

} // namespace graphc
