// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/OpenRequests.h"

#include "runtime/protocol/TaskFailure.h"

namespace graphc::runtime {

void OpenRequests::dropClient(ClientId client) {
  std::erase_if(keys,
                [&](const RequestKey &key) { return key.client == client; });
}

void OpenRequests::answer(const RequestKey &key, protocol::Reply reply) {
  keys.erase(key);
  reply.set_id(key.id);
  reply.set_last(true);
  clients.reply(key.client, std::move(reply));
}

void OpenRequests::fail(const RequestKey &key, const Status &status) {
  fail(key, toFailure(status, task));
}

void OpenRequests::fail(const RequestKey &key,
                        const protocol::Failure &failure) {
  protocol::Reply reply;
  *reply.mutable_failure() = failure;
  answer(key, std::move(reply));
}

void OpenRequests::failAll(const protocol::Failure &failure) {
  std::set<RequestKey> left = keys;
  for (const RequestKey &key : left)
    fail(key, failure);
}

void OpenRequests::refuse(const RequestKey &key, const Status &status) {
  protocol::Reply reply;
  reply.set_id(key.id);
  *reply.mutable_failure() = toFailure(status, task);
  clients.reply(key.client, std::move(reply));
}

void OpenRequests::status(const RequestKey &key, const std::string &text) {
  protocol::Reply reply;
  reply.set_id(key.id);
  reply.set_status(text);
  clients.reply(key.client, std::move(reply));
}

} // namespace graphc::runtime
