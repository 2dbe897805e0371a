#include "io/csv_reader.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string_view>

#include "io/csv_writer.h"
#include "support/text_source.h"

namespace splitgp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using testing::ReadRows;
using ::testing::SizeIs;

TEST(CsvReader, ReadsNumbersUnderAHeader) {
  const ReadRows read = read_text("a,b\n1,2.5\n-3e2,+4\n");
  EXPECT_THAT(read.columns, ElementsAre("a", "b"));
  ASSERT_THAT(read.rows, SizeIs(2));
  EXPECT_THAT(read.rows[0].numbers, ElementsAre(1.0, 2.5));
  EXPECT_THAT(read.rows[1].numbers, ElementsAre(-300.0, 4.0));
  EXPECT_EQ(read.rows[1].line, 3u);
  EXPECT_THAT(read.rejected, IsEmpty());
}

TEST(CsvReader, AcceptsByteOrderMarkReturnsAndAMissingLastLineBreak) {
  const ReadRows read = read_text(
      "\xef\xbb\xbf"
      "a,b\r\n1,2\r\n\r\n3,4");
  EXPECT_THAT(read.columns, ElementsAre("a", "b"));
  ASSERT_THAT(read.rows, SizeIs(2));
  EXPECT_THAT(read.rows[1].numbers, ElementsAre(3.0, 4.0));
  EXPECT_EQ(read.rows[1].line, 4u);
}

TEST(CsvReader, SaysThatTextIsUtf16) {
  EXPECT_THROW(
      {
        try {
          read_text(
              std::string("\xff\xfe"
                          "a\0,\0",
                          6));
        } catch (const ReadError& error) {
          EXPECT_THAT(error.what(), HasSubstr("UTF-16"));
          throw;
        }
      },
      ReadError);
}

TEST(CsvReader, ReadsQuotedFieldsWithSeparatorsQuotesAndLineBreaks) {
  const ReadRows read =
      read_text("\"x, y\",\"say \"\"hi\"\"\",b\r\n1,\"line\nbreak\",2\r\n\"3\",,\"4\"\r\n", {},
                {"x, y", "b"}, 1, {"say \"hi\""});
  EXPECT_THAT(read.columns, ElementsAre("x, y", "say \"hi\"", "b"));
  ASSERT_THAT(read.rows, SizeIs(2));
  EXPECT_THAT(read.rows[0].numbers, ElementsAre(1.0, 2.0));
  EXPECT_THAT(read.rows[0].texts, ElementsAre("line\nbreak"));
  EXPECT_EQ(read.rows[1].line, 4u);
}

TEST(CsvReader, AQuoteNeverClosedCostsOneLineOnly) {
  const ReadRows read = read_text("a,b\n1,\"2\n3,4\n5,6\n");
  ASSERT_THAT(read.rejected, SizeIs(1));
  EXPECT_EQ(read.rejected[0].line, 2u);
  EXPECT_THAT(read.rejected[0].reason, HasSubstr("not closed"));
  EXPECT_THAT(read.rows, SizeIs(2));
}

TEST(CsvReader, SomethingAfterAClosingQuoteCostsOneLineOnly) {
  const ReadRows read = read_text("a,b\n\"1\"x,2\n3,4\n");
  ASSERT_THAT(read.rejected, SizeIs(1));
  EXPECT_THAT(read.rows, SizeIs(1));
}

TEST(CsvReader, FindsTheSeparatorInTheHeader) {
  EXPECT_THAT(read_text("a;b\n1;2\n").rows.at(0).numbers, ElementsAre(1.0, 2.0));
  EXPECT_THAT(read_text("a\tb\n1\t2\n").rows.at(0).numbers, ElementsAre(1.0, 2.0));
  EXPECT_THAT(read_text("\"a;;;\",b\n1,2\n").rows.at(0).numbers, ElementsAre(1.0, 2.0));
  EXPECT_THAT(read_text("a\n1\n").rows.at(0).numbers, ElementsAre(1.0));
}

TEST(CsvReader, ReadsDecimalCommas) {
  InputOptions options;
  options.csv.decimal_mark = ',';
  const ReadRows read = read_text("a;b\n1,5;-2,25e1\n1.5;2\n1.234,5;2\n", options);
  ASSERT_THAT(read.rows, SizeIs(1));
  EXPECT_THAT(read.rows[0].numbers, ElementsAre(1.5, -22.5));
  ASSERT_THAT(read.rejected, SizeIs(2));
  EXPECT_THAT(read.rejected[0].reason, HasSubstr("'1.5'"));
}

