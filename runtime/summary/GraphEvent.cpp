// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/summary/GraphEvent.h"

#include "runtime/summary/ProtoWriter.h"

#include <algorithm>
#include <set>

namespace graphc::runtime {

namespace {
/// Version of GraphDef, TensorFlow 1.15's.
constexpr int64_t kGraphProducer = 134;

/// HParamInfo.type of a value.
int64_t hparamType(const HparamValue &value) {
  constexpr int64_t kText = 1, kBool = 2, kNumber = 3;
  return std::holds_alternative<double>(value) ? kNumber
         : std::holds_alternative<bool>(value) ? kBool
                                               : kText;
}

/// google.protobuf.Value.
ProtoWriter encodeValue(const HparamValue &value) {
  ProtoWriter proto;
  if (const double *number = std::get_if<double>(&value))
    proto.addDouble(2, *number);
  else if (const std::string *text = std::get_if<std::string>(&value))
    proto.addBytes(3, *text);
  else
    proto.addInt(4, std::get<bool>(value));
  return proto;
}

/// The node that an input names: without '^' before it and ":1" after it.
std::string nodeOf(const std::string &input) {
  size_t begin = input.starts_with('^') ? 1 : 0;
  size_t colon = input.rfind(':');
  bool hasIndex =
      colon != std::string::npos && colon + 1 < input.size() &&
      input.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return input.substr(begin, hasIndex ? colon - begin : std::string::npos);
}
} // namespace

std::string encodeGraph(const std::vector<GraphDefNode> &nodes) {
  std::set<std::string> names;
  for (const GraphDefNode &node : nodes)
    names.insert(node.name);
  ProtoWriter graph;
  for (const GraphDefNode &node : nodes) {
    ProtoWriter proto;
    proto.addBytes(1, node.name).addBytes(2, node.type);
    for (const std::string &input : node.inputs)
      if (names.count(input) || names.count(nodeOf(input)))
        proto.addBytes(3, input);
    if (!node.device.empty())
      proto.addBytes(4, node.device);
    graph.addMessage(1, proto);
  }
  graph.addMessage(4, ProtoWriter().addInt(1, kGraphProducer));
  return graph.bytes();
}

std::string encodeRunMetadata(const std::vector<NodeTime> &times) {
  std::map<std::string, ProtoWriter> devices;
  for (const NodeTime &time : times) {
    ProtoWriter node;
    node.addBytes(1, time.name).addInt(2, time.startMicros).addInt(3, 0);
    node.addInt(4, time.micros).addInt(5, time.micros);
    if (time.bytes > 0) {
      auto bytes = static_cast<int64_t>(time.bytes);
      node.addMessage(
          6,
          ProtoWriter().addBytes(1, "arena").addInt(2, bytes).addInt(3, bytes));
    }
    node.addBytes(8, time.name).addInt(9, time.startMicros);
    devices[time.device].addMessage(2, node);
  }
  ProtoWriter stats;
  for (const auto &[device, nodes] : devices) {
    ProtoWriter proto;
    proto.addBytes(1, device);
    // Fields may come in any order and in parts, so these follow as they are.
    stats.addBytes(1, proto.bytes() + nodes.bytes());
  }
  return ProtoWriter().addMessage(1, stats).bytes();
}

std::string encodeExperiment(const Hparams &hparams,
                             const std::vector<std::string> &metrics) {
  ProtoWriter experiment;
  for (const auto &[name, value] : hparams)
    experiment.addMessage(
        4, ProtoWriter().addBytes(1, name).addInt(4, hparamType(value)));
  for (const std::string &tag : metrics)
    experiment.addMessage(
        5, ProtoWriter().addMessage(1, ProtoWriter().addBytes(2, tag)));
  return ProtoWriter().addInt(1, 0).addMessage(2, experiment).bytes();
}

std::string encodeSessionStart(const Hparams &hparams, const std::string &group,
                               double seconds) {
  ProtoWriter start;
  for (const auto &[name, value] : hparams)
    start.addMessage(
        1, ProtoWriter().addBytes(1, name).addMessage(2, encodeValue(value)));
  start.addBytes(4, group).addDouble(5, seconds);
  return ProtoWriter().addInt(1, 0).addMessage(3, start).bytes();
}

std::string encodeSessionEnd(bool isSuccess, double seconds) {
  ProtoWriter end;
  end.addInt(1, isSuccess ? 1 : 2).addDouble(2, seconds);
  return ProtoWriter().addInt(1, 0).addMessage(4, end).bytes();
}

} // namespace graphc::runtime
