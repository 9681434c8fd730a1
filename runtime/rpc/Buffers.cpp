// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/Buffers.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <google/protobuf/io/zero_copy_stream.h>
#include <grpcpp/support/proto_buffer_reader.h>

namespace graphc::runtime {

namespace {

/// A body that is shorter is copied for less than what its sharing costs.
constexpr size_t kMinShared = 16 << 10;

using Owner = std::shared_ptr<const void>;
void forgetOwner(void *owner) { delete static_cast<Owner *>(owner); }

std::byte *bytesOf(grpc_slice &slice) {
  return reinterpret_cast<std::byte *>(GRPC_SLICE_START_PTR(slice));
}

} // namespace

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
                          const SharedBytes &body) {
  std::span<const std::byte> bytes = body.bytes;
  if (body.owner && bytes.size() >= kMinShared) {
    grpc::Slice slices[] = {
        grpc::Slice(head.data(), head.size()),
        // gRPC does not write there, though the type would let it.
        grpc::Slice(const_cast<std::byte *>(bytes.data()), bytes.size(),
                    forgetOwner, new Owner(body.owner))};
    return {slices, 2};
  }
  grpc_slice slice = grpc_slice_malloc(head.size() + bytes.size());
  std::ranges::copy(bytes, std::ranges::copy(head, bytesOf(slice)).out);
  grpc::Slice owner(slice, grpc::Slice::STEAL_REF);
  return {&owner, 1};
}

ByteRanges BufferRanges::of(const grpc::ByteBuffer &buffer, size_t head) {
  slices.clear();
  ranges.clear();
  if (!buffer.Dump(&slices).ok())
    return {};
  // A short slice is kept inside its handle, which the next call replaces.
  for (const grpc::Slice &slice : slices)
    if (slice.size() > 0)
      ranges.emplace_back(reinterpret_cast<const std::byte *>(slice.begin()),
                          slice.size());
  if (ranges.empty())
    return {};
  if (ranges.size() == 1 || ranges.front().size() >= head)
    return {ranges.front(), std::span(ranges).subspan(1)};
  copy.clear();
  size_t used = 0;
  while (used < ranges.size() && copy.size() < head) {
    ByteRange &range = ranges[used];
    ByteRange taken = range.first(std::min(range.size(), head - copy.size()));
    copy.insert(copy.end(), taken.begin(), taken.end());
    range = range.subspan(taken.size());
    used += range.empty();
  }
  return {copy, std::span(ranges).subspan(used)};
}

} // namespace graphc::runtime
