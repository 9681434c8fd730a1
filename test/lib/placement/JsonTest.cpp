// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON with lines: what is read, and that every mistake is found at its line.
#include "lib/placement/Json.h"

#include <gtest/gtest.h>

using namespace graphc;

namespace {

runtime::StatusOr<JsonFile> parse(std::string text) {
  return JsonFile::parse({"a.json", std::move(text)});
}

/// The message of the failure; "" for none.
std::string error(std::string text) {
  auto file = parse(std::move(text));
  return file.isOk() ? "" : file.status().message();
}

TEST(Json, ReadsEveryKindAtItsLine) {
  auto file = parse("\n{\"a\": null,\n \"b\" :[true, false ,\n-1.5e3],"
                    "\"c\":\n\"x\", \"d\":{}, \"e\":[]}\n");
  ASSERT_TRUE(file.isOk()) << file.status().message();
  const JsonValue &root = file->root();
  EXPECT_EQ(root.line, 2);
  ASSERT_EQ(root.members.size(), 5u);
  EXPECT_EQ(root.find("a")->kind, JsonValue::Kind::Null);
  EXPECT_EQ(root.members[1].line, 3);
  const JsonValue *list = root.find("b");
  ASSERT_EQ(list->elements.size(), 3u);
  EXPECT_EQ(list->elements[0].text, "true");
  EXPECT_EQ(list->elements[2].text, "-1.5e3");
  EXPECT_EQ(list->elements[2].line, 4);
  EXPECT_EQ(root.find("c")->text, "x");
  EXPECT_EQ(root.find("c")->line, 5);
  EXPECT_EQ(root.find("d")->kind, JsonValue::Kind::Object);
  EXPECT_EQ(root.find("e")->kind, JsonValue::Kind::Array);
  EXPECT_EQ(root.find("f"), nullptr);
}

TEST(Json, ReadsEscapes) {
  auto file = parse(R"(["\"\\\/\b\f\n\r\t", "\u00e4\u20ac\ud83d\ude00", "é"])");
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->root().elements[0].text, "\"\\/\b\f\n\r\t");
  EXPECT_EQ(file->root().elements[1].text, "ä€😀");
  EXPECT_EQ(file->root().elements[2].text, "é");
}

TEST(Json, NamesWhatIsNoJson) {
  struct Case {
    const char *text;
    const char *message;
  };
  for (Case c : std::initializer_list<Case>{
           {"", "a.json:1: no JSON: expected a value, but the file ends"},
           {"\n\n[1,",
            "a.json:3: no JSON: expected a value, but the file ends"},
           {"[1\n 2]", "a.json:2: no JSON: expected ']' or ',' behind a value, "
                       "but found '2'"},
           {"{\"a\": 1", "expected '}' or ',' behind a value, but the file "
                         "ends"},
           {"{\"a\" 1}", "expected ':' behind the key, but found '1'"},
           {"{a: 1}", "expected a key in double quotes, but found 'a'"},
           {"{\"a\": 1,}", "expected a key in double quotes, but found '}'"},
           {"[1,]", "expected a value, but found ']'"},
           {"{\"a\": 1,\n\"a\": 2}", "a.json:2: no JSON: the key 'a' is there "
                                     "twice; keep one of them"},
           {"[gpu]", "expected a value, but found 'gpu'; strings are written "
                     "in double quotes"},
           {"[TRUE]", "but found 'TRUE'"},
           {"['a']", "expected a value, but found '''"},
           {"[\x01]", "expected a value, but found a byte of value 1"},
           {"[\"a\n\"]", "the string is not closed on its line"},
           {"[\"a", "the string is not closed; close it with '\"'"},
           {R"(["\x"])", "no escape begins with '\\' here"},
           {R"(["\)", "no escape begins with '\\' here"},
           {R"(["\u12g4"])", "'\\u' needs four hexadecimal digits"},
           {R"(["\u12)", "'\\u' needs four hexadecimal digits"},
           {R"(["\ud83d"])", "half a character"},
           {R"(["\ud83dx"])", "half a character"},
           {R"(["\ud83d\u0041"])", "half a character"},
           {R"(["\ude00"])", "half a character"},
           {"[01]", "a number is malformed"},
           {"[-]", "a number is malformed"},
           {"[1.]", "a number is malformed"},
           {"[1e]", "a number is malformed"},
           {"[1x]", "a number is malformed"},
           {"1 2", "expected nothing behind the first value, but found '2'"},
           {"{\"a\\u001b\": 1, \"a\\u001b\": 2}", "the key 'a\\x1b'"},
           {"[]\n// end", "a.json:2: no JSON: expected nothing behind the "
                          "first value, but found '/'"},
           {"[\n\"\xff\"]", "a.json:2: is not UTF-8"}})
    EXPECT_NE(error(c.text).find(c.message), std::string::npos)
        << c.text << " gave: " << error(c.text);
}

TEST(Json, DepthIsBounded) {
  EXPECT_EQ(error(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(error(std::string(65, '[') + std::string(65, ']')),
            "a.json:1: no JSON: values are nested in more than 64 others");
  EXPECT_NE(error(std::string(1000000, '[')), "");
}

TEST(Json, ChecksNameValueAndLine) {
  auto file = parse("{\"text\": \"x\",\n\"number\": 4,\n\"flag\": true,\n"
                    "\"large\": 1e9,\n\"huge\": 99999999999999999999}");
  ASSERT_TRUE(file.isOk());
  const JsonValue &root = file->root();
  const JsonValue &text = *root.find("text");
  const JsonValue &number = *root.find("number");
  EXPECT_EQ(*file->string(text, "'text'"), "x");
  EXPECT_EQ(*file->integer(number, "'number'", 0, 4), 4);
  EXPECT_TRUE(*file->boolean(*root.find("flag"), "'flag'"));
  EXPECT_TRUE(file->expectObject(root, "the file").isOk());
  EXPECT_EQ(file->string(number, "'number'").status().message(),
            "a.json:2: 'number' must be a string, but is a number");
  EXPECT_EQ(file->boolean(text, "'text'").status().message(),
            "a.json:1: 'text' must be true or false, but is a string");
  EXPECT_EQ(file->integer(text, "'text'", 0, 1).status().message(),
            "a.json:1: 'text' must be a number, but is a string");
  EXPECT_EQ(file->integer(number, "'number'", 5, 9).status().message(),
            "a.json:2: 'number' must be a whole number from 5 to 9, but is 4");
  for (const char *key : {"large", "huge"})
    EXPECT_FALSE(file->integer(*root.find(key), key, 0, INT64_MAX).isOk());
  EXPECT_EQ(file->expectArray(root, "the file").message(),
            "a.json:1: the file must be a list '[...]', but is an object "
            "'{...}'");
  EXPECT_EQ(file->expectObject(text, "'text'").message(),
            "a.json:1: 'text' must be an object '{...}', but is a string");
  EXPECT_EQ(file->member(root, "the file", "name").status().message(),
            "a.json:1: the file has no 'name'; add it");
  EXPECT_EQ(file->onlyKeys(root, "the file", {"text", "numbers"}).message(),
            "a.json:2: the file has no key 'number'; it has 'text', "
            "'numbers'; did you mean 'numbers'?");
}

} // namespace
