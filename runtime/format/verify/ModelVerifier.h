// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check that stands between the bytes of a file and all who use them.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_MODELVERIFIER_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_MODELVERIFIER_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <span>

namespace graphc::runtime {

/// Checks the header, the digest, the FlatBuffer and every number of it that
/// something is later addressed or allocated with. After success all accessors
/// of the index may be followed without a further check.
///
/// Of a graph of several programs it also proves that they fit together
/// (PlanCheck.h). Of a graph of one program it does not prove that the schedule
/// is right: whether the waits order the uses of shared arena bytes is the
/// compiler's business. What the machine code does is not looked at. A digest
/// is no signature.
///
/// Takes time linear in the size of the file, whatever the bytes are.
/// Fails with INVALID_ARGUMENT for a foreign file, FAILED_PRECONDITION for
/// another version of the format and DATA_LOSS for a damaged file.
/// REQUIRES: `file` starts at an address that is a multiple of 64.
Status verifyModel(std::span<const std::byte> file);

} // namespace graphc::runtime

#endif
