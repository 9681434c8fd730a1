// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages and packets as gRPC's buffers.
#ifndef GRAPHC_RUNTIME_RPC_BUFFERS_H
#define GRAPHC_RUNTIME_RPC_BUFFERS_H

#include <cstddef>
#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>
#include <span>
#include <vector>

namespace graphc::runtime {

/// The largest message of a conversation. Values travel in pieces of a MiB.
inline constexpr size_t kMostMessageBytes = 4 << 20;

/// False: the bytes are no such message.
bool parseMessage(const grpc::ByteBuffer &buffer,
                  google::protobuf::MessageLite &message);

grpc::ByteBuffer toBuffer(const google::protobuf::MessageLite &message);

/// One copy of `head` and `body`.
grpc::ByteBuffer toBuffer(std::span<const std::byte> head,
                          std::span<const std::byte> body);

/// Gives the bytes of buffers as one range each: their own memory where they
/// lie together, else a copy. Thread-safety: one call at a time.
class Flattener {
public:
  /// Valid as long as `buffer` and until the next call.
  std::span<const std::byte> flatten(const grpc::ByteBuffer &buffer);

private:
  std::vector<grpc::Slice> slices;
  std::vector<std::byte> copy;
};

} // namespace graphc::runtime

#endif
