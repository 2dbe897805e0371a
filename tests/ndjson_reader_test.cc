#include "io/ndjson_reader.h"

#include <gmock/gmock.h>

#include "support/text_source.h"

namespace splitgp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using testing::ReadRows;
using ::testing::SizeIs;

TEST(NdjsonReader, ReadsObjectsByName) {
  const ReadRows read = read_text("\xef\xbb\xbf{\"a\":1,\"b\":-2.5e1}\r\n\n{\"b\":4,\"a\":3}");
  EXPECT_THAT(read.columns, ElementsAre("a", "b"));
  ASSERT_THAT(read.rows, SizeIs(2));
  EXPECT_THAT(read.rows[0].numbers, ElementsAre(1.0, -25.0));
  EXPECT_THAT(read.rows[1].numbers, ElementsAre(3.0, 4.0));
  EXPECT_EQ(read.rows[1].line, 3u);
}

TEST(NdjsonReader, ReadsAnArrayHoweverItIsBroken) {
  const std::string text =
      "\n [ {\"a\":1, \"b\":\"]}, {\\\"\"},\n{\n \"a\": 2,\n \"b\": [1, {\"c\": 2}]\n},\n 17, "
      "{\"a\":\"x\"} ,{\"a\":3}]\n";
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    const ReadRows read = read_text(text, {}, {"a"}, at_once);
    EXPECT_THAT(read.columns, ElementsAre("a", "b"));
    ASSERT_THAT(read.rows, SizeIs(3));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_THAT(read.rows[i].numbers, ElementsAre(static_cast<double>(i + 1)));
    }
    EXPECT_EQ(read.rows[1].line, 3u);
    EXPECT_EQ(read.rows[2].line, 7u);
    ASSERT_THAT(read.rejected, SizeIs(2));
    EXPECT_EQ(read.rejected[0].reason, "the line is not a JSON object");
    EXPECT_EQ(read.rejected[0].line, 7u);
  }
  EXPECT_THAT(read_text("[]").columns, IsEmpty());
  EXPECT_THAT(read_text("[a],b\n1,2\n").columns, ElementsAre("[a]", "b"));
  EXPECT_THAT(read_text("{\"a\":1}\n[1]\n").rejected, SizeIs(1));
}

