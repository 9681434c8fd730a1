// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/MakeCerts.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

namespace graphc::runtime {

namespace {

constexpr long kValidSeconds = 365L * 24 * 3600;
constexpr long kClockSlackSeconds = 3600; ///< clocks of machines differ

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

/// A certificate with its key.
struct Identity {
  Certificate certificate{nullptr, X509_free};
  Key key{nullptr, EVP_PKEY_free};
};

Status opensslFailed(const char *what) {
  return internalError(std::string("OpenSSL could not make ") + what);
}

bool isAddress(const std::string &host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool isPlainName(const std::string &host) {
  return !host.empty() &&
         host.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-*") ==
             std::string::npos;
}

bool addExtension(X509 *certificate, X509 *issuer, int kind,
                  const std::string &value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION *extension =
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  bool isDone = extension && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return isDone;
}

bool setBasics(X509 *certificate, EVP_PKEY *key, const std::string &name) {
  uint64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char *>(&serial), sizeof(serial)) !=
      1)
    return false;
  X509_NAME *subject = X509_get_subject_name(certificate);
  return X509_set_version(certificate, 2) == 1 && // counted from 0: v3
         ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate),
                                 serial >> 1) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate),
                         -kClockSlackSeconds) &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kValidSeconds) &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(
             subject, "CN", MBSTRING_UTF8,
             reinterpret_cast<const unsigned char *>(name.c_str()), -1, -1,
             0) == 1;
}

/// `issuer` null: signs itself, and may sign others.
StatusOr<Identity> makeIdentity(const std::string &name,
                                const std::string &otherNames,
                                const Identity *issuer) {
  Identity made;
  made.key.reset(EVP_EC_gen("P-256"));
  made.certificate.reset(X509_new());
  X509 *certificate = made.certificate.get();
  if (!made.key || !certificate ||
      !setBasics(certificate, made.key.get(), name))
    return opensslFailed("a key");
  X509 *parent = issuer ? issuer->certificate.get() : certificate;
  bool isDone =
      X509_set_issuer_name(certificate, X509_get_subject_name(parent)) == 1 &&
      addExtension(certificate, parent, NID_subject_key_identifier, "hash");
  if (issuer)
    isDone =
        isDone &&
        addExtension(certificate, parent, NID_basic_constraints,
                     "critical,CA:FALSE") &&
        addExtension(certificate, parent, NID_key_usage,
                     "critical,digitalSignature") &&
        addExtension(certificate, parent, NID_ext_key_usage,
                     "serverAuth,clientAuth") &&
        addExtension(certificate, parent, NID_authority_key_identifier,
                     "keyid") &&
        addExtension(certificate, parent, NID_subject_alt_name, otherNames);
  else
    isDone = isDone &&
             addExtension(certificate, parent, NID_basic_constraints,
                          "critical,CA:TRUE,pathlen:0") &&
             addExtension(certificate, parent, NID_key_usage,
                          "critical,keyCertSign,cRLSign");
  EVP_PKEY *signer = issuer ? issuer->key.get() : made.key.get();
  if (!isDone || X509_sign(certificate, signer, EVP_sha256()) == 0)
    return opensslFailed("a certificate");
  return made;
}

StatusOr<std::string> pemOf(X509 *certificate, EVP_PKEY *key) {
  std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(BIO_new(BIO_s_mem()),
                                                    BIO_free_all);
  bool isDone =
      bio && (key ? PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr,
                                             0, nullptr, nullptr)
                  : PEM_write_bio_X509(bio.get(), certificate)) == 1;
  if (!isDone)
    return opensslFailed("a PEM file");
  char *text = nullptr;
  long size = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<size_t>(size));
}

Status writeNew(const std::string &path, const std::string &text, int mode) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0)
    return {errno == EEXIST ? StatusCode::AlreadyExists
                            : StatusCode::PermissionDenied,
            path + ": " + std::strerror(errno) +
                (errno == EEXIST ? "; certificates are not overwritten: remove "
                                   "them, or name another folder"
                                 : "")};
  size_t done = 0;
  while (done < text.size()) {
    ssize_t wrote = write(fd, text.data() + done, text.size() - done);
    if (wrote <= 0)
      break;
    done += static_cast<size_t>(wrote);
  }
  if (close(fd) != 0 || done != text.size())
    return resourceExhausted(path + ": " + std::strerror(errno));
  return Status::ok();
}

/// ca.pem, cert.pem and key.pem.
Status writeFolder(const std::string &dir, X509 *authority,
                   const Identity &identity) {
  GRAPHC_ASSIGN_OR_RETURN(std::string ca, pemOf(authority, nullptr));
  GRAPHC_ASSIGN_OR_RETURN(std::string certificate,
                          pemOf(identity.certificate.get(), nullptr));
  GRAPHC_ASSIGN_OR_RETURN(std::string key, pemOf(nullptr, identity.key.get()));
  GRAPHC_TRY(writeNew(dir + "/key.pem", key, 0600));
  GRAPHC_TRY(writeNew(dir + "/cert.pem", certificate, 0644));
  return writeNew(dir + "/ca.pem", ca, 0644);
}

StatusOr<std::string> namesOf(const std::vector<std::string> &hosts) {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  for (const std::string &host : hosts) {
    if (!isAddress(host) && !isPlainName(host))
      return invalidArgument("'" + host + "' is no name of a host");
    names += (isAddress(host) ? ",IP:" : ",DNS:") + host;
  }
  return names;
}

} // namespace

Status makeCertificates(const std::string &dir,
                        const std::vector<std::string> &hosts) {
  namespace fs = std::filesystem;
  GRAPHC_ASSIGN_OR_RETURN(std::string names, namesOf(hosts));
  const std::vector<std::string> folders = {"ca", "task", "client"};
  for (const std::string &folder : folders) {
    std::error_code error;
    for (const char *file : {"/ca.pem", "/cert.pem", "/key.pem"})
      if (std::string path = dir + "/" + folder + file;
          fs::exists(fs::symlink_status(path, error)))
        return {StatusCode::AlreadyExists,
                path + " is there; certificates are not overwritten: remove "
                       "them, or name another folder"};
    fs::create_directories(dir + "/" + folder, error);
    if (error)
      return permissionDenied(dir + "/" + folder + ": " + error.message());
  }
  GRAPHC_ASSIGN_OR_RETURN(Identity authority,
                          makeIdentity("graphc private CA", "", nullptr));
  GRAPHC_TRY(writeFolder(dir + "/ca", authority.certificate.get(), authority));
  for (const std::string role : {"task", "client"}) {
    GRAPHC_ASSIGN_OR_RETURN(Identity identity,
                            makeIdentity("graphc " + role,
                                         names + ",URI:graphc:role/" + role,
                                         &authority));
    GRAPHC_TRY(
        writeFolder(dir + "/" + role, authority.certificate.get(), identity));
  }
  return Status::ok();
}

} // namespace graphc::runtime
