// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make-report-model OUT [OPS [NAME [TOWERS]]]: writes a model with a report of
// about OPS ops, without compiling anything: towers on GPUs (two unless said
// otherwise) whose results are added on the CPU. NAME is the name of the first
// op of the first tower, whatever it holds.
#include "test/runtime/format/ModelBuilder.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>

using namespace graphc::test;
using nlohmann::ordered_json;

namespace {

struct Wanted {
  uint32_t ops = 20;
  std::string name = "start";
  uint32_t towers = 2;
};

std::string gpu(uint32_t number) {
  return "/job:localhost/replica:0/task:0/device:GPU:" + std::to_string(number);
}

/// The columns of a graph's ops; each op makes one value.
class Ops {
public:
  uint32_t add(const std::string &name, int kind, int device, int replica,
               std::vector<uint32_t> operands, int reason) {
    names.push_back(name);
    kinds.push_back(kind);
    devices.push_back(device);
    replicas.push_back(replica);
    lines.push_back(names.size() + 1);
    this->operands.push_back(std::move(operands));
    results.push_back({0});
    rules.push_back(reason);
    whys.push_back(reason);
    others.push_back(0);
    return static_cast<uint32_t>(names.size() - 1);
  }
  ordered_json json() const {
    return {{"name", names},       {"kind", kinds}, {"device", devices},
            {"replica", replicas}, {"line", lines}, {"operands", operands},
            {"results", results},  {"rule", rules}, {"why", whys},
            {"others", others}};
  }

private:
  std::vector<std::string> names;
  std::vector<int> kinds, devices, replicas, rules, whys, others;
  std::vector<size_t> lines;
  std::vector<std::vector<uint32_t>> operands, results;
};

std::string reportOf(const Wanted &wanted) {
  Ops ops;
  uint32_t read = ops.add("w/read", 0, 0, -1, {}, 0);
  std::vector<uint32_t> ends;
  uint32_t perTower = std::max(1u, wanted.ops / wanted.towers);
  for (uint32_t tower = 0; tower < wanted.towers; ++tower) {
    std::string scope = "tower_" + std::to_string(tower) + "/";
    uint32_t last = read;
    for (uint32_t i = 0; i < perTower; ++i) {
      // A third in scopes, the rest without, as generated graphs have them.
      std::string name = i % 3 == 0 ? "layer_" + std::to_string(i / 30) +
                                          "/op_" + std::to_string(i)
                                    : "op_" + std::to_string(i);
      if (i == 0)
        name = tower == 0 ? wanted.name : "start";
      last = ops.add(scope + name, 1, static_cast<int>(tower) + 1,
                     static_cast<int>(tower), {last, read}, 1);
    }
    ends.push_back(last);
  }
  uint32_t sum = ops.add("sum", 2, 0, -1, ends, 0);

  ordered_json report = ordered_json::parse(R"({
      "version": 1, "policy": "first-gpu",
      "devices": [],
      "variables": {"name": ["w"], "device": [0], "mirror_of": [-1],
                    "line": [1], "results": [[0]]},
      "graphs": [{"name": "train", "line": 2}],
      "kinds": ["ReadVariableOp", "Mul", "AddN"],
      "rules": ["request", "policy"],
      "reasons": ["it asks for '/cpu:0'", "policy first-gpu chose it",
                  "it asks for another one"],
      "types": [["float32[2,3]", 24]]})");
  report["devices"].push_back({{"name", kCpu0}});
  for (uint32_t tower = 0; tower < wanted.towers; ++tower)
    report["devices"].push_back({{"name", gpu(tower)}});
  ordered_json others = ordered_json::array({0, 0, 2});
  ordered_json possible = ordered_json::array({1, wanted.towers, -1, 0.00001});
  report["others"] =
      ordered_json::array({ordered_json::array({others, possible})});
  ordered_json &graph = report["graphs"][0];
  graph["replicas"] = wanted.towers;
  graph["fetches"] = ordered_json::array({ordered_json::array({"sum", sum})});
  graph["ops"] = ops.json();
  return report.dump();
}

/// Programs to the report: the variable goes to each GPU, which sends it back.
void addPrograms(ModelBuilder &model, const Wanted &wanted) {
  TensorType type{DType::Float32, {2, 3}};
  uint32_t w = model.addVariable("w", type);
  model.variables[w].device = kCpu0;
  GraphSpec &train = model.addGraph("train");
  train.replicas = wanted.towers;
  uint32_t read = train.addVariable("w", model, w);
  uint32_t sum = train.addArena("sum", type);
  for (uint32_t tower = 0; tower < wanted.towers; ++tower) {
    uint32_t program = train.addProgram(gpu(tower));
    uint32_t there = train.transfer(0, read, program);
    uint32_t back = train.transfer(program, there, 0);
    if (tower == 0)
      train.addCopy(back, sum);
  }
  train.addWaits();
  for (uint32_t program = 1; program < train.programCount(); ++program)
    train.program(program).addWaits();
  train.addFetch("sum", sum);
}

bool readNumber(const char *text, uint32_t &number) {
  const char *end = text + std::strlen(text);
  return std::from_chars(text, end, number).ptr == end && number > 0;
}

} // namespace

int main(int argc, char **argv) {
  Wanted wanted;
  bool fits = argc >= 2 && argc <= 5;
  if (argc > 2)
    fits &= readNumber(argv[2], wanted.ops);
  if (argc > 3)
    wanted.name = argv[3];
  if (argc > 4)
    fits &= readNumber(argv[4], wanted.towers);
  if (!fits) {
    std::cerr << "usage: make-report-model OUT [OPS [NAME [TOWERS]]]\n";
    return 2;
  }
  ModelBuilder model;
  addPrograms(model, wanted);
  model.report = reportOf(wanted);
  Bytes bytes = model.finish();
  std::ofstream out(argv[1], std::ios::binary);
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    std::cerr << "make-report-model: cannot write '" << argv[1] << "'\n";
    return 1;
  }
}