TEST(CsvReader, HintsAtDecimalCommas) {
  const ReadRows read = read_text("a;b\n1,5;2\n");
  ASSERT_THAT(read.rejected, SizeIs(1));
  EXPECT_THAT(read.rejected[0].reason, HasSubstr("--decimal ,"));
}

TEST(CsvReader, NamesColumnAndValueOfABadRow) {
  const ReadRows read = read_text(
      "a,b\n1,\n1,NA\n1,nan\n1,-inf\n1,abc\n1,1e400\n1,1e200\n1\n1,2,3\n1,0x10\n1,1 2\n1,2\n");
  std::vector<std::string> reasons;
  for (const RejectedRow& rejected : read.rejected) reasons.push_back(rejected.reason);
  EXPECT_THAT(
      reasons,
      ElementsAre("column 'b': the value is missing", "column 'b': the value is missing ('NA')",
                  "column 'b': 'nan' is not finite", "column 'b': '-inf' is not finite",
                  "column 'b': 'abc' is not a number", "column 'b': '1e400' is out of range",
                  "column 'b': '1e200' is larger than 1e150",
                  "the row has 1 field, but the header has 2",
                  "the row has 3 fields, but the header has 2",
                  "column 'b': '0x10' is not a number", "column 'b': '1 2' is not a number"));
  ASSERT_THAT(read.rows, SizeIs(1));
  EXPECT_EQ(read.rows[0].line, 13u);
}

TEST(CsvReader, EmptyAndHeaderOnlyInputsHaveNoRows) {
  for (const char* text : {"", "\n\n", "\xef\xbb\xbf"}) {
    const ReadRows read = read_text(text);
    EXPECT_THAT(read.columns, IsEmpty());
    EXPECT_THAT(read.rows, IsEmpty());
  }
  for (const char* text : {"a,b", "a,b\n", "a,b\r\n\r\n"}) {
    const ReadRows read = read_text(text);
    EXPECT_THAT(read.columns, ElementsAre("a", "b"));
    EXPECT_THAT(read.rows, IsEmpty());
    EXPECT_THAT(read.rejected, IsEmpty());
  }
}

TEST(CsvReader, ColumnsAreFoundByName) {
  const ReadRows one = read_text("a,b,c\n1,2,3\n", {}, {"a", "c"});
  const ReadRows other = read_text("c,b,a\n3,2,1\n", {}, {"a", "c"});
  EXPECT_EQ(one.rows.at(0).numbers, other.rows.at(0).numbers);
}

TEST(CsvReader, WithoutANeededColumnEveryRowIsRejected) {
  const ReadRows read = read_text("a,b\n1,2\n3,4\n", {}, {"a", "z"});
  ASSERT_THAT(read.rejected, SizeIs(2));
  EXPECT_EQ(read.rejected[1].reason, "the header has no column 'z'");
}

TEST(CsvReader, WithoutAHeaderColumnsAreNumbered) {
  InputOptions options;
  options.csv.header = false;
  const ReadRows read = read_text("1,2\n3,4\n", options);
  EXPECT_THAT(read.columns, ElementsAre("1", "2"));
  EXPECT_THAT(read.rows, SizeIs(2));
}

// A line of 100 MB between two good ones, made as it is read.
class EndlessLine : public ByteSource {
 public:
  std::size_t read(char* to, std::size_t most) override {
    constexpr std::string_view kBefore = "a,b\n1,2\n";
    constexpr std::string_view kAfter = "\n3,4\n";
    constexpr std::size_t kLine = 100'000'000;
    const std::size_t at = given_++;
    if (at < kBefore.size()) return kBefore.substr(at, 1).copy(to, most);
    if (at < kBefore.size() + kLine) {
      const std::size_t count = std::min(most, kBefore.size() + kLine - at);
      std::fill_n(to, count, '7');
      given_ = at + count;
      return count;
    }
    return kAfter.substr(std::min(at - kBefore.size() - kLine, kAfter.size()), 1).copy(to, most);
  }

 private:
  std::size_t given_ = 0;
};

