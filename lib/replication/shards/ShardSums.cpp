// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The halves of a ring all-reduce, for sharded updates: sums of which each
// device keeps its shards, and updated shards that come to every device.
#include "lib/replication/TowerSums.h"

#include "dialects/tfir/Support.h"
#include "lib/placement/split/SplitGraph.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// A shard of one of the values that travel together.
struct Piece {
  size_t value, shard; ///< numbers
  UpdateShard rows;
  RankedTensorType type;
};

/// The pieces of each device.
SmallVector<SmallVector<Piece>> piecesOf(ArrayRef<RankedTensorType> types,
                                         ArrayRef<ArrayRef<UpdateShard>> shards,
                                         size_t devices) {
  SmallVector<SmallVector<Piece>> pieces(devices);
  for (auto [value, own] : llvm::enumerate(shards))
    for (auto [shard, rows] : llvm::enumerate(own))
      pieces[rows.device].push_back(
          {value, shard, rows, withRows(types[value], rows.size)});
  return pieces;
}

} // namespace

/// The pieces of a device as one value: flat, if they are several.
Value TowerSums::joinPieces(Location loc, ArrayRef<Value> pieces) {
  if (pieces.size() == 1)
    return pieces.front();
  return join(loc, llvm::map_to_vector(pieces, [&](Value piece) {
                return flatten(loc, piece);
              }));
}

/// A piece of what joinPieces made, from element `begin` on.
Value TowerSums::pieceOf(Location loc, Value joined, RankedTensorType type,
                         int64_t begin) {
  if (joined.getType() == type)
    return joined;
  Value flat = slice(loc, joined, begin, type.getNumElements());
  return flat.getType() == type
             ? flat
             : Value(ReshapeOp::create(builder, loc, type, flat));
}

SmallVector<TowerSums::Values>
TowerSums::reduceScatter(Reduce how, Location loc, ArrayRef<Values> parts,
                         ArrayRef<ArrayRef<UpdateShard>> shards, bool isMean) {
  ops.enterCollective(builder.getI64IntegerAttr(collectives++));
  SmallVector<RankedTensorType> types;
  SmallVector<SmallVector<Term>> terms; // [value][term]
  for (const Values &part : parts) {
    types.push_back(tensorType(part.front()));
    terms.push_back(termsOf(part));
    if (!layout.canonical)
      terms.back() = addNeighbours(loc, terms.back());
  }
  auto pieces = piecesOf(types, shards, layout.devices.size());
  Chunks chunks;
  for (ArrayRef<Piece> own : pieces) {
    SmallVector<Term> &chunk = chunks.emplace_back();
    for (size_t term = 0; !own.empty() && term < terms.front().size(); ++term) {
      unsigned device = terms.front()[term].device;
      moveTo(device);
      Value joined =
          joinPieces(loc, llvm::map_to_vector(own, [&](const Piece &piece) {
                       return slice(loc, terms[piece.value][term].value,
                                    piece.rows.begin, piece.rows.size);
                     }));
      chunk.push_back(enter(loc, {joined, device}));
    }
  }
  Values sums = scatter(loc, chunks, isTwoLevel(how));
  SmallVector<Values> results = llvm::map_to_vector(
      shards, [](ArrayRef<UpdateShard> own) { return Values(own.size()); });
  for (auto [device, own] : llvm::enumerate(pieces)) {
    moveTo(static_cast<unsigned>(device));
    int64_t begin = 0;
    Value sum = sums[device];
    if (sum && isMean)
      sum = scale(loc, sum);
    for (const Piece &piece : own) {
      results[piece.value][piece.shard] = pieceOf(loc, sum, piece.type, begin);
      begin += piece.type.getNumElements();
    }
  }
  ops.enterCollective({});
  return results;
}

SmallVector<TowerSums::Values>
TowerSums::allGather(Reduce how, Location loc, ArrayRef<RankedTensorType> types,
                     ArrayRef<Values> parts,
                     ArrayRef<ArrayRef<UpdateShard>> shards) {
  size_t count = layout.devices.size();
  ops.enterCollective(builder.getI64IntegerAttr(collectives++));
  auto pieces = piecesOf(types, shards, count);
  Values own(count);
  for (auto [device, mine] : llvm::enumerate(pieces)) {
    if (mine.empty())
      continue;
    moveTo(static_cast<unsigned>(device));
    own[device] =
        joinPieces(loc, llvm::map_to_vector(mine, [&](const Piece &piece) {
                     return parts[piece.value][piece.shard];
                   }));
  }
  SmallVector<Values> gathered = gather(loc, own, isTwoLevel(how));
  SmallVector<Values> results(types.size());
  for (size_t device = 0; device < count; ++device) {
    moveTo(static_cast<unsigned>(device));
    SmallVector<Values> local = llvm::map_to_vector(
        shards, [](ArrayRef<UpdateShard> mine) { return Values(mine.size()); });
    for (auto [owner, mine] : llvm::enumerate(pieces)) {
      int64_t begin = 0;
      for (const Piece &piece : mine) {
        local[piece.value][piece.shard] =
            pieceOf(loc, gathered[owner][device], piece.type, begin);
        begin += piece.type.getNumElements();
      }
    }
    for (auto [result, shardsHere] : llvm::zip_equal(results, local))
      result.push_back(join(loc, shardsHere));
  }
  ops.enterCollective({});
  return results;
}

} // namespace graphc
