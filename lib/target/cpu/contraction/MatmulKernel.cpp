// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops, from the outside: product of the batch, block of rows (its part of
// A fits the L2), chunk of K (only where a packed panel of B or the block of A
// would not fit), panel of 32 columns (its part of B packed into scratch), tile
// of rows (accumulators in registers). Between chunks of K the accumulators of
// a group of panels rest in scratch. Each chunk is summed up on its own before
// it is added, which also keeps the rounding error of a long K low.
#include "lib/target/cpu/contraction/MatmulKernel.h"

#include "lib/target/cpu/contraction/MicroKernel.h"
#include "lib/target/cpu/contraction/PanelPacking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace graphc {

constexpr int64_t kPanelColumns = 32;
/// Longest piece of K that is accumulated in one go.
constexpr int64_t kMaxDepth = 800;
/// Elements of A that a block of rows may hold: most of an L2 of 1 MB.
constexpr int64_t kBlockElements = 200 * 1024;
/// Distance in memory at which the rows of A fall on the same sets of the L1.
constexpr int64_t kAliasingBytes = 4096;
/// Fewest rows and panels that make up for a copy of A.
constexpr int64_t kCopiedRows = 8, kCopiedPanels = 4;
/// Floats that keep the rows of a copy of A off the same sets.
constexpr int64_t kSkewFloats = 16;
/// Panels whose accumulators rest in scratch between two chunks of K.
constexpr int64_t kGroupPanels = 8;

namespace {

/// Widest tile: a panel of one vector leaves room for this many rows.
constexpr int64_t kMaxTileRows = kTileX86V4.rows(1);

/// Vectors side by side in a tile of a panel with `columns` columns.
int64_t vectorsOf(const RegisterTile &tile, int64_t columns) {
  return std::min<int64_t>(2, ceilDiv(columns, tile.width));
}

RowTiling tilingOf(const tfir::MatmulSpec &spec, const RegisterTile &tile) {
  int64_t vectors = vectorsOf(tile, std::min(spec.n, kPanelColumns));
  return RowTiling(spec.m, tile.rows(vectors));
}

/// First row of tile `t`.
int64_t firstRow(const RowTiling &tiling, int64_t t) {
  return t * tiling.height + std::min(t, tiling.higher);
}

/// Most rows that one of `blocks` blocks has.
int64_t highestBlock(const RowTiling &tiling, int64_t blocks) {
  int64_t highest = 0;
  for (int64_t i = 0; i < blocks; ++i)
    highest =
        std::max(highest, firstRow(tiling, tiling.tiles * (i + 1) / blocks) -
                              firstRow(tiling, tiling.tiles * i / blocks));
  return highest;
}

/// All sizes that follow from the spec, the same for every register tile.
struct MatmulLayout {
  int64_t panels, panelWidth;     ///< Of C; floats in a packed row of B.
  int64_t rowBlocks, columnUnits; ///< Units = their product.
  int64_t panelsPerUnit;
  int64_t depth, chunks; ///< Of K; the last chunk may be shorter.
  int64_t blockRows = 0; ///< Rows of the highest block.
  bool copiesLeft; ///< The block of A is copied to rows that do not alias.
  int64_t leftOffset, accumulatorOffset, epilogueOffset, scratchBytes;

