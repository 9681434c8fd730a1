// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/Credentials.h"

#include "runtime/data/File.h"
#include "runtime/rpc/CallTarget.h"

#include <algorithm>
#include <memory>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

namespace graphc::runtime {

namespace {

StatusOr<std::string> readText(const std::string &path) {
  StatusOr<std::vector<std::byte>> bytes = readFileBytes(path);
  if (!bytes.isOk())
    return failedPrecondition(
        bytes.status().message() +
        "; --tls-dir takes a folder with ca.pem, cert.pem and key.pem, and "
        "'graphc-server --make-certs DIR' makes them");
  return std::string(reinterpret_cast<const char *>(bytes->data()),
                     bytes->size());
}

using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Bio bioOf(const std::string &text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
          BIO_free_all};
}

Certificate parseCertificate(const std::string &pem) {
  Bio bio = bioOf(pem);
  return {PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free};
}

Status checkFiles(const std::string &dir, const Credentials &credentials) {
  auto broken = [&dir](const char *name, const char *what) {
    return failedPrecondition(dir + "/" + name + " " + what);
  };
  if (!parseCertificate(credentials.ca))
    return broken("ca.pem", "is no certificate in PEM");
  Certificate certificate = parseCertificate(credentials.cert);
  if (!certificate)
    return broken("cert.pem", "is no certificate in PEM");
  Bio bio = bioOf(credentials.key);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr),
          EVP_PKEY_free);
  if (!key)
    return broken("key.pem", "is no private key in PEM without password");
  if (X509_check_private_key(certificate.get(), key.get()) != 1)
    return broken("key.pem", "is not the key of cert.pem beside it");
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0)
    return broken("cert.pem", "has expired; make new certificates");
  return Status::ok();
}

} // namespace

StatusOr<Credentials> Credentials::load(const std::string &dir) {
  Credentials credentials;
  if (dir.empty())
    return credentials;
  GRAPHC_ASSIGN_OR_RETURN(credentials.ca, readText(dir + "/ca.pem"));
  GRAPHC_ASSIGN_OR_RETURN(credentials.cert, readText(dir + "/cert.pem"));
  std::string keyFile = dir + "/key.pem";
  GRAPHC_ASSIGN_OR_RETURN(credentials.key, readText(keyFile));
  struct stat file = {};
  if (stat(keyFile.c_str(), &file) == 0 && (file.st_mode & S_IRWXO))
    return permissionDenied("everyone may read the private key " + keyFile +
                            "; chmod 600 it");
  GRAPHC_TRY(checkFiles(dir, credentials));
  return credentials;
}

Roles Roles::fromNames(const std::vector<std::string> &uris) {
  auto has = [&uris](const char *name) {
    return std::find(uris.begin(), uris.end(), name) != uris.end();
  };
  return {has("graphc:role/client"), has("graphc:role/task")};
}

Roles Roles::ofCertificate(const std::string &pem) {
  std::vector<std::string> uris;
  Certificate certificate = parseCertificate(pem);
  auto *names =
      certificate
          ? static_cast<GENERAL_NAMES *>(X509_get_ext_d2i(
                certificate.get(), NID_subject_alt_name, nullptr, nullptr))
          : nullptr;
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    if (name->type != GEN_URI)
      continue;
    const ASN1_IA5STRING *uri = name->d.uniformResourceIdentifier;
    uris.emplace_back(
        reinterpret_cast<const char *>(ASN1_STRING_get0_data(uri)),
        static_cast<size_t>(ASN1_STRING_length(uri)));
  }
  GENERAL_NAMES_free(names);
  return fromNames(uris);
}

std::string Roles::toString() const {
  if (isClient && isTask)
    return "the roles 'client' and 'task'";
  return isClient ? "the role 'client'"
         : isTask ? "the role 'task'"
                  : "no role";
}

Status checkOwnRole(const Credentials &credentials, const std::string &dir,
                    bool isServer) {
  if (!credentials.isTls())
    return Status::ok();
  Roles roles = Roles::ofCertificate(credentials.cert);
  if (isServer ? roles.isTask : roles.isClient)
    return Status::ok();
  std::string wanted = isServer ? "task" : "client";
  return failedPrecondition(
      dir + "/cert.pem has " + roles.toString() + ", but a " +
      (isServer ? "server" : "client") + " needs the role '" + wanted +
      "'; give --tls-dir the folder for it ('graphc-server --make-certs DIR' "
      "makes DIR/" +
      wanted + ")");
}

Status checkExposure(std::string_view text, const Credentials &credentials,
                     bool isInsecure) {
  GRAPHC_ASSIGN_OR_RETURN(TaskAddress address, TaskAddress::parse(text));
  if (address.isLocal() || credentials.isTls() || isInsecure)
    return Status::ok();
  return failedPrecondition(
      "without certificates everyone who reaches " + address.toString() +
      " could run code here; give --tls-dir=DIR (graphc-server --make-certs "
      "makes one), bind to localhost or a unix socket, or say --insecure where "
      "the network itself is trusted");
}

} // namespace graphc::runtime
