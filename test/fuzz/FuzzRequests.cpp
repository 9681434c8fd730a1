// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests of any client, while another one trains. An input is text: requests
// in protobuf's text form, each below a line "-- TASK TURNS", with plan: "*"
// for the plan that is loaded. The machines of tasks answer, and nothing is
// left.
#include "test/fuzz/Input.h"
#include "test/fuzz/RunningCluster.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

constexpr int kMaxRequests = 100;

/// Discards parse errors of the text, which is fuzzed.
class Silent final : public google::protobuf::io::ErrorCollector {
  void AddError(int, int, const std::string &) override {}
};

protocol::Request parse(std::string_view text) {
  google::protobuf::TextFormat::Parser parser;
  Silent silent;
  parser.RecordErrorsTo(&silent);
  parser.AllowPartialMessage(true);
  parser.SetRecursionLimit(16);
  protocol::Request request;
  parser.ParseFromString(std::string(text), &request);
  return request; // as far as the text was one
}

/// Puts the plan that is loaded in the place of "*".
void namePlan(protocol::Request &request, const std::string &plan) {
  auto name = [&](auto *action) {
    if (action->plan() == "*")
      action->set_plan(plan);
  };
  switch (request.action_case()) {
  case protocol::Request::kDescribe:
    return name(request.mutable_describe());
  case protocol::Request::kLoad:
    return name(request.mutable_load());
  case protocol::Request::kBind:
    return name(request.mutable_bind());
  case protocol::Request::kInitialized:
    return name(request.mutable_initialized());
  case protocol::Request::kPrepare:
    return name(request.mutable_prepare());
  case protocol::Request::kRead:
    return name(request.mutable_read());
  case protocol::Request::kWrite:
    return name(request.mutable_write());
  case protocol::Request::kAttach:
    return name(request.mutable_attach());
  default:
    return;
  }
}

/// Sends the first request of `text`; gives what follows it.
std::string_view sendNext(RunningCluster &running, std::string_view text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  size_t next = std::min(text.find("\n--"), text.size());
  auto digit = [&](size_t at) {
    return at < line.size() ? unsigned(line[at] - '0') : 0u;
  };
  protocol::Request request = parse(text.substr(0, next));
  namePlan(request, running.plan);
  if (!request.has_stop()) // the process would end
    running.cluster.send(running.stranger, digit(3) % 4, request);
  running.goOn(static_cast<int>(digit(5) % 64));
  return text.substr(std::min(next + 1, text.size()));
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = Input(data, size).takeText();
  RunningCluster running(false);
  running.goOn(50);
  for (int i = 0; i < kMaxRequests && !text.empty(); ++i)
    text = sendNext(running, text);
  for (const protocol::Reply &reply : running.cluster.replies(running.stranger))
    require(!reply.has_failure() || !reply.failure().message().empty(),
            "a failure has a message");
  running.end();
  return 0;
}
