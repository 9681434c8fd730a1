// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON with lines: what is read, and that every mistake is found at its line.
#include "runtime/json/JsonFile.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

StatusOr<JsonFile> parse(std::string text) {
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
           {"", "a.json:1: this is not JSON: syntax error while parsing value "
                "- unexpected end of input; expected '[', '{', or a literal"},
           {"\n\n[1,", "a.json:3: this is not JSON: syntax error"},
           {"[1\n 2]", "a.json:2: this is not JSON: syntax error while parsing "
                       "array - unexpected number literal; expected ']'"},
           {"{\"a\": 1", "unexpected end of input; expected '}'"},
           {"{\"a\" 1}", "unexpected number literal; expected ':'"},
           {"{a: 1}", "invalid literal; last read: '{a'; expected string "
                      "literal"},
           {"{\"a\": 1,}", "unexpected '}'; expected string literal"},
           {"[1,]", "unexpected ']'"},
           {"{\"a\": 1,\n\"a\": 2}", "a.json:2: the key 'a' is there twice; "
                                     "keep one of them"},
           {"[gpu]", "invalid literal; last read: '[g'"},
           {"[TRUE]", "last read: '[T'"},
           {"['a']", "last read: '[''"},
           {"[\x01]", "last read: '[<U+0001>'"},
           {"[\"a\n\"]", "a.json:1: this is not JSON: syntax error while "
                         "parsing value - invalid string: control character"},
           {"[\"a", "missing closing quote"},
           {R"(["\x"])", "forbidden character after backslash"},
           {R"(["\)", "forbidden character after backslash"},
           {R"(["\u12g4"])", "'\\u' must be followed by 4 hex digits"},
           {R"(["\u12)", "'\\u' must be followed by 4 hex digits"},
           {R"(["\ud83d"])", "surrogate"},
           {R"(["\ud83dx"])", "surrogate"},
           {R"(["\ud83d\u0041"])", "surrogate"},
           {R"(["\ude00"])", "surrogate"},
           {"[01]", "unexpected number literal; expected ']'"},
           {"[-]", "expected digit after '-'"},
           {"[1.]", "expected digit after '.'"},
           {"[1e]", "or digit after exponent"},
           {"[1x]", "invalid literal; last read: '1x'"},
           {"[1e999]", "a.json:1: this is not JSON: number overflow parsing "
                       "'1e999'"},
           {"1 2", "expected end of input"},
           {"{\"a\\u001b\": 1, \"a\\u001b\": 2}", "the key 'a\\x1b'"},
           {"[]\n// end", "a.json:2: this is not JSON: "},
           {"[\n\"\xff\"]", "a.json:2: this is not JSON: syntax error while "
                            "parsing value - invalid string: ill-formed UTF-8 "
                            "byte"}})
    EXPECT_NE(error(c.text).find(c.message), std::string::npos)
        << c.text << " gave: " << error(c.text);
}

TEST(Json, DepthIsBounded) {
  EXPECT_EQ(error(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(error(std::string(65, '[') + std::string(65, ']')),
            "a.json:1: values are nested in more than 64 others; use fewer "
            "brackets");
  EXPECT_NE(error(std::string(1000000, '[')), "");
}

TEST(Json, LimitsAreThoseOfTheCaller) {
  auto limited = [](std::string text) {
    auto file = JsonFile::parse({"a.json", std::move(text)}, {20, 2, 2});
    return file.isOk() ? "" : file.status().message();
  };
  EXPECT_EQ(limited("[[1, 2], {\"a\": 1}]"), "");
  EXPECT_EQ(limited("[1, 2, 3, 4, 5, 6, 7]"),
            "a.json:1: the text has 21 bytes; it may have at most 20");
  EXPECT_EQ(limited("[\n[[1]]]"), "a.json:2: values are nested in more than 2 "
                                  "others; use fewer brackets");
  EXPECT_EQ(limited("[1,2,\n3,4]"),
            "a.json:2: there are more than 2 values here; use fewer");
}

TEST(Json, ErrorsNameTheField) {
  auto file = parse("{\"ps\": [\"a\",\n\"b\"], \"c\": {\"d\": 1}}");
  ASSERT_TRUE(file.isOk());
  const JsonValue &root = file->root();
  EXPECT_EQ(file->error(root, "wrong").message(), "a.json:1: wrong");
  EXPECT_EQ(file->error(root.find("ps")->elements[1], "is wrong").message(),
            "a.json:2: 'ps[1]' is wrong");
  EXPECT_EQ(file->error(*root.find("c")->find("d"), "is wrong").message(),
            "a.json:2: 'c.d' is wrong");
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
