// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small models that do what users' models do.
#ifndef GRAPHC_TEST_RUNTIME_SESSION_SESSIONMODELS_H
#define GRAPHC_TEST_RUNTIME_SESSION_SESSIONMODELS_H

#include "test/runtime/format/ModelBuilder.h"

namespace graphc::test {

/// Fits y = w x. Graphs: "init" (w = 0.5), "train" (reads four points of
/// dataset "points", fetches "loss", updates w), "eval" (the same without
/// update), "predict" (feed x of 4 elements; fetches y = w x, and w). `repeat`:
/// passes over the points, 0 without end.
ModelBuilder linearModel(int64_t repeat);

/// Graph "divide": feeds x and y, fetches z = x / y, made by op 'Div' (line 3).
ModelBuilder divideModel();

/// Graph "hello": fetches strings "greeting", one of two lines "poem", int64
/// "state" of seed and step, bool "yes", 5 x 8 floats "large".
ModelBuilder valuesModel();

/// A model for CPU:0, GPU:0 and GPU:1. Graph "train": each GPU reads its half
/// of a batch of four x of dataset "points" and fetches it ("x0", "x1"); the
/// CPU adds both ("sum") and adds them to variable w, of which GPU:1 has a
/// mirror. "init" gives w the value 0.5, but 0 to the mirror. "mirror" fetches
/// the mirror.
ModelBuilder towersModel(int64_t repeat);

} // namespace graphc::test

#endif
