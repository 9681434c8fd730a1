// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/shm/ShmConnection.h"

#include "runtime/base/Clock.h"

#include <cstring>

namespace graphc::runtime {

namespace {
constexpr size_t kPollBytes = 512 << 10;     ///< of packets in one poll()
constexpr size_t kReleaseBytes = 64 << 10;   ///< the writer gets room so often
constexpr size_t kCopiedBytes = 4 << 10;     ///< packets up to here are copied
constexpr int64_t kSocketNanos = 10'000'000; ///< between looks at the socket
constexpr int kMaxMessages = 128;            ///< in one look
constexpr size_t kRingMemory = kRingDataOffset + kRingBytes;

/// Rings the bell of a sleeper that wants it.
void wake(std::atomic<uint32_t> &sleeps, Doorbell &bell) {
  if (sleeps.load() && sleeps.exchange(0))
    bell.ring();
}
} // namespace

ShmConnection::ShmConnection(FdSocket socket, SharedMemory incoming,
                             SharedMemory outgoing,
                             std::shared_ptr<Doorbell> peerBell,
                             const char *route)
    : socket(std::move(socket)), incoming(std::move(incoming)),
      outgoing(std::move(outgoing)), reader(this->incoming.data()),
      writer(this->outgoing.data()), peerBell(std::move(peerBell)),
      routeName(route), copy(kCopiedBytes) {}

void ShmConnection::fail(Status why) {
  if (cause.isOk())
    cause = std::move(why);
}

size_t ShmConnection::room() const {
  size_t room = writer.room();
  if (room < kMaxPacketBytes)
    isTight = true;
  return room;
}

void ShmConnection::transmit(std::span<const std::byte> head,
                             std::span<const std::byte> body) {
  writer.write(head, body);
  wake(writer.control().readerSleeps, *peerBell);
}

bool ShmConnection::takeRoom() {
  if (!isTight || writer.room() < kMaxPacketBytes)
    return false;
  isTight = false;
  return true;
}

bool ShmConnection::poll(
    const std::function<void(const ByteRanges &)> &onPacket) {
  size_t bytes = 0, unreleased = 0;
  auto release = [&] {
    reader.release();
    unreleased = 0;
    wake(reader.control().writerSleeps, *peerBell);
  };
  while (bytes < kPollBytes) {
    auto packet = reader.front();
    if (!packet)
      break;
    if (packet->size() <= copy.size()) {
      std::memcpy(copy.data(), packet->data(), packet->size());
      packet = std::span(copy.data(), packet->size());
    }
    bytes += packet->size() + 1;
    unreleased += packet->size() + 1;
    onPacket(*packet);
    reader.pop();
    if (unreleased >= kReleaseBytes)
      release();
  }
  if (unreleased)
    release();
  uint32_t heartbeats =
      reader.control().heartbeats.load(std::memory_order_relaxed);
  if (heartbeats != heartbeatsSeen) {
    heartbeatsSeen = heartbeats;
    onPacket({}); // an empty packet is a heartbeat
  }
  return bytes > 0;
}

void ShmConnection::setSleeping(bool isSleeping) {
  reader.control().readerSleeps.store(isSleeping);
  if (isTight || !isSleeping)
    writer.control().writerSleeps.store(isSleeping);
}

void ShmConnection::heartbeat() {
  writer.control().heartbeats.fetch_add(1, std::memory_order_relaxed);
}

bool ShmConnection::isBroken() {
  if (reader.isBroken() || writer.isBroken())
    fail(dataLoss("the peer wrote nonsense into the shared ring"));
  int64_t now = nowNanos();
  if (now - socketReadNanos > kSocketNanos) {
    socketReadNanos = now;
    readSocket();
  }
  return !cause.isOk();
}

void ShmConnection::close() {
  fail(cancelled("this side has closed the connection"));
  socket = FdSocket();
}

void ShmConnection::readSocket() {
  for (int i = 0; i < kMaxMessages && cause.isOk(); ++i) {
    ShmDelivery delivery;
    auto received = socket.receive(delivery);
    if (!received.isOk())
      return fail(received.status());
    if (*received == FdSocket::Received::Nothing)
      return;
    if (*received == FdSocket::Received::Closed)
      return fail(unavailable("its end of the shared memory is closed"));
    if (Status taken = takeBlock(delivery); !taken.isOk())
      return fail(std::move(taken));
  }
}

Status ShmConnection::takeBlock(ShmDelivery &delivery) {
  if (delivery.message.kind != ShmMessage::Block || delivery.fds.size() != 1)
    return dataLoss("the peer sent an unknown message beside the shared ring");
  return peerArena.addBlock(std::move(delivery.fds[0]), delivery.message.bytes);
}

bool ShmConnection::sendBlocks() {
  for (; blocksSent < arena->blocks().size(); ++blocksSent) {
    const SharedMemory &block = arena->blocks()[blocksSent];
    ShmMessage message;
    message.kind = ShmMessage::Block;
    message.bytes = block.size();
    if (!socket.send(message, {block.fd()}).isOk())
      return false;
  }
  return true;
}

std::shared_ptr<ReceiveMemory>
ShmConnection::takeMemory(std::shared_ptr<ReceiveMemory> before) {
  if (before)
    arena = std::dynamic_pointer_cast<ReceiveArena>(before);
  if (!arena) // another transport's places are still in use
    return before;
  blocksSent = 0;
  sendBlocks();
  return arena;
}

SharedPlace ShmConnection::allocate(size_t bytes) {
  SharedPlace place = arena ? arena->allocate(bytes) : SharedPlace{};
  if (place.address && !sendBlocks()) {
    arena->release(place.offset);
    return {};
  }
  return place;
}

PeerPlace ShmConnection::peerPlace(uint64_t offset, size_t bytes) {
  PeerPlace place = peerArena.find(offset, bytes);
  if (place.address || !cause.isOk())
    return place;
  readSocket(); // the block was passed before anything could name it
  return peerArena.find(offset, bytes);
}

StatusOr<ShmHandshake>
ShmHandshake::begin(FdSocket socket, TaskId self,
                    const std::shared_ptr<Doorbell> &bell) {
  GRAPHC_TRY(socket.checkPeer());
  ShmHandshake handshake;
  GRAPHC_ASSIGN_OR_RETURN(
      handshake.incoming,
      SharedMemory::create("graphc-ring", kRingMemory, Keep::Fd));
  ShmMessage message;
  message.kind = ShmMessage::Handshake;
  message.task = self;
  message.bytes = kRingMemory;
  GRAPHC_TRY(socket.send(message, {handshake.incoming.fd(), bell->fd()}));
  handshake.incoming.dropFd();
  handshake.socket = std::move(socket);
  return handshake;
}

StatusOr<ShmHandshake::Result> ShmHandshake::finish(const char *route) {
  ShmDelivery delivery;
  GRAPHC_ASSIGN_OR_RETURN(FdSocket::Received received,
                          socket.receive(delivery));
  if (received != FdSocket::Received::Message)
    return unavailable("the peer closed the local socket");
  if (delivery.message.kind != ShmMessage::Handshake ||
      delivery.fds.size() != 2)
    return invalidArgument("the peer sent no handshake on the local socket");
  GRAPHC_ASSIGN_OR_RETURN(
      SharedMemory outgoing,
      SharedMemory::open(std::move(delivery.fds[0]), kRingMemory));
  GRAPHC_ASSIGN_OR_RETURN(auto bell,
                          Doorbell::open(std::move(delivery.fds[1])));
  return Result{delivery.message.task,
                std::make_unique<ShmConnection>(
                    std::move(socket), std::move(incoming), std::move(outgoing),
                    std::move(bell), route)};
}

} // namespace graphc::runtime