TEST(CsvReader, AHundredMegabyteLineIsRejectedAndReadingGoesOn) {
  const std::unique_ptr<RowReader> reader = read_rows(std::make_unique<EndlessLine>(), "text");
  reader->select({reader->columns(), {}});
  Row row;
  RejectedRow rejected;
  EXPECT_EQ(reader->next(row, rejected), RowReader::Next::row);
  EXPECT_EQ(reader->next(row, rejected), RowReader::Next::rejected);
  EXPECT_EQ(rejected.line, 3u);
  EXPECT_THAT(rejected.reason, HasSubstr("longer than"));
  EXPECT_EQ(reader->next(row, rejected), RowReader::Next::row);
  EXPECT_THAT(row.numbers, ElementsAre(3.0, 4.0));
  EXPECT_EQ(row.line, 4u);
  EXPECT_EQ(reader->next(row, rejected), RowReader::Next::end);
}

// Counts what is read from it, and does end, so that a reader that never gives up fails here.
class LongFirstLine : public ByteSource {
 public:
  explicit LongFirstLine(std::size_t& given) : given_(given) {}
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = std::min(most, std::size_t{100'000'000} - given_);
    std::fill_n(to, count, '\0');
    given_ += count;
    return count;
  }

 private:
  std::size_t& given_;
};

TEST(CsvReader, AFirstLineWithoutEndIsAnError) {
  for (const RowFormat format : {RowFormat::automatic, RowFormat::csv, RowFormat::ndjson}) {
    for (const bool header : {true, false}) {
      std::size_t given = 0;
      InputOptions options;
      options.format = format;
      options.csv.header = header;
      try {
        read_rows(std::make_unique<LongFirstLine>(given), "text", options)->columns();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const ReadError& error) {
        EXPECT_THAT(error.what(), HasSubstr("text: line 1: "));
        EXPECT_THAT(error.what(), HasSubstr("longer than 4194304 bytes"));
      }
      EXPECT_LT(given, 2 * kLongestRow);
    }
  }
}

TEST(CsvReader, FrontIsTheTextOfTheRowsSoFar) {
  const std::string text = "a,b\n1,2\nbad\n3,4\n";
  const std::unique_ptr<RowReader> reader =
      read_rows(std::make_unique<testing::TextSource>(text), "text");
  reader->select({reader->columns(), {}});
  EXPECT_EQ(reader->skip(1), 1u);
  EXPECT_EQ(reader->front(), "a,b\n1,2\n");
  EXPECT_EQ(reader->skip(2), 2u);
  EXPECT_EQ(reader->front(), text);
}

TEST(CsvReader, SkippingCountsGoodAndBadRowsAlike) {
  const std::unique_ptr<RowReader> reader = read_rows(
      std::make_unique<testing::TextSource>("a,b\n1,2\nbad\n\n5,\"6\n7,8\n9,10\n"), "text");
  reader->select({reader->columns(), {}});
  EXPECT_EQ(reader->skip(3), 3u);
  Row row;
  RejectedRow rejected;
  EXPECT_EQ(reader->next(row, rejected), RowReader::Next::row);
  EXPECT_THAT(row.numbers, ElementsAre(7.0, 8.0));
  EXPECT_EQ(reader->skip(5), 1u);
}

// Whatever was written is read back, however few bytes arrive at a time.
RC_GTEST_PROP(CsvReader, ReadsBackWhatWasWritten, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(1, 5);
  const auto cell =
      rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', ' ', '7'));
  const auto rows = *rc::gen::container<std::vector<std::vector<std::string>>>(
      rc::gen::container<std::vector<std::string>>(width, cell));
  std::vector<std::string> names;
  CsvLine line;
  line.add("number");
  for (std::size_t k = 0; k < width; ++k) {
    names.push_back("column " + std::to_string(k));
    line.add(names.back());
  }
  std::string text = line.take();
  for (const std::vector<std::string>& row : rows) {
    line.add(0.1);
    for (const std::string& field : row) line.add(field);
    text += line.take();
  }
  const auto at_once = *rc::gen::inRange<std::size_t>(1, 20);
  const ReadRows read = read_text(text, {}, {"number"}, at_once, names);
  RC_ASSERT(read.rejected.empty());
  RC_ASSERT(read.rows.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RC_ASSERT(read.rows[i].texts == rows[i]);
    RC_ASSERT(read.rows[i].numbers[0] == 0.1);
  }
}

}  // namespace
}  // namespace splitgp
