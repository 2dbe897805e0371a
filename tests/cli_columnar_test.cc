// Parquet and Arrow files are recognised, and the refusal has a line that converts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/exit_code.h"
#include "support/command.h"
#include "support/temporary_directory.h"

namespace splitgp::cli_columnar_test {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run;
using ::testing::StartsWith;
using testing::TemporaryDirectory;
using testing::write_text;

// Only files of one byte were recognised: the rest of the mark had not been read yet.
TEST(ColumnarFile, IsRefusedWithALineThatConvertsIt) {
  const TemporaryDirectory directory;
  const struct {
    std::string bytes, kind, module;
  } cases[] = {{std::string("PAR1\x15\x04\x15\n\0\x19,x\n1,2\n", 18), "a Parquet file", "parquet"},
               {std::string("ARROW1\0\0\xff\xff\n", 11), "an Arrow file", "feather"}};
  for (const auto& one : cases) {
    const std::string file = (directory / "log").string();
    write_text(file, one.bytes);
    const CommandResult stream = run(directory.path(), {"stream", file, "--target", "power"});
    EXPECT_EQ(stream.code, kFailure);
    EXPECT_THAT(stream.err, StartsWith("splitgp: " + file + ": this is " + one.kind));
    // python/tests/test_columnar.py runs that line.
    EXPECT_THAT(stream.err, HasSubstr("pyarrow." + one.module + " as p"));
    const CommandResult piped =
        run(directory.path(), {"stream", "-", "--target", "power"}, one.bytes);
    EXPECT_EQ(piped.code, kFailure);
    EXPECT_THAT(piped.err, HasSubstr("this is " + one.kind));
  }
}

TEST(ColumnarFile, IsNotWhatOnlyBeginsLikeOne) {
  const TemporaryDirectory directory;
  const CommandResult stream =
      run(directory.path(), {"stream", "-", "--target", "y"}, "PAR,y\n1,2\n2,3\n");
  EXPECT_EQ(stream.code, kSuccess) << stream.err;
}

}  // namespace splitgp::cli_columnar_test