  int64_t leftStride() const { return depth + kSkewFloats; }
  int64_t unitsPerProduct() const { return rowBlocks * columnUnits; }
  MatmulLayout(const tfir::MatmulSpec &spec, int64_t products);
};

MatmulLayout::MatmulLayout(const tfir::MatmulSpec &spec, int64_t products) {
  panels = ceilDiv(spec.n, kPanelColumns);
  panelWidth = std::min(kPanelColumns, roundUp(spec.n, 16));
  chunks = ceilDiv(spec.k, kMaxDepth);
  depth = ceilDiv(spec.k, chunks);
  // Products give the units; parts of them do where they are too few.
  int64_t wanted =
      ceilDiv(wantedUnits(2.0 * spec.m * spec.n * spec.k * products), products);
  int64_t fitting = std::max(kBlockElements / depth, kMaxTileRows);
  // Panels give the units; rows do where the panels are too few.
  rowBlocks = std::max(ceilDiv(spec.m, fitting),
                       std::min<int64_t>(wanted, 16) / panels);
  rowBlocks = std::clamp<int64_t>(rowBlocks, 1, ceilDiv(spec.m, kMaxTileRows));
  panelsPerUnit = ceilDiv(panels * rowBlocks, std::max(wanted, rowBlocks));
  columnUnits = ceilDiv(panels, panelsPerUnit);
  for (const RegisterTile &tile : {kTileX86V3, kTileX86V4})
    blockRows =
        std::max(blockRows, highestBlock(tilingOf(spec, tile), rowBlocks));
  copiesLeft = !spec.transposeA && spec.k * 4 % kAliasingBytes == 0 &&
               spec.m >= kCopiedRows && panels >= kCopiedPanels;
  leftOffset = roundUp(depth * panelWidth * 4, 64);
  accumulatorOffset =
      leftOffset + (copiesLeft ? roundUp(blockRows * leftStride() * 4, 64) : 0);
  int64_t resting =
      chunks > 1 ? blockRows * kPanelColumns * kGroupPanels * 4 : 0;
  epilogueOffset = accumulatorOffset + resting;
  scratchBytes = epilogueOffset + kEpilogueScratchFloats * 4;
}

/// A piece of K.
struct Chunk {
  Value begin;
  int64_t depth;
  bool isLast; ///< The epilogue follows; otherwise the accumulators rest.
};

/// Emits a batch of matmuls.
class MatmulEmitter {
public:
  MatmulEmitter(KernelBuilder &builder, const tfir::MatmulSpec &spec,
                const tfir::MatmulBatch &batch, const RegisterTile &tile,
                Value left, Value right, const Epilogue &epilogue,
                Value scratch)
      : b(builder), spec(spec), batch(batch), layout(spec, batch.count()),
        tile(tile), tiling(tilingOf(spec, tile)), epilogue(epilogue),
        left(b.flatten(left)), right(b.flatten(right)),
        panel(b.floats(scratch, 0, layout.depth * layout.panelWidth)),
        epilogueScratch(
            b.floats(scratch, layout.epilogueOffset, kEpilogueScratchFloats)) {
    if (layout.copiesLeft)
      copy = b.floats(scratch, layout.leftOffset,
                      layout.blockRows * layout.leftStride());
    if (layout.chunks > 1)
      resting = b.floats(scratch, layout.accumulatorOffset,
                         kGroupPanels * panelFloats());
  }

  void emitUnits(Value begin, Value end);

private:
  void enterProduct(Value product);
  void emitProduct(Value begin, Value end);
  void emitGroup(Value firstPanel, Value lastPanel);
  void emitPanels(Value firstPanel, Value lastPanel, Value group,
                  const Chunk &chunk);
  void emitPanel(Value p, int64_t columns, Value slot, const Chunk &chunk);
  void emitPack(Value column, int64_t columns, const Chunk &chunk);
  void emitTiles(llvm::function_ref<void(Value row, int64_t rows)> emit);
  void emitTile(Value row, int64_t rows, Value column, Value offset,
                int64_t columns, Value slot, const Chunk &chunk);
  /// Adds what rests at `base` to `sums`, which then rest there unless isLast.
  void addResting(SmallVector<Value> &sums, Value base, int64_t perRow,
                  bool isLast);

  /// Reading B in place costs a page per row; packing pays off when the panel
  /// is read more than once.
  bool isPacked() const {
    return spec.transposeB ||
           (tiling.tiles > layout.rowBlocks && spec.n != layout.panelWidth);
  }
  Value firstRowOf(Value t) {
    return b.add(b.mul(t, tiling.height), b.min(t, b.constant(tiling.higher)));
  }
  /// Accumulators of one panel of a row block.
  int64_t panelFloats() const { return layout.blockRows * kPanelColumns; }

