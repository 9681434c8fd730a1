// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/Buffers.h"

#include <climits>
#include <cstring>
#include <google/protobuf/io/zero_copy_stream.h>
#include <grpcpp/support/proto_buffer_reader.h>

namespace graphc::runtime {

bool parseMessage(const grpc::ByteBuffer &buffer,
                  google::protobuf::MessageLite &message) {
  grpc::ByteBuffer copy(buffer); // counts references; the reader may change it
  grpc::ProtoBufferReader reader(&copy);
  return reader.status().ok() && message.ParseFromZeroCopyStream(&reader);
}

grpc::ByteBuffer toBuffer(const google::protobuf::MessageLite &message) {
  size_t size = message.ByteSizeLong();
  if (size > INT_MAX) // as SerializeWithCachedSizesToArray counts
    return {};
  grpc_slice slice = grpc_slice_malloc(size);
  message.SerializeWithCachedSizesToArray(GRPC_SLICE_START_PTR(slice));
  grpc::Slice owner(slice, grpc::Slice::STEAL_REF);
  return {&owner, 1};
}

grpc::ByteBuffer toBuffer(std::span<const std::byte> head,
                          std::span<const std::byte> body) {
  grpc_slice slice = grpc_slice_malloc(head.size() + body.size());
  uint8_t *out = GRPC_SLICE_START_PTR(slice);
  if (!head.empty())
    std::memcpy(out, head.data(), head.size());
  if (!body.empty())
    std::memcpy(out + head.size(), body.data(), body.size());
  grpc::Slice owner(slice, grpc::Slice::STEAL_REF);
  return {&owner, 1};
}

std::span<const std::byte> Flattener::flatten(const grpc::ByteBuffer &buffer) {
  slices.clear();
  if (!buffer.Dump(&slices).ok() || slices.empty())
    return {};
  auto bytesOf = [](const grpc::Slice &slice) {
    return std::span(reinterpret_cast<const std::byte *>(slice.begin()),
                     slice.size());
  };
  // A short slice is kept inside its handle, which the next call replaces.
  if (slices.size() == 1)
    return bytesOf(slices.front());
  copy.resize(std::max(copy.size(), buffer.Length()));
  size_t at = 0;
  for (const grpc::Slice &slice : slices) {
    std::memcpy(copy.data() + at, slice.begin(), slice.size());
    at += slice.size();
  }
  slices.clear();
  return std::span(copy).first(at);
}

} // namespace graphc::runtime
