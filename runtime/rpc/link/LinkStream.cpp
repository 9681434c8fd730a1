// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/link/LinkStream.h"

#include "runtime/link/Packet.h"

namespace graphc::runtime {

namespace {

/// Packets on their way to the transport: enough that it never waits for the
/// next one.
constexpr size_t kMaxInFlight = 4;
constexpr size_t kMaxInFlightBytes = 3 << 20;
/// So many are left when the task is told that there is room: each time costs a
/// change of threads.
constexpr size_t kMinInFlight = 1;
/// Packets that the task has not looked at yet; beyond, nothing is read.
constexpr size_t kMaxInbox = 4 << 20;
constexpr size_t kMaxPacket = kMaxFrameBytes + 4096;
constexpr size_t kPolledAtOnce = 512 << 10;

} // namespace

LinkStream::LinkStream(Call call, std::function<void()> wake)
    : call(std::move(call)), wake(std::move(wake)) {
  reading.done = &LinkStream::onRead;
  writing.done = &LinkStream::onWritten;
}

void LinkStream::Operation::complete(bool isOk) {
  std::shared_ptr<LinkStream> self = std::move(owner);
  ((*self).*done)(isOk);
}

void *LinkStream::start(Operation &operation) {
  operation.owner = shared_from_this();
  return static_cast<CompletionEvent *>(&operation);
}

void LinkStream::notify() {
  if (isSleeping.exchange(false))
    wake();
}

void LinkStream::begin() {
  MutexLock lock(mutex);
  readMore();
}

void LinkStream::close(const Status &reason) {
  MutexLock lock(mutex);
  fail(reason);
}

bool LinkStream::isClosed() const {
  MutexLock lock(mutex);
  return isBroken;
}

Status LinkStream::failure() const {
  MutexLock lock(mutex);
  return why;
}

void LinkStream::fail(const Status &reason) {
  if (!isBroken) {
    isBroken = true;
    why = reason;
    call.cancel();
  }
  if (!isReading && !isWriting && !isOver) {
    isOver = true;
    outbox.clear();
    call.finish();
  }
}

void LinkStream::readMore() {
  if (isReading || isBroken || inboxBytes > kMaxInbox)
    return;
  isReading = true;
  incoming.Clear();
  call.reader->Read(&incoming, start(reading));
}

void LinkStream::onRead(bool isOk) {
  {
    MutexLock lock(mutex);
    isReading = false;
    if (!isOk || isBroken)
      fail(unavailable("its connection was closed: the process was killed, or "
                       "the network fails"));
    else if (incoming.Length() > kMaxPacket)
      fail(dataLoss("a packet of " + std::to_string(incoming.Length()) +
                    " bytes came; at most " + std::to_string(kMaxPacket) +
                    " are allowed"));
    else {
      inboxBytes += incoming.Length();
      inbox.emplace_back();
      inbox.back().Swap(&incoming);
      readMore();
    }
  }
  notify();
}

void LinkStream::writeMore() {
  if (isWriting || isBroken || outbox.empty())
    return;
  isWriting = true;
  call.writer->Write(outbox.front(), start(writing));
}

void LinkStream::onWritten(bool isOk) {
  bool isNews = false;
  {
    MutexLock lock(mutex);
    isWriting = false;
    outboxBytes -= outbox.front().Length();
    outbox.pop_front();
    if (!isOk || isBroken)
      fail(unavailable("its connection was closed while data were sent"));
    else
      writeMore();
    isNews = (wantsRoom && outbox.size() <= kMinInFlight) || isBroken;
  }
  if (isNews)
    notify();
}

bool LinkStream::hasRoom() const {
  return outbox.size() < kMaxInFlight && outboxBytes < kMaxInFlightBytes;
}

size_t LinkStream::room() {
  MutexLock lock(mutex);
  if (!isBroken && hasRoom())
    return kMaxPacket;
  wantsRoom = true;
  return 0;
}

bool LinkStream::takeRoom() {
  MutexLock lock(mutex);
  if (!wantsRoom || isBroken || outbox.size() > kMinInFlight)
    return false;
  wantsRoom = false;
  return true;
}

void LinkStream::transmit(std::span<const std::byte> head,
                          const SharedBytes &body) {
  grpc::ByteBuffer packet = toBuffer(head, body);
  MutexLock lock(mutex);
  if (isBroken)
    return;
  outboxBytes += packet.Length();
  outbox.push_back(std::move(packet));
  writeMore();
}

void LinkStream::heartbeat() {
  MutexLock lock(mutex);
  if (isBroken || !outbox.empty()) // what is on its way is a heartbeat
    return;
  outbox.push_back(toBuffer({}, {}));
  writeMore();
}

bool LinkStream::take(grpc::ByteBuffer &packet) {
  MutexLock lock(mutex);
  if (inbox.empty())
    return false;
  packet.Swap(&inbox.front());
  inbox.pop_front();
  inboxBytes -= packet.Length();
  readMore();
  return true;
}

void LinkStream::setSleeping(bool sleeping) { isSleeping = sleeping; }

GrpcConnection::GrpcConnection(std::shared_ptr<LinkStream> stream)
    : stream(std::move(stream)) {}

GrpcConnection::~GrpcConnection() { close(); }

void GrpcConnection::close() {
  stream->close(cancelled("this task has hung up"));
}

bool GrpcConnection::poll(
    const std::function<void(const ByteRanges &)> &onPacket) {
  size_t polled = 0;
  grpc::ByteBuffer packet;
  while (polled < kPolledAtOnce && stream->take(packet)) {
    polled += std::max<size_t>(packet.Length(), 1);
    onPacket(ranges.of(packet, sizeof(FramePacketHead)));
  }
  return polled > 0;
}

} // namespace graphc::runtime
