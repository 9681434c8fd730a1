// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/metrics/prometheus/MetricsExposer.h"

#include <cerrno>
#include <exception>
#include <limits>
#include <netdb.h>
#include <prometheus/client_metric.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace graphc::runtime {

namespace {

/// A client that sends or reads nothing keeps one thread for so long.
constexpr const char *kTimeoutMillis = "3000";
constexpr const char *kThreads = "8";

prometheus::ClientMetric::Histogram histogramOf(const MetricInfo &info,
                                                const MetricBuckets &buckets) {
  prometheus::ClientMetric::Histogram made;
  made.sample_sum = buckets.sum;
  for (size_t i = 0; i < buckets.counts.size(); ++i) {
    made.sample_count += buckets.counts[i];
    bool isLast = i == info.bounds.size();
    made.bucket.push_back(
        {made.sample_count,
         isLast ? std::numeric_limits<double>::infinity() : info.bounds[i]});
  }
  return made;
}

prometheus::MetricFamily familyOf(const MetricFamily &family) {
  prometheus::MetricFamily made;
  made.name = family.info->name;
  made.help = family.info->help;
  for (const MetricSample &sample : family.samples) {
    prometheus::ClientMetric &metric = made.metric.emplace_back();
    for (const auto &[name, text] : sample.labels)
      metric.label.push_back({name, text});
    switch (family.info->kind) {
    case MetricKind::Counter:
      made.type = prometheus::MetricType::Counter;
      metric.counter.value = sample.value;
      break;
    case MetricKind::Gauge:
      made.type = prometheus::MetricType::Gauge;
      metric.gauge.value = sample.value;
      break;
    case MetricKind::Histogram:
      made.type = prometheus::MetricType::Histogram;
      metric.histogram = histogramOf(*family.info, sample.buckets);
      break;
    }
  }
  return made;
}

class Collector final : public prometheus::Collectable {
public:
  explicit Collector(MetricsExposer::Source source)
      : source(std::move(source)) {}
  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> made;
    for (const MetricFamily &family : source())
      made.push_back(familyOf(family));
    return made;
  }

private:
  MetricsExposer::Source source;
};

struct Addresses {
  addrinfo *list = nullptr;
  ~Addresses() {
    if (list)
      freeaddrinfo(list);
  }
};

/// Tries to listen there, since the server's own failure has no reason.
Status checkBind(const TaskAddress &address) {
  Addresses found;
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  std::string port = std::to_string(address.port);
  if (int error =
          getaddrinfo(address.host.c_str(), port.c_str(), &wanted, &found.list))
    return unavailable(gai_strerror(error));
  int socket = ::socket(found.list->ai_family,
                        found.list->ai_socktype | SOCK_CLOEXEC, 0);
  if (socket < 0)
    return unavailable(std::generic_category().message(errno));
  int isOn = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isOn, sizeof isOn);
  Status status;
  if (bind(socket, found.list->ai_addr, found.list->ai_addrlen) != 0 ||
      listen(socket, 1) != 0)
    status = unavailable(std::generic_category().message(errno));
  close(socket);
  return status;
}

} // namespace

struct MetricsExposer::State {
  TaskAddress address;
  std::shared_ptr<Collector> collector;
  std::unique_ptr<prometheus::Exposer> server;
};

MetricsExposer::MetricsExposer() : state(std::make_unique<State>()) {}

MetricsExposer::~MetricsExposer() = default;

const TaskAddress &MetricsExposer::address() const { return state->address; }

StatusOr<std::unique_ptr<MetricsExposer>>
MetricsExposer::start(const TaskAddress &address, Source source) {
  if (address.isUnix())
    return invalidArgument("metrics are served over HTTP: give HOST:PORT, not "
                           "a unix socket");
  std::string where = "cannot serve metrics at " + address.toString();
  GRAPHC_TRY(checkBind(address).annotate(where));
  std::unique_ptr<MetricsExposer> made(new MetricsExposer());
  State &state = *made->state;
  state.address = address;
  state.collector = std::make_shared<Collector>(std::move(source));
  // The library throws, which must not leave this function.
  try {
    state.server =
        std::make_unique<prometheus::Exposer>(std::vector<std::string>{
            "listening_ports", address.toString(), "num_threads", kThreads,
            "request_timeout_ms", kTimeoutMillis, "enable_keep_alive", "no"});
    state.server->RegisterCollectable(state.collector);
    std::vector<int> ports = state.server->GetListeningPorts();
    if (ports.empty())
      return unavailable(where);
    state.address.port = static_cast<uint16_t>(ports.front());
  } catch (const std::exception &error) {
    return unavailable(where + ": " + error.what());
  }
  return made;
}

} // namespace graphc::runtime
