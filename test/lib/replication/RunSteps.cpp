// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RunSteps MODEL STEP...: steps of any graphs, one after another, in one
// process, as a cluster takes them in some order. A step is GRAPH or
// GRAPH:x=1,y=2 with scalar feeds; ?NAME prints a scalar variable. Values are
// float32 or int64.
#include "runtime/session/LocalSession.h"

#include <cstdio>
#include <string>

using namespace graphc::runtime;

namespace {

Status print(Session &session, const std::string &name) {
  GRAPHC_ASSIGN_OR_RETURN(HostTensor value, session.readVariable(name));
  if (value.type.dtype == DType::Int64)
    std::printf("%s %lld\n", name.c_str(),
                static_cast<long long>(value.as<int64_t>()[0]));
  else
    std::printf("%s %.5f\n", name.c_str(),
                static_cast<double>(value.as<float>()[0]));
  return Status::ok();
}

Status step(Session &session, const std::string &text) {
  RunRequest request;
  request.graph = text.substr(0, text.find(':'));
  size_t at = text.find(':');
  while (at != std::string::npos) {
    size_t end = text.find(',', at + 1);
    std::string feed = text.substr(at + 1, end - at - 1);
    at = end;
    size_t equals = feed.find('=');
    float value = std::stof(feed.substr(equals + 1));
    request.feeds.push_back(
        {feed.substr(0, equals),
         HostTensor::of<float>({}, std::span<const float>(&value, 1))});
  }
  return session.run(request).status();
}

Status run(int argc, char **argv) {
  SessionOptions options;
  options.virtualGpus = true;
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LocalSession> session,
                          LocalSession::open(argv[1], options));
  GRAPHC_TRY(session->initialize());
  for (int i = 2; i < argc; ++i) {
    std::string text = argv[i];
    GRAPHC_TRY(text[0] == '?' ? print(*session, text.substr(1))
                              : step(*session, text));
  }
  return Status::ok();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  Status status = run(argc, argv);
  if (status.isOk())
    return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