  KernelBuilder &b;
  const tfir::MatmulSpec &spec;
  const tfir::MatmulBatch &batch;
  MatmulLayout layout;
  const RegisterTile &tile;
  RowTiling tiling;
  const Epilogue &epilogue;
  Value left, right;            ///< A and B, flat.
  Value leftBase, rightBase;    ///< Of the product being emitted.
  SmallVector<Value> place;     ///< Of that product in the batch.
  Value copy;                   ///< Of a block of A, or null.
  Value panel, epilogueScratch; ///< In scratch, flat.
  Value resting;                ///< Accumulators between chunks, or null.
  Value firstTile, lastTile;    ///< Of the row block being emitted.
  Value blockRow, blockEnd;     ///< Rows of that block.
};

void MatmulEmitter::enterProduct(Value product) {
  leftBase = b.mul(product, batch.strideA);
  rightBase = b.mul(product, batch.strideB);
  place.assign(batch.shape.size(), Value());
  for (size_t i = batch.shape.size(); i-- > 0;) {
    place[i] = i ? b.rem(product, batch.shape[i]) : product;
    product = i ? b.div(product, batch.shape[i]) : product;
  }
}

void MatmulEmitter::emitUnits(Value begin, Value end) {
  int64_t units = layout.unitsPerProduct();
  if (batch.count() == 1) {
    enterProduct(b.constant(0));
    return emitProduct(begin, end);
  }
  Value last = b.div(b.add(end, units - 1), units);
  b.loop(b.div(begin, units), last, 1, [&](Value product) {
    Value unit = b.mul(product, units);
    enterProduct(product);
    emitProduct(b.max(b.sub(begin, unit), b.constant(0)),
                b.min(b.sub(end, unit), b.constant(units)));
  });
}

void MatmulEmitter::emitProduct(Value begin, Value end) {
  int64_t units = layout.columnUnits;
  Value blocksEnd = b.div(b.add(end, units - 1), units);
  b.loop(b.div(begin, units), blocksEnd, 1, [&](Value block) {
    Value unit = b.mul(block, units);
    Value first = b.max(b.sub(begin, unit), b.constant(0));
    Value last = b.min(b.sub(end, unit), b.constant(units));
    Value lastPanel =
        b.min(b.mul(last, layout.panelsPerUnit), b.constant(layout.panels));
    firstTile = b.div(b.mul(block, tiling.tiles), layout.rowBlocks);
    lastTile = b.div(b.mul(b.add(block, 1), tiling.tiles), layout.rowBlocks);
    blockRow = firstRowOf(firstTile);
    blockEnd = firstRowOf(lastTile);
    emitGroup(b.mul(first, layout.panelsPerUnit), lastPanel);
  });
}

void MatmulEmitter::emitGroup(Value firstPanel, Value lastPanel) {
  Value zero = b.constant(0);
  if (layout.chunks == 1)
    return emitPanels(firstPanel, lastPanel, zero, {zero, spec.k, true});
  b.loop(firstPanel, lastPanel, kGroupPanels, [&](Value group) {
    Value end = b.min(b.add(group, kGroupPanels), lastPanel);
    emitFill(b, resting, zero, kGroupPanels * panelFloats(), 0.0f);
    Value whole = b.constant(layout.chunks - 1);
    b.loop(zero, whole, 1, [&](Value c) {
      emitPanels(group, end, group,
                 {b.mul(c, layout.depth), layout.depth, false});
    });
    int64_t begin = (layout.chunks - 1) * layout.depth;
    emitPanels(group, end, group, {b.constant(begin), spec.k - begin, true});
  });
}

void MatmulEmitter::emitPanels(Value firstPanel, Value lastPanel, Value group,
                               const Chunk &chunk) {
  if (copy)
    emitCopyBlock(
        b, {left, b.add(leftBase, b.add(b.mul(blockRow, spec.k), chunk.begin)),
            spec.k, copy, b.constant(0), layout.leftStride(),
            b.sub(blockEnd, blockRow), chunk.depth});
  int64_t columns = spec.n - (layout.panels - 1) * kPanelColumns;
  b.loop(firstPanel, lastPanel, 1, [&](Value p) {
    Value slot = b.mul(b.sub(p, group), panelFloats());
    if (layout.panels == 1 || columns == kPanelColumns)
      return emitPanel(p, columns, slot, chunk);
    b.ifEqual(
        p, layout.panels - 1, [&] { emitPanel(p, columns, slot, chunk); },
        [&] { emitPanel(p, kPanelColumns, slot, chunk); });
  });
}

void MatmulEmitter::emitPanel(Value p, int64_t columns, Value slot,
                              const Chunk &chunk) {
  Value column = b.mul(p, kPanelColumns);
  if (isPacked())
    emitPack(column, columns, chunk);
  emitTiles([&](Value row, int64_t rows) {
    int64_t step = vectorsOf(tile, columns) * tile.width;
    b.blocks(columns, step, [&](Value offset, int64_t width) {
      emitTile(row, rows, column, offset, width, slot, chunk);
    });
  });
}

void MatmulEmitter::emitPack(Value column, int64_t columns,
                             const Chunk &chunk) {
  Value zero = b.constant(0);
  int64_t width = layout.panelWidth;
  if (spec.transposeB) {
    Value base = b.add(rightBase, b.add(b.mul(column, spec.k), chunk.begin));
    emitTransposeBlock(b, {right, base, spec.k, panel, zero, width, columns,
                           chunk.depth, /*pad=*/true});
    return;
  }
  Value base = b.add(rightBase, b.add(b.mul(chunk.begin, spec.n), column));
  emitCopyBlock(b, {right, base, spec.n, panel, zero, width,
                    b.constant(chunk.depth), columns, /*pad=*/true});
}

void MatmulEmitter::emitTiles(
    llvm::function_ref<void(Value row, int64_t rows)> emit) {
  Value higher = b.constant(tiling.higher);
  if (tiling.higher > 0)
    b.loop(firstTile, b.min(lastTile, higher), 1, [&](Value t) {
      emit(b.mul(t, tiling.height + 1), tiling.height + 1);
    });
  b.loop(b.max(firstTile, higher), lastTile, 1, [&](Value t) {
    emit(b.add(b.mul(t, tiling.height), tiling.higher), tiling.height);
  });
}

void MatmulEmitter::emitTile(Value row, int64_t rows, Value column,
                             Value offset, int64_t columns, Value slot,
                             const Chunk &chunk) {
  MicroKernel kernel;
  int64_t rowStride = spec.transposeA ? 1 : spec.k;
  kernel.a = left;
  if (copy) {
    rowStride = layout.leftStride();
    kernel.a = copy;
    kernel.aBase = b.mul(b.sub(row, blockRow), rowStride);
  } else if (spec.transposeA) {
    kernel.aBase = b.add(leftBase, b.add(b.mul(chunk.begin, spec.m), row));
  } else {
    kernel.aBase = b.add(leftBase, b.add(b.mul(row, rowStride), chunk.begin));
  }
  for (int64_t r = 0; r < rows; ++r)
    kernel.rowOffsets.push_back(r * rowStride);
  kernel.columns = columns;
  kernel.width = tile.width;
  kernel.maskColumns = !isPacked();
  kernel.b = isPacked() ? panel : right;
  kernel.bBase = isPacked() ? offset
                            : b.add(rightBase, b.add(b.mul(chunk.begin, spec.n),
                                                     b.add(column, offset)));
  kernel.loops = {{b.constant(0), b.constant(chunk.depth),
                   spec.transposeA ? spec.m : 1,
                   isPacked() ? layout.panelWidth : spec.n}};

  SmallVector<Value> sums = emitMicroKernel(b, kernel);
  if (resting) {
    Value top = b.sub(row, blockRow);
    Value base = b.add(b.add(slot, b.mul(top, kPanelColumns)), offset);
    addResting(sums, base, kernel.vectorsPerRow(), chunk.isLast);
  }
  if (!chunk.isLast)
    return;
  SmallVector<Value> origin = place;
  origin.append({row, b.add(column, offset)});
  ResultTile result{origin,     static_cast<unsigned>(place.size()),
                    rows,       columns,
                    tile.width, sums};
  emitEpilogue(b, epilogue, result, epilogueScratch);
}

void MatmulEmitter::addResting(SmallVector<Value> &sums, Value base,
                               int64_t perRow, bool isLast) {
  for (auto [i, sum] : llvm::enumerate(sums)) {
    int64_t row = i / perRow, column = i % perRow;
    Value place = b.add(base, row * kPanelColumns + column * tile.width);
    Value before = b.load(b.floatVector(tile.width), resting, place);
    sum = arith::AddFOp::create(b, before, sum);
    if (!isLast)
      b.store(sum, resting, place);
  }
}

} // namespace

ContractionPlan planMatmul(const tfir::MatmulSpec &spec,
                           const tfir::MatmulBatch &batch) {
  int64_t products = batch.count();
  MatmulLayout layout(spec, products);
  ContractionPlan plan;
  plan.units = products * layout.unitsPerProduct();
  plan.scratchBytes = layout.scratchBytes;
  plan.flops = spec.flops() * products;
  plan.bytes = 4.0 * ((batch.strideA ? products : 1) * spec.m * spec.k +
                      (batch.strideB ? products : 1) * spec.k * spec.n +
                      products * spec.m * spec.n);
  return plan;
}

void emitMatmul(OpBuilder &builder, Location loc, const tfir::MatmulSpec &spec,
                Value a, Value b, const Epilogue &epilogue, Value scratch,
                Value begin, Value end, const RegisterTile &tile,
                const tfir::MatmulBatch &batch) {
  KernelBuilder kernel(loc, builder);
  MatmulEmitter(kernel, spec, batch, tile, a, b, epilogue, scratch)
      .emitUnits(begin, end);
}

} // namespace graphc
