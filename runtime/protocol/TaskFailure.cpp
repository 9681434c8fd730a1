// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/TaskFailure.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
constexpr size_t kMaxMessage = 8192; // tables of mismatches are long
constexpr size_t kMaxName = 512;

/// Control characters but line feeds become spaces, so that a peer cannot steer
/// a terminal; and a line cannot be forged by a carriage return.
std::string clean(const std::string &text, size_t most) {
  size_t size = std::min(most, text.size());
  // Not within a character: what is not UTF-8 cannot be sent.
  while (size > 0 && size < text.size() &&
         (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
    --size;
  std::string cleaned = text.substr(0, size);
  for (char &c : cleaned)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f)
      c = ' ';
  return cleaned;
}

StatusCode codeOf(int32_t code) {
  bool isKnown = code > 0 && code <= static_cast<int>(StatusCode::DataLoss);
  return isKnown ? static_cast<StatusCode>(code) : StatusCode::Unknown;
}
} // namespace

protocol::Failure toFailure(const Status &status, std::string_view task) {
  protocol::Failure failure;
  failure.set_code(static_cast<int32_t>(status.code()));
  failure.set_message(status.message());
  failure.set_task(std::string(task));
  return failure;
}

protocol::Failure boundedFailure(const protocol::Failure &failure) {
  protocol::Failure bounded;
  bounded.set_code(static_cast<int32_t>(codeOf(failure.code())));
  bounded.set_message(clean(failure.message(), kMaxMessage));
  bounded.set_task(clean(failure.task(), kMaxName));
  bounded.set_edge(clean(failure.edge(), kMaxName));
  bounded.set_step(failure.step());
  return bounded;
}

Status toStatus(const protocol::Failure &failure) {
  protocol::Failure bounded = boundedFailure(failure);
  std::string message = bounded.message();
  if (!bounded.task().empty())
    message = bounded.task() + ": " + message;
  return Status(codeOf(failure.code()), std::move(message));
}

} // namespace graphc::runtime
