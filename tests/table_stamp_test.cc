// Dates and times as people write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "table/calendar.h"
#include "table/stamp.h"

namespace splitgp::table {
namespace {

using ::testing::HasSubstr;

Stamp parsed(const std::string& text, DateOrder order = DateOrder::day_first) {
  Stamp stamp;
  EXPECT_EQ(parse_stamp(text, order, stamp), "") << text;
  return stamp;
}

TEST(TableStamp, TheSameMomentInManyForms) {
  const double moment = *seconds_of_date(2024, 3, 31) + 18 * 3600 + 5 * 60;
  for (const std::string text :
       {"2024-03-31T18:05:00", "2024-03-31 18:05", "2024/03/31 18:05:00.000", "20240331T180500",
        "20240331180500", "31.03.2024 18:05", "31-03-2024 18:05", "31/03/24 6:05 PM",
        "31-Mar-2024 18:05", "31 March 2024, 18.05.00", "Mar 31, 2024 6:05pm",
        "Sun, 31 Mar 2024 18:05:00", "31/Mar/2024:18:05:00", "2024-Mar-31 18:05",
        " 2024-03-31 18:05 "}) {
    const Stamp stamp = parsed(text);
    EXPECT_EQ(stamp.seconds, moment) << text;
    EXPECT_TRUE(stamp.has_date && stamp.has_clock && !stamp.zoned) << text;
  }
  for (const std::string text :
       {"2024-03-31T18:05:00Z", "2024-03-31T20:05:00+02:00", "2024-03-31 13:05 -0500",
        "2024-03-31 18:05 UTC", "20240331T1905+01", "Sun, 31 Mar 2024 19:05:00 +0100"}) {
    const Stamp stamp = parsed(text);
    EXPECT_EQ(stamp.seconds, moment) << text;
    EXPECT_TRUE(stamp.zoned) << text;
  }
  EXPECT_EQ(parsed("3/31/2024 18:05", DateOrder::month_first).seconds, moment);
  EXPECT_EQ(parsed("2024-03-31T18:05:00,5").seconds, moment + 0.5);
  EXPECT_EQ(parsed("2024-03-30T24:00").seconds, *seconds_of_date(2024, 3, 31));
}

TEST(TableStamp, DatesAndTimesAlone) {
  const Stamp date = parsed("10/03/2004");
  EXPECT_TRUE(date.has_date && !date.has_clock);
  EXPECT_EQ(date.seconds, *seconds_of_date(2004, 3, 10));
  EXPECT_EQ(parsed("2024-03").seconds, *seconds_of_date(2024, 3, 1));
  for (const std::string text : {"18.00.00", "18:00", "6 PM", "6:00 p.m.", "18:00:00.0"}) {
    const Stamp clock = parsed(text);
    EXPECT_TRUE(!clock.has_date && clock.has_clock) << text;
    EXPECT_EQ(clock.seconds, 18 * 3600.0) << text;
  }
  // Alone it could be either; a column decides.
  EXPECT_TRUE(parsed("10.05.04").has_date);
  Stamp clock;
  EXPECT_EQ(parse_clock("10.05.04", clock), "");
  EXPECT_EQ(clock.seconds, 10 * 3600.0 + 5 * 60.0 + 4.0);
}

TEST(TableStamp, ImpossibleOnesSayWhy) {
  const std::pair<const char*, const char*> cases[] = {
      {"2023-02-29", "February 2023 has 28 days"},   {"31.04.2024", "April 2024 has 30 days"},
      {"2024-13-01", "there is no month 13"},        {"01/13/2024", "there is no month 13"},
      {"2024-00-10", "there is no month 0"},         {"2024-01-00", "there is no day 0"},
      {"0000-01-01", "there is no year 0"},          {"2024-01-01 25:00", "a day has 24 hours"},
      {"2024-01-01 24:30", "a day has 24 hours"},    {"2024-01-01 12:60", "60 minutes"},
      {"2024-01-01 13:00 PM", "a day has 24 hours"},
  };
  for (const auto& [text, why] : cases) {
    Stamp stamp;
    EXPECT_THAT(parse_stamp(text, DateOrder::day_first, stamp), HasSubstr(why)) << text;
    EXPECT_THAT(parse_stamp(text, DateOrder::day_first, stamp), HasSubstr(text));
  }
}

TEST(TableStamp, NothingElseIsOne) {
  for (const std::string text : {"",
                                 "hello",
                                 "12",
                                 "12.5",
                                 "1.2.3.4",
                                 "2024",
                                 "2024.03",
                                 "2024-03-31T",
                                 "2024-03-31x",
                                 "2024-03-31 18:05 nonsense",
                                 "192.168.0.1",
                                 "1-2",
                                 "--",
                                 "18:0",
                                 "18:000",
                                 "May",
                                 "2024-03-31 18",
                                 "2024-03-31 18:05 +1:2:3",
                                 "12:30:15:10",
                                 "A-12-2024",
                                 "3/31"}) {
    Stamp stamp;
    EXPECT_NE(parse_stamp(text, DateOrder::day_first, stamp), "") << text;
    EXPECT_NE(parse_stamp(text, DateOrder::month_first, stamp), "") << text;
  }
}

RC_GTEST_PROP(TableStamp, EveryMinuteComesBack, ()) {
  const auto minutes = *rc::gen::inRange(-30'000'000, 60'000'000);
  const double seconds = 60.0 * minutes;
  Stamp stamp;
  RC_ASSERT(parse_stamp(stamp_text(seconds), DateOrder::month_first, stamp).empty());
  RC_ASSERT(stamp.seconds == seconds);
  const double position = year_position(seconds);
  RC_ASSERT(position >= 0.0 && position < 1.0);
}

TEST(TableStamp, TheOrderOfDayAndMonthMattersWhereItDoes) {
  EXPECT_EQ(ambiguous_numbers("31/03/2024 12:00"), (std::pair{31, 3}));
  EXPECT_FALSE(ambiguous_numbers("2024-03-31"));
  EXPECT_FALSE(ambiguous_numbers("31-Mar-2024"));
  EXPECT_FALSE(ambiguous_numbers("20240331"));
}

}  // namespace
}  // namespace splitgp::table
