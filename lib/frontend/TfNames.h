// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of TensorFlow 1.x, and what they are called in the graph language.
#ifndef GRAPHC_LIB_FRONTEND_TFNAMES_H
#define GRAPHC_LIB_FRONTEND_TFNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace graphc {

/// An op or function of TensorFlow that has another name here, or none.
struct TfName {
  llvm::StringLiteral name; ///< in snake case, without tf., tf.nn. and so on
  llvm::StringLiteral here; ///< what to write; empty: there is nothing like it
  llvm::StringLiteral hint; ///< how to write it; may be empty
};

/// Those for which there is something to say.
llvm::ArrayRef<TfName> tfNames();

/// The row of a name without prefixes; nothing when it is none of TensorFlow's.
std::optional<TfName> findTfName(llvm::StringRef name);

/// The name of an op as TensorFlow's functions spell it, without what stands
/// before it: `tf.nn.bias_add`, `tfir.BiasAdd` and `BiasAdd` are `bias_add`.
std::string tfBaseName(llvm::StringRef written);

} // namespace graphc

#endif
