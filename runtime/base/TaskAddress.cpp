// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/TaskAddress.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>

namespace graphc::runtime {

namespace {

constexpr std::string_view kForms =
    "; write 'host:port', '[v6]:port' or 'unix:/path', such as "
    "'localhost:2222'";
/// Maximum path of a sockaddr_un, without the final 0.
constexpr size_t kMaxPath = 107;
constexpr size_t kMaxHost = 253;

Status wrong(std::string_view text, std::string_view why) {
  return invalidArgument("'" + std::string(text) + "' " + std::string(why) +
                         std::string(kForms));
}

bool isHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

StatusOr<TaskAddress> parseUnix(std::string_view text) {
  TaskAddress address;
  address.path = text.substr(std::string_view("unix:").size());
  if (!address.path.starts_with('/'))
    return wrong(text, "has a socket whose path does not begin with '/'");
  if (address.path.size() > kMaxPath ||
      address.path.find('\0') != std::string::npos)
    return wrong(text, "has a socket whose path is longer than the 107 bytes "
                       "that the system takes");
  return address;
}

/// True when the bytes are UTF-8: addresses stand in JSON and in messages.
bool isUtf8(std::string_view text) {
  // Bytes that follow the first, and the least that they may stand for.
  static constexpr uint32_t kMin[] = {0, 0x80, 0x800, 0x10000};
  while (!text.empty()) {
    auto first = static_cast<unsigned char>(text[0]);
    int more = first < 0x80            ? 0
               : first >> 5 == 0b110   ? 1
               : first >> 4 == 0b1110  ? 2
               : first >> 3 == 0b11110 ? 3
                                       : -1;
    if (more < 0 || text.size() <= size_t(more))
      return false;
    uint32_t code = more == 0 ? first : first & (0x3f >> more);
    for (int i = 1; i <= more; ++i) {
      auto next = static_cast<unsigned char>(text[i]);
      if (next >> 6 != 0b10)
        return false;
      code = code << 6 | (next & 0x3f);
    }
    if (code < kMin[more] || code > 0x10ffff || code >> 11 == 0x1b)
      return false;
    text.remove_prefix(1 + more);
  }
  return true;
}

bool isIpv6(const std::string &host) {
  in6_addr ignored;
  // A zone, as in fe80::1%eth0, is the machine's own matter.
  return inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(),
                   &ignored) == 1;
}

} // namespace

StatusOr<TaskAddress> TaskAddress::parse(std::string_view text) {
  if (!isUtf8(text))
    return invalidArgument("an address is not UTF-8" + std::string(kForms));
  if (text.starts_with("unix:"))
    return parseUnix(text);
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return wrong(text, "has no port");
  TaskAddress address;
  std::string_view host = text.substr(0, colon);
  std::string_view port = text.substr(colon + 1);
  int number = -1;
  auto [end, error] =
      std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number < 0 ||
      number > 65535)
    return wrong(text, "has no port from 0 to 65535 after its last ':'");
  address.port = static_cast<uint16_t>(number);
  bool hasBrackets = host.starts_with('[') && host.ends_with(']');
  address.host = hasBrackets ? host.substr(1, host.size() - 2) : host;
  if (hasBrackets && !isIpv6(address.host))
    return wrong(text, "has no IPv6 address between '[' and ']'");
  if (!hasBrackets && host.find(':') != std::string_view::npos)
    return wrong(text, "has an IPv6 address without '[' and ']'");
  if (address.host.empty() || address.host.size() > kMaxHost)
    return wrong(text, "has no host, or one of more than 253 characters");
  if (!hasBrackets &&
      !std::all_of(address.host.begin(), address.host.end(), isHostCharacter))
    return wrong(text, "has a host with other characters than letters, "
                       "digits, '-', '.' and '_'");
  return address;
}

bool TaskAddress::isLocal() const {
  if (isUnix() || host == "localhost" || host == "::1")
    return true;
  in_addr v4;
  return inet_pton(AF_INET, host.c_str(), &v4) == 1 &&
         ntohl(v4.s_addr) >> 24 == 127;
}

bool TaskAddress::isWildcard() const {
  in_addr v4;
  in6_addr v6;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1)
    return v4.s_addr == INADDR_ANY;
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 &&
         IN6_IS_ADDR_UNSPECIFIED(&v6);
}

std::string TaskAddress::toString() const {
  if (isUnix())
    return "unix:" + path;
  bool isV6 = host.find(':') != std::string::npos;
  return (isV6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

} // namespace graphc::runtime
