// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model.bin, up to what a session does with it before it runs code: header
// and digest are repaired, so that what is changed is the index. What is
// accepted can be read to the end, cut into parts, and given its memory.
#include "runtime/executor/StepEngine.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/session/LocalSession.h"
#include "runtime/state/DatasetBindings.h"
#include "runtime/state/VariableStore.h"
#include "runtime/target/cpu/LoadKernels.h"
#include "test/fuzz/Input.h"
#include "test/fuzz/ModelBytes.h"
#include "test/runtime/format/ModelReader.h"
#include "test/runtime/format/PlanMutants.h"

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::requireMessage;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

/// Each task's part is a model, too.
void checkParts(const Model &model) {
  if (model.index().part_task() || !planVariantsOf(model).empty())
    return;
  for (const std::string &task : tasksOf(model)) {
    auto bytes = makeSlice(model, task);
    test::require(bytes.isOk(), "a plan has a part for each of its tasks");
    auto part = Model::fromBytes(*bytes, "part");
    test::require(part.isOk(), "a part of a plan is a model");
  }
}

void checkMembers(const std::shared_ptr<const Model> &model) {
  for (uint32_t workers : planVariantsOf(*model)) {
    auto member = takePlanVariant(model, workers);
    requireMessage(member.status());
    if (member.isOk())
      checkParts(**member);
  }
}

/// Makes what a session makes before the first step of each graph.
void makeEngines(const Model &model) {
  auto level = chooseLevel(detectCpuFeatures(), std::nullopt);
  test::require(level.isOk(), "this CPU runs kernels");
  auto kernels = loadKernels(model, *level);
  requireMessage(kernels.status());
  auto variables = VariableStore::create(model);
  requireMessage(variables.status());
  if (!kernels.isOk() || !variables.isOk())
    return;
  static CpuDevice device(*ThreadPool::shared(1));
  DatasetBindings datasets(model, 1);
  for (const format::Graph *graph : *model.index().graphs()) {
    ExecutorSpec spec;
    spec.model = &model;
    spec.graph = graph;
    spec.kernels = &*kernels;
    spec.device = &device;
    spec.variables = variables->addresses();
    spec.host = &datasets;
    requireMessage(StepEngine::create(spec).status());
  }
}

/// Nothing is run: the machine code may be anything.
void prepare(const std::shared_ptr<const Model> &model) {
  SessionOptions options;
  options.threads = 1;
  options.virtualGpus = true;
  auto session = LocalSession::create(model, options);
  requireMessage(session.status());
  if (session.isOk())
    makeEngines(*model);
}

/// Makes a mistake in a plan that is one, or nothing.
std::vector<std::byte> mistake(std::span<const std::byte> file,
                               std::mt19937 &random) {
  auto model = Model::fromBytes(test::repairModel(file), "fuzz");
  if (!model.isOk())
    return {};
  test::ModelBuilder builder = test::readModel(**model);
  if (!test::mutate(builder, random() % test::mutationCount(), random))
    return {};
  return builder.finish();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::mt19937 random(seed);
  std::span<std::byte> file = std::as_writable_bytes(std::span(data, size));
  unsigned choice = random() % 16;
  if (choice == 0)
    return LLVMFuzzerMutate(data, size, most);
  if (choice == 1) {
    std::vector<std::byte> made = mistake(file, random);
    if (!made.empty() && made.size() <= most) {
      std::memcpy(data, made.data(), made.size());
      return made.size();
    }
  }
  for (unsigned i = random() % 3; i > 0; --i)
    test::changeNumber(file, random);
  return test::changeNumber(file, random);
}

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::shared_ptr<const Model> model =
      openRepaired(Input(data, size).takeBytes(size));
  if (!model || !isSmall(*model))
    return 0;
  checkParts(*model);
  checkMembers(model);
  prepare(model);
  return 0;
}
