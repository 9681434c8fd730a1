// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/ClientCall.h"

#include "runtime/rpc/Metadata.h"
#include "runtime/rpc/StatusMap.h"
#include "runtime/rpc/server/PeerRoles.h"

namespace graphc::runtime {

void ClientCall::Operation::complete(bool isOk) {
  std::shared_ptr<ClientCall> self = std::move(owner);
  ((*self).*done)(isOk);
}

void *ClientCall::start(Operation &operation) {
  operation.owner = shared_from_this();
  return static_cast<CompletionEvent *>(&operation);
}

std::shared_ptr<ClientCall>
ClientCall::begin(const std::shared_ptr<grpc::Channel> &channel, bool isTls,
                  grpc::CompletionQueue &queue, Events events) {
  auto call = std::make_shared<ClientCall>();
  call->starting.done = &ClientCall::onStarted;
  call->greeting.done = &ClientCall::onGreeted;
  call->reading.done = &ClientCall::onRead;
  call->writing.done = &ClientCall::onWritten;
  call->finishing.done = &ClientCall::onFinished;
  call->events = std::move(events);
  call->isTls = isTls;
  call->stub = graphc::Task::NewStub(channel);
  call->stream = call->stub->PrepareAsyncConverse(&call->context, &queue);
  call->stream->StartCall(call->start(call->starting));
  return call;
}

void ClientCall::send(protocol::Request request) {
  queue.push_back(std::move(request));
  write();
}

std::deque<protocol::Request> ClientCall::takeUnsent() {
  return std::move(queue);
}

void ClientCall::drop() {
  events = {};
  context.TryCancel();
}

void ClientCall::onStarted(bool isOk) {
  if (!isOk)
    return finish();
  stream->ReadInitialMetadata(start(greeting));
}

void ClientCall::onGreeted(bool isOk) {
  // Only a task that takes the conversation sends this key.
  isOpen = isOk && context.GetServerInitialMetadata().count(kProtocolKey);
  if (isOpen)
    refusal = checkServerRole(context, isTls);
  if (!refusal.isOk()) {
    isOpen = false;
    context.TryCancel();
  }
  if (!isOpen)
    return finish();
  isReading = true;
  stream->Read(&incoming, start(reading));
  write();
}

void ClientCall::onRead(bool isOk) {
  isReading = false;
  if (!isOk)
    return finish();
  if (events.onReply)
    events.onReply(incoming);
  if (isOver)
    return finish();
  isReading = true;
  stream->Read(&incoming, start(reading));
}

void ClientCall::write() {
  if (!isOpen || isWriting || isOver || queue.empty())
    return;
  isWriting = true;
  stream->Write(queue.front(), start(writing));
}

void ClientCall::onWritten(bool isOk) {
  isWriting = false;
  if (isOk && !queue.empty())
    queue.pop_front();
  if (!isOk || isOver)
    return finish();
  write();
}

void ClientCall::finish() {
  isOver = true;
  if (isWriting || isReading || isFinishing)
    return;
  isFinishing = true;
  stream->Finish(&status, start(finishing));
}

void ClientCall::onFinished(bool) {
  Events last = std::move(events);
  events = {};
  if (last.onEnd)
    last.onEnd(!refusal.isOk() ? refusal
               : status.ok()   ? unavailable("the task ended the conversation")
                               : fromGrpc(status),
               isOpen);
}

} // namespace graphc::runtime
