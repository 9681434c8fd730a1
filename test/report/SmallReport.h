// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON that the tests of this folder start from.
#ifndef GRAPHC_TEST_REPORT_SMALLREPORT_H
#define GRAPHC_TEST_REPORT_SMALLREPORT_H

#include <nlohmann/json.hpp>

namespace graphc::test {

/// A feed on the CPU, a constant and a product on a GPU.
inline nlohmann::json smallReport() {
  return nlohmann::json::parse(R"({
    "version": 1, "policy": "first-gpu",
    "devices": [{"name": "/job:localhost/replica:0/task:0/device:CPU:0"},
                {"name": "/job:worker/replica:0/task:1/device:GPU:0"}],
    "variables": {"name": ["w"], "device": [0], "mirror_of": [-1], "line": [1],
                  "results": [[0]], "rule": [0], "why": [1], "others": [0]},
    "graphs": [{
      "name": "predict", "line": 2, "replicas": 1, "fetches": [["y", 2]],
      "ops": {"name": ["x", "two", "scope/mul"], "kind": [0, 1, 2],
              "device": [0, 0, 1], "replica": [-1, -1, 0], "line": [2, 3, 4],
              "operands": [[], [], [0, 1]], "results": [[0], [1], [0]],
              "rule": [0, 0, 0], "why": [0, -1, 1], "others": [0, -1, 0]}}],
    "kinds": ["Placeholder", "Const", "Mul"],
    "rules": ["request"], "reasons": ["it asks for it", "it does not"],
    "types": [["float32[1000]", 4000], ["float32[]", 4]],
    "others": [[[0, 0, -1, 0.5], [1, 1, 1]]]})");
}

} // namespace graphc::test

#endif
