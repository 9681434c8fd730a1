// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers' own copies of a graph.
//
//   instance = {of = "train", worker = 1, workers = 2, coordination = "async",
//               staleness = 4}
#ifndef GRAPHC_LIB_FRONTEND_INSTANCES_H
#define GRAPHC_LIB_FRONTEND_INSTANCES_H

#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"

namespace graphc {

// The entries of the dictionary.
inline constexpr llvm::StringLiteral kOfEntry = "of";
inline constexpr llvm::StringLiteral kWorkerEntry = "worker";
inline constexpr llvm::StringLiteral kWorkersEntry = "workers";
/// "none", "async" or "quorum".
inline constexpr llvm::StringLiteral kCoordinationEntry = "coordination";
inline constexpr llvm::StringLiteral kStalenessEntry = "staleness";
inline constexpr llvm::StringLiteral kQuorumEntry = "quorum";
inline constexpr llvm::StringLiteral kApplyEntry = "apply";

/// Null for a graph that is nobody's copy.
inline mlir::DictionaryAttr instanceOf(mlir::Operation *graph) {
  return graph->getAttrOfType<mlir::DictionaryAttr>(tfir::kInstanceAttr);
}

inline int64_t instanceNumber(mlir::DictionaryAttr instance,
                              llvm::StringRef entry) {
  auto number = instance.getAs<mlir::IntegerAttr>(entry);
  return number ? number.getInt() : 0;
}

inline llvm::StringRef instanceText(mlir::DictionaryAttr instance,
                                    llvm::StringRef entry) {
  auto text = instance.getAs<mlir::StringAttr>(entry);
  return text ? text.getValue() : llvm::StringRef();
}

/// True when the steps of the graph interleave with those of other workers:
/// then its programs end in an update part.
inline bool isCoordinated(mlir::Operation *graph) {
  mlir::DictionaryAttr instance = instanceOf(graph);
  return instance && instanceText(instance, kCoordinationEntry) != "none";
}

/// The level (tfir.recv) of what belongs to the update part: after all
/// transfers.
inline constexpr int64_t kUpdateLevel = int64_t(1) << 40;

} // namespace graphc

#endif
