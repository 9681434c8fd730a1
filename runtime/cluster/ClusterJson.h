// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON whose values know their lines and fields, for the files and variables
// that name clusters: what is wrong with a value's meaning is reported where it
// stands.
#ifndef GRAPHC_RUNTIME_CLUSTER_CLUSTERJSON_H
#define GRAPHC_RUNTIME_CLUSTER_CLUSTERJSON_H

#include "runtime/base/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// A longer text names no cluster.
inline constexpr size_t kMostClusterText = 1 << 20;

/// One value. Thread-safety: as a value type.
struct ClusterJson {
  enum class Kind { Null, Bool, Number, String, Array, Object };

  Kind kind = Kind::Null;
  int line = 1;      ///< of its end, or of its begin where it is a list or an
                     ///< object; from 1
  std::string key;   ///< in the object that it is in; else empty
  std::string field; ///< "cluster.ps[1]"; empty: the whole
  std::string text;  ///< of a string or a number, as it stands there
  std::vector<ClusterJson> children; ///< of an array or an object, in order

  /// The member of an object with that key, or null.
  const ClusterJson *find(std::string_view key) const;
};

/// RFC 8259; no key twice in an object, at most 8 levels deep. Failures are
/// INVALID_ARGUMENT and begin with "<where>:<line>: ".
StatusOr<ClusterJson> parseClusterJson(std::string_view text,
                                       std::string_view where);

/// INVALID_ARGUMENT: "<where>:<line>: '<field>' <problem>".
Status clusterError(std::string_view where, const ClusterJson &value,
                    std::string_view problem);

} // namespace graphc::runtime

#endif
