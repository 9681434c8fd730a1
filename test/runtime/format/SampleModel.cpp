// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model that most tests of the format start from.
#include "test/runtime/format/ModelBuilder.h"

namespace graphc::test {

ModelBuilder makeSampleModel() {
  ModelBuilder model;
  model.flags = {"--batch=2"};
  model.source = "module @test {\n}\n";
  TensorType row{DType::Float32, {2, 3}};
  uint32_t w = model.addVariable("w", row);
  uint32_t digits = model.addDataset(
      {"digits",
       {{"image", {DType::Float32, {3}}}, {"label", {DType::Int64, {}}}},
       /*batch=*/2,
       /*shuffleBuffer=*/10,
       /*seed=*/7});
  KernelSpec scale{"scale", /*units=*/2, /*scratchBytes=*/64, /*flops=*/6,
                   /*bytes=*/72};
  uint32_t kernel = model.addKernel(scale, Bytes(16, std::byte{0xc3}));

  GraphSpec &init = model.addGraph("init");
  init.addFill(init.addVariable("w", model, w), {0, 0, 0x80, 0x3f});

  GraphSpec &train = model.addGraph("train");
  uint32_t x = train.addArena("x", row);
  uint32_t y = train.addArena("y", row);
  uint32_t images = train.addArena("images", row);
  uint32_t labels = train.addArena("labels", {DType::Int64, {2}});
  uint32_t two =
      train.addConstant("two", row, bytesOf(std::vector<float>(6, 2)));
  uint32_t names = train.addStrings("names", {"zero", "", "two"});
  uint32_t state = train.addStepState();
  uint32_t wSlot = train.addVariable("w", model, w);
  train.addFeed("x", x);
  train.addFetch("y", y);
  train.addFetch("names", names);
  uint32_t batch = train.addNextBatch(digits, {images, labels});
  uint32_t first =
      train.addDispatch(kernel, {x, two, images, state, y}, {y}, {batch});
  train.instructions[first].name = "dense/mul";
  train.instructions[first].line = 12;
  train.addCopy(y, wSlot, {first});
  return model;
}

} // namespace graphc::test
