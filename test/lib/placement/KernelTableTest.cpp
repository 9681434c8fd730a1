// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of kernels: what they say of an op, and their mistakes.
#include "lib/placement/inputs/KernelTable.h"

#include <gtest/gtest.h>

using namespace graphc;

namespace {

runtime::StatusOr<KernelTable> parse(std::string text) {
  return KernelTable::parse({"k.json", std::move(text)});
}

/// "CPU:5 GPU", or "error: ...".
std::string kinds(const std::string &text, llvm::StringRef op,
                  llvm::ArrayRef<llvm::StringRef> dtypes) {
  auto table = parse(text);
  if (!table.isOk())
    return "error: " + table.status().message();
  std::string result;
  for (const KernelKind &kind : table->find(op, dtypes)) {
    result += (result.empty() ? "" : " ") + kind.type;
    if (kind.priority)
      result += ":" + std::to_string(*kind.priority);
  }
  return result;
}

const char *const kTwoOps = R"([
  {"op": "Lookup", "dtypes": ["f32", "int64"], "devices": {"gpu": 10, "CPU": 5},
   "refs": [2, 0], "resources": [1], "resource_results": [0]},
  {"op": "Lookup", "dtypes": ["string"], "devices": ["CPU"]},
  {"op": "Rows", "devices": ["TPU", "GPU"], "metadata": true}
])";

TEST(KernelTable, FindsByOpAndTypes) {
  EXPECT_EQ(kinds(kTwoOps, "Lookup", {"f32", "i64"}), "CPU:5 GPU:10");
  EXPECT_EQ(kinds(kTwoOps, "Lookup", {"float32"}), "CPU:5 GPU:10");
  EXPECT_EQ(kinds(kTwoOps, "Lookup", {"string"}), "CPU");
  EXPECT_EQ(kinds(kTwoOps, "Lookup", {"!tfir.string"}), "CPU");
  EXPECT_EQ(kinds(kTwoOps, "Lookup", {"f32", "string"}), "");
  EXPECT_EQ(kinds(kTwoOps, "Lookup", {"f64"}), "");
  EXPECT_EQ(kinds(kTwoOps, "Lookup", {}), "CPU:5 GPU:10");
  EXPECT_EQ(kinds(kTwoOps, "Rows", {"f64", "i1"}), "GPU TPU");
  EXPECT_EQ(kinds(kTwoOps, "Other", {"f32"}), "");
  EXPECT_EQ(kinds("[]", "Other", {}), "");
}

TEST(KernelTable, KnowsOperands) {
  auto table = parse(kTwoOps);
  ASSERT_TRUE(table.isOk()) << table.status().message();
  EXPECT_TRUE(table->knows("Lookup"));
  EXPECT_FALSE(table->knows("lookup"));
  EXPECT_EQ(table->info("lookup"), nullptr);
  const KernelOp &op = *table->info("Lookup");
  EXPECT_EQ(op.refs, (llvm::SmallVector<unsigned>{0, 2}));
  EXPECT_EQ(op.resources, (llvm::SmallVector<unsigned>{1}));
  EXPECT_EQ(op.resourceResults, (llvm::SmallVector<unsigned>{0}));
  EXPECT_FALSE(op.metadata);
  EXPECT_TRUE(table->info("Rows")->metadata);
}

TEST(KernelTable, DescribesForMessages) {
  auto table = parse(kTwoOps);
  ASSERT_TRUE(table.isOk()) << table.status().message();
  EXPECT_EQ(table->describe("Lookup"), "CPU, GPU for f32, i64; CPU for string");
  EXPECT_EQ(table->describe("Rows"), "GPU, TPU");
  EXPECT_EQ(table->describe("Other"), "");
  EXPECT_EQ(table->place("Lookup"), "k.json:2");
  EXPECT_EQ(table->place("Rows"), "k.json:5");
  EXPECT_FALSE(KernelTable().knows("Lookup"));
}

