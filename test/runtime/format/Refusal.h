// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expects the refusal of a model, for tests.
#ifndef GRAPHC_TEST_RUNTIME_FORMAT_REFUSAL_H
#define GRAPHC_TEST_RUNTIME_FORMAT_REFUSAL_H

#include "runtime/format/Model.h"
#include "test/runtime/format/ModelBuilder.h"

#include <gtest/gtest.h>

namespace graphc::test {

/// The message with which the file is refused; "accepted" when it is not.
inline std::string refusal(const Bytes &file) {
  auto model = runtime::Model::fromBytes(file, "test");
  return model.isOk() ? "accepted" : model.status().message();
}

inline std::string refusal(const ModelBuilder &model) {
  return refusal(model.finish());
}

/// EXPECTs that the model is refused for a reason that holds `part`, and that
/// the message names the file and the fix.
template <typename T>
void expectRefusal(const T &model, const std::string &part) {
  std::string message = refusal(model);
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_NE(message.find("model file 'test'"), std::string::npos) << message;
  EXPECT_NE(message.find("recompile the model"), std::string::npos) << message;
}

} // namespace graphc::test

#endif
