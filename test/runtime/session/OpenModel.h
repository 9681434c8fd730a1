// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens models and data for tests of sessions.
#ifndef GRAPHC_TEST_RUNTIME_SESSION_OPENMODEL_H
#define GRAPHC_TEST_RUNTIME_SESSION_OPENMODEL_H

#include "runtime/session/LocalSession.h"
#include "test/runtime/format/ModelBuilder.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace graphc::test {

/// A file of the running test.
inline std::string temporary(const std::string &name) {
  const char *folder = std::getenv("TMPDIR");
  return std::string(folder ? folder : "/tmp") + "/" + name;
}

/// Twelve points of y = 3 x.
inline std::string pointsFile(const std::string &name = "points.csv") {
  std::string path = temporary(name);
  std::ofstream file(path);
  file << "x,y\n";
  for (int i = 0; i < 12; ++i)
    file << i % 4 << "," << 3 * (i % 4) << "\n";
  return path;
}

inline std::unique_ptr<runtime::LocalSession>
openModel(const ModelBuilder &builder, runtime::SessionOptions options = {}) {
  auto model = runtime::Model::fromBytes(builder.finish(), "m.bin");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  // A machine with real GPUs may have fewer than a plan.
  options.shareGpus |= std::getenv("GRAPHC_TEST_GPU") != nullptr;
  auto session = runtime::LocalSession::create(*model, options);
  EXPECT_TRUE(session.isOk()) << session.status().message();
  return std::move(session).value();
}

} // namespace graphc::test

#endif