TEST(KernelTable, NamesLineCauseAndCure) {
  struct Case {
    const char *text;
    const char *message;
  };
  for (Case c : std::initializer_list<Case>{
           {"[",
            "k.json:1: this is not JSON: syntax error while parsing value"},
           {"{}", "k.json:1: a kernel table must be a list '[...]', but is an "
                  "object '{...}'"},
           {"[\n\"A\"]", "k.json:2: a kernel must be an object '{...}', but is "
                         "a string"},
           {"[{\"op\": \"A\",\n\"device\": []}]",
            "k.json:2: a kernel has no key 'device'; it has 'op', 'dtypes', "
            "'devices', 'refs', 'resources', 'resource_results', 'metadata'; "
            "did you mean 'devices'?"},
           {"[\n{\"devices\": [\"CPU\"]}]",
            "k.json:2: a kernel has no 'op'; add it"},
           {"[{\"op\": \"A\"}]", "k.json:1: a kernel has no 'devices'; add it"},
           {"[{\"op\": 1, \"devices\": [\"CPU\"]}]",
            "k.json:1: 'op' must be a string, but is a number"},
           {"[{\"op\": \"\", \"devices\": [\"CPU\"]}]",
            "k.json:1: 'op' is empty; write the op's name"},
           {"[{\"op\": \"A\", \"devices\":\n[]}]",
            "k.json:2: 'devices' is empty; name a kind that has the kernel, "
            "such as [\"CPU\"]"},
           {"[{\"op\": \"A\", \"devices\": \"CPU\"}]",
            "k.json:1: 'devices' must be a list '[...]', but is a string"},
           {"[{\"op\": \"A\", \"devices\": [1]}]",
            "k.json:1: a kind of device must be a string, but is a number"},
           {"[{\"op\": \"A\", \"devices\": [\"GPU:0\"]}]",
            "k.json:1: 'GPU:0' is no kind of device; write one such as "
            "\"GPU\""},
           {"[{\"op\": \"A\", \"devices\": [\"GPU/replica:0\"]}]",
            "k.json:1: 'GPU/replica:0' is no kind of device; write one such as "
            "\"GPU\""},
           {"[{\"op\": \"A\", \"devices\": [\"GPU/task:1\"]}]",
            "k.json:1: 'GPU/task:1' is no kind of device; write one such as "
            "\"GPU\""},
           {"[{\"op\": \"A\", \"devices\": [\"*\"]}]",
            "k.json:1: '*' is no kind of device"},
           {"[{\"op\": \"A\", \"devices\": [\"GPU/job:a\"]}]",
            "k.json:1: 'GPU/job:a' is no kind of device"},
           {"[{\"op\": \"A\", \"devices\": [\"GPU\",\n\"gpu\"]}]",
            "k.json:2: 'gpu' is there twice; keep one of them"},
           {"[{\"op\": \"A\", \"devices\": {\"GPU\":\n\"10\"}}]",
            "k.json:2: the priority of 'GPU' must be a number, but is a "
            "string"},
           {"[{\"op\": \"A\", \"devices\": {\"GPU\": -1}}]",
            "k.json:1: the priority of 'GPU' must be a whole number from 0 to "
            "2147483647, but is -1"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\"],\n\"dtypes\": []}]",
            "k.json:2: 'dtypes' is empty; leave it out if the kernels take "
            "every type"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\"], \"dtypes\": \"f32\"}]",
            "k.json:1: 'dtypes' must be a list '[...]', but is a string"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\"],\n\"dtypes\": [\"f31\"]}]",
            "k.json:2: the language has no element type 'f31'; it has 'f32', "
            "'f64', 'f16', 'bf16', 'i1', 'i8', 'i16', 'i32', 'i64', 'ui8', "
            "'ui16', 'ui32', 'ui64', 'string'; did you mean 'f32'?"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\"], "
            "\"dtypes\": [\"f32\",\n\"float32\"]}]",
            "k.json:2: 'float32' is there twice; keep one of them"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\"],\n\"refs\": 0}]",
            "k.json:2: 'refs' must be a list '[...]', but is a number"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\"],\n\"refs\": [-1]}]",
            "k.json:2: an element of 'refs' must be a whole number from 0 to "
            "65535, but is -1"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\"], \"refs\": [0, 1],\n"
            "\"resources\": [1]}]",
            "k.json:1: operand 1 of 'A' is in 'refs' and in 'resources'; keep "
            "one of the two"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\"],\n\"metadata\": 1}]",
            "k.json:2: 'metadata' must be true or false, but is a number"},
           {"[{\"op\": \"A\", \"devices\": [\"CPU\", \"GPU\"]},\n"
            "{\"op\": \"A\", \"devices\": [\"GPU\"], \"dtypes\": [\"f32\"]}]",
            "k.json:2: 'A' has a kernel for GPU and the same types in line 1; "
            "keep one of the two"}})
    EXPECT_EQ(kinds(c.text, "A", {}).find("error: " + std::string(c.message)),
              0u)
        << c.text << " gave: " << kinds(c.text, "A", {});
}

} // namespace
