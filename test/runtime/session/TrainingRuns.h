// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short trainings of one model, whose losses are known by their steps.
#ifndef GRAPHC_TEST_RUNTIME_SESSION_TRAININGRUNS_H
#define GRAPHC_TEST_RUNTIME_SESSION_TRAININGRUNS_H

#include "runtime/checkpoint/Positions.h"
#include "test/runtime/session/OpenModel.h"
#include "test/runtime/session/SessionModels.h"

#include <filesystem>
#include <map>

namespace graphc::test {

using namespace runtime;

using Steps = std::vector<uint64_t>;
using Losses = std::map<uint64_t, float>; ///< by step

inline std::unique_ptr<LocalSession> openLinear() {
  std::unique_ptr<LocalSession> session = openModel(linearModel(0));
  EXPECT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  return session;
}

inline RunRequest training(int64_t steps) {
  return {"train", {}, {"loss"}, steps};
}

/// Keeps the loss of each step, and fails the test where a step comes twice.
inline Session::StepCallback keep(Losses &losses, uint64_t last = UINT64_MAX) {
  return [&losses, last](const StepView &view) {
    HostTensor loss = view.tensor(0);
    EXPECT_TRUE(losses.emplace(view.step(), loss.as<float>()[0]).second);
    return view.step() < last;
  };
}

/// Ten steps without any checkpoint.
inline const Losses &tenLosses() {
  static const Losses losses = [] {
    Losses made;
    std::unique_ptr<LocalSession> session = openLinear();
    EXPECT_TRUE(session->initialize().isOk());
    EXPECT_TRUE(session->runSteps(training(10), keep(made)).isOk());
    return made;
  }();
  return losses;
}

inline Losses between(uint64_t first, uint64_t last) {
  return {tenLosses().find(first), tenLosses().upper_bound(last)};
}

/// A file that is not there yet.
inline std::string newFile(const char *name) {
  std::string path = temporary(name);
  std::filesystem::remove(path);
  return path;
}

inline uint64_t stepOf(const std::string &file) {
  auto positions = positionsOf(file);
  EXPECT_TRUE(positions.isOk() && *positions);
  return (**positions)["train"].step;
}

inline void expectStatus(const Status &status, StatusCode code,
                         const char *text) {
  EXPECT_EQ(status.code(), code) << status.toString();
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

} // namespace graphc::test

#endif