TEST(NdjsonReader, AnArrayThatEndsEarlyOrLateIsReported) {
  const auto reason = [](const std::string& text) {
    const ReadRows read = read_text(text, {}, {"a"});
    EXPECT_THAT(read.rows, SizeIs(1)) << text;
    EXPECT_THAT(read.rejected, SizeIs(1)) << text;
    return read.rejected.empty() ? "" : read.rejected.front().reason;
  };
  EXPECT_EQ(reason("[{\"a\":1}"), "the text ends within the JSON array");
  EXPECT_EQ(reason("[{\"a\":1},\n"), "the text ends within the JSON array");
  EXPECT_EQ(reason("[{\"a\":1},{\"a\":"), "the text ends within the JSON array");
  EXPECT_EQ(reason("[{\"a\":1}]\n{\"a\":2}"), "there is text after the JSON array");
  InputOptions options;
  options.longest_row = 100;
  const std::string long_one = "{\"a\":\"" + std::string(70'000, 'x') + "\"}";
  const ReadRows read = read_text("[{\"a\":1}," + long_one + ",{\"a\":2}]", options, {"a"}, 999);
  EXPECT_THAT(read.rows, SizeIs(2));
  ASSERT_THAT(read.rejected, SizeIs(1));
  EXPECT_EQ(read.rejected.front().reason, "the row is longer than 100 bytes");
}

TEST(NdjsonReader, NamesColumnAndValueOfABadRow) {
  const ReadRows read = read_text(R"({"a":1,"b":2}
{"a":1,"b":"2"}
{"a":1,"b":null}
{"a":1}
{"a":1,"b":{"c":2}}
{"a":1,"b":[2]}
{"a":1,"b":true}
{"a":1,"b":1e400}
{"a":1,"b":1e200}
{"a":1,"b":2,"a":3}
[1,2]
17
{"a":1,"b":2
{"a":1,"b":2} x
{"a":1,"b":2} {"a":1}
nonsense
{"a":1,"b":1.2.3}
{"a":1,"b":2,"c":{"d":[1,{"e":"f"}]}}
)");
  std::vector<std::string> reasons;
  for (const RejectedRow& rejected : read.rejected) reasons.push_back(rejected.reason);
  ASSERT_THAT(reasons, SizeIs(16));
  EXPECT_EQ(reasons[0], "column 'b': '2' is a string, not a number");
  EXPECT_EQ(reasons[1], "column 'b': the value is missing (null)");
  EXPECT_EQ(reasons[2], "column 'b': the value is missing");
  EXPECT_EQ(reasons[3], "column 'b': the value is an object, not a number");
  EXPECT_EQ(reasons[4], "column 'b': the value is an array, not a number");
  EXPECT_EQ(reasons[5], "column 'b': true is not a number");
  EXPECT_THAT(reasons[6], HasSubstr("1e400"));
  EXPECT_THAT(reasons[7], HasSubstr("is larger than"));
  EXPECT_EQ(reasons[8], "column 'a' appears twice");
  EXPECT_EQ(reasons[9], "the line is not a JSON object");
  EXPECT_EQ(reasons[10], "the line is not a JSON object");
  EXPECT_THAT(reasons[11], HasSubstr("not valid JSON"));
  EXPECT_THAT(reasons[12], HasSubstr("not valid JSON"));
  EXPECT_EQ(reasons[13], "there is text after the JSON object");
  EXPECT_THAT(reasons[15], HasSubstr("1.2.3"));
  // The first line and the last: "c" was not selected.
  EXPECT_THAT(read.rows, SizeIs(2));
}

TEST(NdjsonReader, TheColumnsAreThoseOfTheFirstObjectThatIsOne) {
  const ReadRows read = read_text("{broken\n{\"a\":1}\n");
  EXPECT_THAT(read.columns, ElementsAre("a"));
  EXPECT_THAT(read.rows, SizeIs(1));
  ASSERT_THAT(read.rejected, SizeIs(1));
  EXPECT_EQ(read.rejected[0].line, 1u);
}

TEST(NdjsonReader, KeepsTextAsAPersonWouldWriteIt) {
  const ReadRows read = read_text(R"({"n":1,"s":"a \"b\" é","x":[1, 2],"z":null,"t":1.50})", {},
                                  {"n"}, 3, {"s", "x", "z", "t", "n"});
  EXPECT_THAT(read.rows.at(0).texts, ElementsAre("a \"b\" é", "[1, 2]", "", "1.50", "1"));
}

TEST(NdjsonReader, ALongLineIsRejectedAndReadingGoesOn) {
  InputOptions options;
  options.longest_row = 1000;
  const ReadRows read = read_text(
      "{\"a\":1}\n{\"a\":" + std::string(200'000, '1') + "}\n{\"a\":2}\n", options, {}, 100);
  ASSERT_THAT(read.rejected, SizeIs(1));
  EXPECT_EQ(read.rejected[0].reason, "the row is longer than 1000 bytes");
  ASSERT_THAT(read.rows, SizeIs(2));
  EXPECT_EQ(read.rows[1].line, 3u);
}

TEST(NdjsonReader, FrontIsTheTextOfTheRowsSoFar) {
  const std::string text = "broken\n{\"a\":1}\n{\"a\":2}\n";
  InputOptions options;
  options.format = RowFormat::ndjson;
  const std::unique_ptr<RowReader> reader =
      read_rows(std::make_unique<testing::TextSource>(text), "text", options);
  reader->select({reader->columns(), {}});
  EXPECT_EQ(reader->front(), "") << "the first object was looked at, but not delivered";
  EXPECT_EQ(reader->skip(1), 1u);
  EXPECT_EQ(reader->front(), "broken\n");
  EXPECT_EQ(reader->skip(2), 2u);
  EXPECT_EQ(reader->front(), text);
}

TEST(NdjsonReader, NoObjectAnywhereIsAnError) {
  InputOptions options;
  options.format = RowFormat::ndjson;
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "1\n";
  EXPECT_THROW(read_text(text, options), ReadError);
  EXPECT_THAT(read_text("", options).columns, IsEmpty());
}

}  // namespace
}  // namespace splitgp
