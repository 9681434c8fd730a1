// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Credentials of clients and tasks: certificates and the roles that they give.
#ifndef GRAPHC_RUNTIME_RPC_CREDENTIALS_H
#define GRAPHC_RUNTIME_RPC_CREDENTIALS_H

#include "runtime/base/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// Certificates in PEM for mutual TLS. Without them everything is plain text
/// and every peer has all roles. Thread-safety: as a value type.
struct Credentials {
  std::string ca;   ///< whose certificates are trusted
  std::string cert; ///< its own, with its role
  std::string key;

  bool isTls() const { return !ca.empty(); }

  /// Reads ca.pem, cert.pem and key.pem of a folder; an empty name: plain text.
  /// FAILED_PRECONDITION where a file is missing or the key belongs to another
  /// certificate; PERMISSION_DENIED where others may read the key.
  static StatusOr<Credentials> load(const std::string &dir);
};

/// Roles that a certificate grants, by its names of the kind URI:
/// "graphc:role/client" and "graphc:role/task".
struct Roles {
  bool isClient = false; ///< may run plans
  bool isTask = false;   ///< may serve, and exchange data with tasks

  static Roles all() { return {true, true}; }
  static Roles fromNames(const std::vector<std::string> &uris);
  /// Of a certificate in PEM.
  static Roles ofCertificate(const std::string &pem);
  /// "the role 'task'", "the roles 'client' and 'task'", "no role".
  std::string toString() const;
};

/// FAILED_PRECONDITION where the certificate of the folder `dir` does not have
/// the role that this process needs: its peers would refuse it.
Status checkOwnRole(const Credentials &credentials, const std::string &dir,
                    bool isServer);

/// "Plain text only on loopback or unix sockets": FAILED_PRECONDITION with the
/// fix where a server would listen on `address` for everyone without TLS.
Status checkExposure(std::string_view address, const Credentials &credentials,
                     bool isInsecure);

} // namespace graphc::runtime

#endif
