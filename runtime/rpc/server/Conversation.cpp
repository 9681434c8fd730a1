// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/Conversation.h"

#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/rpc/Metadata.h"
#include "runtime/rpc/StatusMap.h"

#include <climits>

namespace graphc::runtime {

namespace {

constexpr size_t kMaxReply = INT_MAX; ///< as protobuf counts

protocol::Reply tooLarge(uint64_t id) {
  protocol::Reply reply;
  reply.set_id(id);
  reply.set_last(true);
  protocol::Failure &failure = *reply.mutable_failure();
  failure.set_code(static_cast<int>(StatusCode::ResourceExhausted));
  failure.set_message("the fetches of a step have more than 2 GiB together; "
                      "fetch less, or read variables instead");
  return reply;
}

} // namespace

Conversation::Conversation(ClientId id, ServiceHandler &handler,
                           const ConversationLimits &limits)
    : number(id), handler(handler), limits(limits), calls(&serverContext) {
  greeting.done = &Conversation::onGreeted;
  reading.done = &Conversation::onRead;
  writing.done = &Conversation::onWritten;
  finishing.done = &Conversation::onFinished;
}

void Conversation::Operation::complete(bool isOk) {
  std::shared_ptr<Conversation> self = std::move(owner);
  ((*self).*done)(isOk);
}

void *Conversation::start(Operation &operation) {
  operation.owner = shared_from_this();
  return static_cast<CompletionEvent *>(&operation);
}

void Conversation::begin(std::function<void()> whenOver) {
  MutexLock lock(mutex);
  onEnd = std::move(whenOver);
  isWriting = true; // no reply before the greeting is out
  serverContext.AddInitialMetadata(kProtocolKey,
                                   std::to_string(kProtocolVersion));
  calls.SendInitialMetadata(start(greeting));
  readMore();
}

void Conversation::refuse(const Status &why, std::shared_ptr<void> token) {
  MutexLock lock(mutex);
  onEnd = [token = std::move(token)] {};
  end(why);
}

void Conversation::onGreeted(bool) {
  MutexLock lock(mutex);
  isWriting = false;
  writeMore();
}

void Conversation::readMore() {
  if (isReading || isEnding || inHand > limits.requestsInHand ||
      queued >= limits.repliesQueued)
    return;
  isReading = true;
  incoming.Clear();
  calls.Read(&incoming, start(reading));
}

void Conversation::onRead(bool isOk) {
  auto request = std::make_shared<protocol::Request>();
  size_t bytes = 0;
  {
    MutexLock lock(mutex);
    if (isEnding)
      return;
    if (!isOk) { // the client is gone
      queue.resize(isWriting && !queue.empty() ? 1 : 0);
      return end(Status::ok());
    }
    bytes = incoming.Length() + kRequestOverhead;
    if (!parseMessage(incoming, *request))
      return end(invalidArgument("the message is no graphc.protocol.Request"));
    inHand += bytes;
  }
  handler.onRequest(
      number, std::move(request),
      [self = shared_from_this(), bytes] { self->onTaken(bytes); });
  {
    // Only now: another thread may bring the next one, and their order counts.
    MutexLock lock(mutex);
    isReading = false;
    readMore();
  }
  handler.help();
}

void Conversation::onTaken(size_t bytes) {
  MutexLock lock(mutex);
  inHand -= bytes;
  readMore();
}

bool Conversation::canReply() const {
  MutexLock lock(mutex);
  bool hasRoom = queued < limits.repliesQueued;
  wantsRoom |= !hasRoom;
  return hasRoom;
}

void Conversation::reply(const protocol::Reply &reply) {
  if (reply.ByteSizeLong() > kMaxReply)
    return this->reply(tooLarge(reply.id()));
  grpc::ByteBuffer buffer = toBuffer(reply);
  MutexLock lock(mutex);
  if (isEnding)
    return;
  if (queued >= limits.repliesQueued)
    excess += buffer.Length();
  if (excess > limits.mostQueued)
    return overflow();
  queued += buffer.Length();
  queue.push_back(std::move(buffer));
  writeMore();
}

void Conversation::close(const Status &why) {
  MutexLock lock(mutex);
  if (!isEnding)
    end(why);
}

void Conversation::writeMore() {
  if (isWriting || isFinishing)
    return;
  if (isEnding && queue.empty()) {
    isFinishing = true;
    calls.Finish(toGrpc(ending), start(finishing));
  } else if (!queue.empty()) {
    isWriting = true;
    calls.Write(queue.front(), start(writing));
  }
}

void Conversation::onWritten(bool isOk) {
  bool hasRoom = false;
  {
    MutexLock lock(mutex);
    isWriting = false;
    queued -= queue.front().Length();
    queue.pop_front();
    if (queued < limits.repliesQueued)
      excess = 0;
    if (!isOk)
      queue.clear();
    if (!isOk && !isEnding)
      end(Status::ok());
    else
      writeMore();
    readMore();
    hasRoom = wantsRoom && !isEnding && queued < limits.repliesQueued / 2;
    wantsRoom &= !hasRoom;
  }
  if (hasRoom)
    handler.onReplyRoom(number);
}

void Conversation::end(const Status &why) {
  isEnding = true;
  ending = why;
  writeMore();
}

void Conversation::overflow() {
  // What is being written may never be taken, so there is no polite end.
  queue.resize(isWriting ? 1 : 0);
  end(resourceExhausted("the client does not read its replies"));
  serverContext.TryCancel();
}

void Conversation::onFinished(bool) {
  std::function<void()> last;
  {
    MutexLock lock(mutex);
    queue.clear();
    queued = 0;
    last = std::move(onEnd);
  }
  last();
}

} // namespace graphc::runtime
