// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages and packets as gRPC's buffers.
#ifndef GRAPHC_RUNTIME_RPC_BUFFERS_H
#define GRAPHC_RUNTIME_RPC_BUFFERS_H

#include "runtime/link/ByteRanges.h"
#include "runtime/link/Connection.h"

#include <cstddef>
#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>
#include <span>
#include <vector>

namespace graphc::runtime {

/// The largest message of a conversation. Values travel in chunks of a MiB.
inline constexpr size_t kMaxMessageBytes = 4 << 20;

/// False: the bytes are no such message.
bool parseMessage(const grpc::ByteBuffer &buffer,
                  google::protobuf::MessageLite &message);

grpc::ByteBuffer toBuffer(const google::protobuf::MessageLite &message);

/// A copy of `head`, and of `body` where that is short or has no owner; else
/// the body's own memory.
grpc::ByteBuffer toBuffer(std::span<const std::byte> head,
                          const SharedBytes &body);

/// Gives the bytes of buffers where they are. Thread-safety: one call at a
/// time.
class BufferRanges {
public:
  /// The first range has `head` bytes, if there are so many; they are copied
  /// where they do not lie together. Valid until the next call.
  ByteRanges of(const grpc::ByteBuffer &buffer, size_t head);

private:
  std::vector<grpc::Slice> slices;
  std::vector<ByteRange> ranges;
  std::vector<std::byte> copy;
};

} // namespace graphc::runtime

#endif
