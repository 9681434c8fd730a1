// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of a client that sends what it likes.
#ifndef GRAPHC_TEST_RUNTIME_RPC_RAWCALL_H
#define GRAPHC_TEST_RUNTIME_RPC_RAWCALL_H

#include "runtime/rpc/Channels.h"

#include <grpcpp/generic/generic_stub.h>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace graphc::runtime {

/// Every operation waits for at most a few seconds, then counts as failed.
class RawCall {
public:
  RawCall(const std::shared_ptr<grpc::Channel> &channel,
          const std::string &method,
          const std::map<std::string, std::string> &metadata = {});
  ~RawCall();

  bool isStarted() const { return started; }
  bool write(const std::string &bytes);
  bool write(const grpc::ByteBuffer &message);
  /// Nothing: the call has ended.
  std::optional<std::string> read();
  /// Final status of the call, after what is still to be read.
  grpc::Status finish();

private:
  bool wait(const void *tag);

  grpc::CompletionQueue queue;
  grpc::GenericStub stub;
  grpc::ClientContext context;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
  bool started = false;
};

} // namespace graphc::runtime

#endif
