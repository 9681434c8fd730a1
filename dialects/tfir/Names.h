// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every discardable attribute, and every name that the compiler makes up.
#ifndef GRAPHC_DIALECTS_TFIR_NAMES_H
#define GRAPHC_DIALECTS_TFIR_NAMES_H

#include "llvm/ADT/StringRef.h"

namespace graphc::tfir {

/// The op's name, as in TensorFlow's graphs.
inline constexpr llvm::StringLiteral kNameAttr = "name";
/// The requested device, full or partial: a DeviceAttr once scopes are flat.
inline constexpr llvm::StringLiteral kDeviceAttr = "device";
/// The name of the op whose device this one shares.
inline constexpr llvm::StringLiteral kColocateAttr = "colocate_with";
/// The device that an op or a variable is on, a full DeviceAttr: given by the
/// user, or by placement.
inline constexpr llvm::StringLiteral kAssignedAttr = "assigned_device";
/// The number of the tower (logical replica) that an op belongs to; absent on
/// what all towers share.
inline constexpr llvm::StringLiteral kReplicaAttr = "replica";
/// The number of the collective that an op is a part of.
inline constexpr llvm::StringLiteral kCollectiveAttr = "collective";
/// On an op whose only use is that tfir.all_reduce of its collective finds the
/// sum where no library makes it.
inline constexpr llvm::StringLiteral kFallbackAttr = "fallback";

/// On a batch of a tower: the level of what is computed from it (tfir.recv), so
/// that it is the same wherever the batch comes from. On what belongs to the
/// update part of a program: kUpdateLevel.
inline constexpr llvm::StringLiteral kLevelAttr = "level";

// On graphs.
/// The number of towers to make of the graph.
inline constexpr llvm::StringLiteral kReplicasAttr = "replicas";
/// One bool per feed: its rows are divided among the towers.
inline constexpr llvm::StringLiteral kSplitFeedsAttr = "split_feeds";
/// One bool per fetch: its rows are the rows of the towers, one after another.
inline constexpr llvm::StringLiteral kSplitFetchesAttr = "split_fetches";
/// For each feed, the device where it is given, a full DeviceAttr.
inline constexpr llvm::StringLiteral kFeedDevicesAttr = "feed_devices";
/// The graph that a partition was cut from.
inline constexpr llvm::StringLiteral kPartitionOfAttr = "partition_of";
/// For each feed or fetch of a partition, its place among those of the graph.
inline constexpr llvm::StringLiteral kFeedOrderAttr = "feed_order";
inline constexpr llvm::StringLiteral kFetchOrderAttr = "fetch_order";

/// A worker's own copy of a graph: what Instance of model.fbs says, as a
/// dictionary (lib/frontend/Instances.h).
inline constexpr llvm::StringLiteral kInstanceAttr = "instance";

// On variables.
/// Holds what is between two updates only: never saved.
inline constexpr llvm::StringLiteral kTransientAttr = "transient";
/// The variable that this one is a copy of, on another device.
inline constexpr llvm::StringLiteral kMirrorOfAttr = "mirror_of";
/// The variable whose rows this one has some of, and the first of them.
inline constexpr llvm::StringLiteral kPartOfAttr = "part_of";
inline constexpr llvm::StringLiteral kPartRowAttr = "part_row";

// On datasets.
/// The part of the batch that each worker takes: the batch of a plan for N
/// workers is N times that.
inline constexpr llvm::StringLiteral kBatchOfWorkerAttr = "batch_of_worker";

/// The variable that counts training steps.
inline constexpr llvm::StringLiteral kGlobalStep = "global_step";
/// The graph that gives all variables their initial values.
inline constexpr llvm::StringLiteral kInitGraph = "init";
/// Between a variable's name and this stands a slash.
inline constexpr llvm::StringLiteral kAverageSuffix =
    "ExponentialMovingAverage";

} // namespace graphc::tfir

#endif
