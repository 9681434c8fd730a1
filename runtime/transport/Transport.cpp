// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/Transport.h"

#include <algorithm>

namespace graphc::runtime {

struct TransportSet::Attempt {
  PeerAddress peer;
  Transport::Done done;
  Status failure;
};

StatusOr<std::unique_ptr<TransportSet>>
TransportSet::open(const TransportKinds &kinds, const TransportHost &host) {
  std::unique_ptr<TransportSet> set(new TransportSet());
  for (const TransportKind &kind : kinds) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<Transport> opened, kind.open(host));
    set->transports.emplace_back(kind.name, std::move(opened));
  }
  return set;
}

std::map<std::string, std::string> TransportSet::addresses() const {
  std::map<std::string, std::string> all;
  for (const auto &[name, transport] : transports)
    if (std::string address = transport->address(); !address.empty())
      all[name] = std::move(address);
  return all;
}

bool TransportSet::contains(const std::string &name) const {
  return std::ranges::any_of(
      transports, [&](const auto &entry) { return entry.first == name; });
}

void TransportSet::connect(PeerAddress peer, Transport::Done done) const {
  auto all = std::make_shared<Attempt>();
  all->peer = std::move(peer);
  all->done = std::move(done);
  all->failure = failedPrecondition("this task has no transport");
  attempt(0, all);
}

void TransportSet::attempt(size_t index,
                           const std::shared_ptr<Attempt> &all) const {
  for (; index < transports.size(); ++index) {
    Status status = transports[index].second->probe(all->peer);
    if (status.isOk())
      break;
    all->failure = std::move(status);
  }
  if (index == transports.size())
    return all->done(all->failure);
  transports[index].second->connect(
      all->peer, [this, index,
                  all](StatusOr<std::unique_ptr<PolledConnection>> connection) {
        if (connection.isOk())
          return all->done(std::move(connection));
        all->failure = connection.status();
        attempt(index + 1, all);
      });
}

} // namespace graphc::runtime
