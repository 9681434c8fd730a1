// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A private certificate authority for tests and small clusters.
#ifndef GRAPHC_RUNTIME_RPC_MAKECERTS_H
#define GRAPHC_RUNTIME_RPC_MAKECERTS_H

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace graphc::runtime {

/// Makes DIR/task and DIR/client, folders for --tls-dir with the roles "task"
/// and "client", and DIR/ca with the authority's own key. Certificates are good
/// for localhost, 127.0.0.1, ::1 and `hosts` (names or addresses), for a year.
/// Keys are P-256, and only their owner may read them. ALREADY_EXISTS where any
/// of the files is there: nothing is overwritten.
Status makeCertificates(const std::string &dir,
                        const std::vector<std::string> &hosts);

} // namespace graphc::runtime

#endif
