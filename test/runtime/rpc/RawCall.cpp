// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/rpc/RawCall.h"

namespace graphc::runtime {

namespace {
constexpr std::chrono::seconds kMaxTime{20};
} // namespace

RawCall::RawCall(const std::shared_ptr<grpc::Channel> &channel,
                 const std::string &method,
                 const std::map<std::string, std::string> &metadata)
    : stub(channel) {
  context.set_deadline(std::chrono::system_clock::now() + kMaxTime);
  for (const auto &[key, value] : metadata)
    context.AddMetadata(key, value);
  call = stub.PrepareCall(&context, method, &queue);
  call->StartCall(this);
  started = wait(this);
}

RawCall::~RawCall() {
  context.TryCancel();
  queue.Shutdown();
  void *tag = nullptr;
  bool isOk = false;
  while (queue.Next(&tag, &isOk)) {
  }
}

/// One operation at a time is on its way. The deadline of the call ends it.
bool RawCall::wait(const void *expected) {
  void *tag = nullptr;
  bool isOk = false;
  return queue.Next(&tag, &isOk) && tag == expected && isOk;
}

bool RawCall::write(const std::string &bytes) {
  grpc::Slice slice(bytes);
  return write(grpc::ByteBuffer(&slice, 1));
}

bool RawCall::write(const grpc::ByteBuffer &message) {
  call->Write(message, this);
  return wait(this);
}

std::optional<std::string> RawCall::read() {
  grpc::ByteBuffer buffer;
  call->Read(&buffer, this);
  if (!wait(this))
    return std::nullopt;
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok())
    return std::nullopt;
  std::string bytes;
  for (const grpc::Slice &slice : slices)
    bytes.append(reinterpret_cast<const char *>(slice.begin()), slice.size());
  return bytes;
}

grpc::Status RawCall::finish() {
  while (read()) {
  }
  grpc::Status status;
  call->Finish(&status, this);
  wait(this);
  return status;
}

} // namespace graphc::runtime
