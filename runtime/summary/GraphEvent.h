// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs, times of ops and hyper-parameters in the messages of TensorFlow that
// TensorBoard's pages read.
#ifndef GRAPHC_RUNTIME_SUMMARY_GRAPHEVENT_H
#define GRAPHC_RUNTIME_SUMMARY_GRAPHEVENT_H

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace graphc::runtime {

/// An op as the graphs page shows it. Thread-safety of all here: as value
/// types.
struct GraphDefNode {
  std::string name;   ///< scopes end in '/'; no other node has it
  std::string type;   ///< of op, such as "MatMul"
  std::string device; ///< full name; empty: none
  /// Names of nodes, with ":1" and so on after them for results but the first.
  std::vector<std::string> inputs;
};

/// Time of an op in a step.
struct NodeTime {
  std::string name; ///< of a GraphDefNode
  std::string device;
  int64_t startMicros = 0; ///< since 1970
  int64_t micros = 0;
  uint64_t bytes = 0; ///< of its results; 0: not known
};

/// A number, a text or a bool.
using HparamValue = std::variant<double, std::string, bool>;
using Hparams = std::map<std::string, HparamValue>;

/// A GraphDef. An input that no node has is left out: the page would draw
/// nothing.
std::string encodeGraph(const std::vector<GraphDefNode> &nodes);

/// A RunMetadata with the step statistics of the nodes, by device.
std::string encodeRunMetadata(const std::vector<NodeTime> &times);

/// HParamsPluginData of an experiment that has these parameters and whose
/// metrics are the scalars of these tags.
std::string encodeExperiment(const Hparams &hparams,
                             const std::vector<std::string> &metrics);
/// HParamsPluginData of a session that begins at a time, in seconds since
/// 1970; `group` names repetitions of it; empty: there are none.
std::string encodeSessionStart(const Hparams &hparams, const std::string &group,
                               double seconds);
/// HParamsPluginData of its end.
std::string encodeSessionEnd(bool isSuccess, double seconds);

} // namespace graphc::runtime

#endif
