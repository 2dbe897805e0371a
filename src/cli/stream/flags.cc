#include "cli/stream/flags.h"

namespace splitgp {

void StreamFlags::add_to(CLI::App& command) {
  command
      .add_option("INPUT", paths,
                  "CSV, TSV or NDJSON, plain or packed with gzip, xz or zstd; - is standard input")
      ->required();
  command.add_option("-t,--target", targets, "Columns to predict, by name or number (from 1)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COL[,COL]");
  command.add_option("--inputs", inputs, "Columns to predict from (all others)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COL[,COL]");
  command.add_option("--ignore", ignored, "Columns to leave out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COL[,COL]");
  command
      .add_option("-m,--model", model,
                  "Model file: made if it is not there, resumed if it is (memory only)")
      ->type_name("FILE");
  command
      .add_option("--predictions", predictions,
                  "Write every row's prediction and what came, as CSV; - is standard output")
      ->type_name("FILE");
  command.add_option("--rejects", rejects, "Write bad rows' numbers, lines and reasons, as CSV")
      ->type_name("FILE");
  command.add_flag("--strict", strict, "End at the first bad row");
  command.add_flag("--test-only", test_only, "Predict and score, but learn nothing");
  command.add_option("--limit", limit, "End after so many rows of this run")->type_name("N");

  const char* const group = "Commits";
  command
      .add_option("--durability", durability,
                  "A commit survives: full, a power loss; normal, a crash of the process (full)")
      ->check(CLI::IsMember({"full", "normal"}))
      ->group(group);
  command.add_option("--batch", batch, "Rows between commits, at most (1024)")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->group(group);
  command.add_option("--commit-every", commit_every, "Seconds between commits, at most (1)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS")
      ->group(group);
  command.add_flag("--reread", reread, "Learn inputs again that the model file has rows of")
      ->group(group);
  command
      .add_flag("--resume-stdin", resume_stdin,
                "Standard input begins where it began last time: skip the rows read before")
      ->group(group);
  input_flags.add_to(command);
  model_flags.add_to(command);
}

}  // namespace splitgp
