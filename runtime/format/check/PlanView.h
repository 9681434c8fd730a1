// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// View of the programs of a graph: what their instructions use, in the form in
// which the compiler and the loader have it checked.
#ifndef GRAPHC_RUNTIME_FORMAT_CHECK_PLANVIEW_H
#define GRAPHC_RUNTIME_FORMAT_CHECK_PLANVIEW_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Place in memory.
struct SlotView {
  enum class Kind : uint8_t { Arena, Variable, ReadOnly };

  Kind kind = Kind::Arena;
  uint32_t variable = 0;        ///< Variable: its index
  uint64_t offset = 0;          ///< Arena
  uint64_t size = 0;            ///< in bytes
  uint32_t first = 0, last = 0; ///< Arena: instructions that it lives for
};

/// List of indices of a program, by its place in ProgramView::indices.
struct IndexList {
  size_t begin = 0, size = 0;
};

/// Take of a batch of a dataset, or of one of its shards.
struct BatchView {
  uint32_t dataset = 0, shard = 0, shards = 1;
};

/// Step of a program.
struct InstructionView {
  enum class Kind : uint8_t {
    Compute,   ///< a kernel, a copy or a fill
    NextBatch, ///< a take of a batch
    HostCall,  ///< anything else that the runtime itself does
    Send,      ///< reads[i] is sent over edges[i]
    Recv,      ///< writes[i] is received over edges[i]
    AllReduce  ///< reads: its term and its sum; writes: its sum
  };

  Kind kind = Kind::Compute;
  uint64_t allReduce = 0; ///< AllReduce: its number, from 1
  uint64_t serves = 0;    ///< the AllReduce that it only is for; 0: none
  BatchView batch;        ///< NextBatch
  IndexList reads;        ///< slots that it may read
  IndexList writes;       ///< slots that it writes
  IndexList waits;        ///< instructions before it that it waits for
  IndexList edges;        ///< Send, Recv
};

/// Work of one device in one step.
struct ProgramView {
  std::vector<SlotView> slots;
  std::vector<InstructionView> instructions;
  std::vector<uint32_t> indices; ///< elements of all lists

  std::span<const uint32_t> list(IndexList list) const {
    return std::span(indices).subspan(list.begin, list.size);
  }
  /// Adds a list of what `range` holds.
  template <typename Range> IndexList add(const Range &range) {
    IndexList list{indices.size(), 0};
    indices.insert(indices.end(), range.begin(), range.end());
    list.size = indices.size() - list.begin;
    return list;
  }
};

/// Value that is given or taken by name.
struct PortView {
  std::string name;
  uint32_t program = 0, slot = 0;
};

/// Programs of one graph. Indices are right: the slots, edges, programs and
/// instructions that one names exist, instructions wait for earlier ones, and
/// each edge has one Send and one Recv, in different programs.
struct PlanView {
  std::vector<ProgramView> programs;
  /// By edge: the number of the collective that it is a part of, from 1; 0:
  /// none.
  std::vector<uint64_t> collectives;
  /// Programs, one entry per instruction: an order that has no deadlock. Its
  /// elements may be anything.
  std::vector<uint32_t> order;
  std::vector<PortView> feeds, fetches;
  /// False for the slice of one task, in which the programs of others are
  /// empty and edges may lack an endpoint.
  bool isWhole = true;
};

} // namespace graphc::runtime

#endif
