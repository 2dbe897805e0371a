#include "store/model_reader.h"

#include <limits>
#include <utility>

#include "core/validate.h"
#include "splitgp/error.h"
#include "store/history_rows.h"
#include "store/model_numbers.h"
#include "store/option_rows.h"
#include "store/partition_reader.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/stream_columns.h"

namespace splitgp::store {
namespace {

// Tables of a name and something else.
template <typename Read>
auto read_pairs(const Database& database, const char* table, const char* key, Read read) {
  RowReader rows(database, table, key);
  std::map<std::string, decltype(read(rows))> pairs;
  while (rows.next()) {
    std::string name(rows.text());
    if (!pairs.emplace(std::move(name), read(rows)).second) rows.fail("it comes twice");
    rows.end_row();
  }
  return pairs;
}

}  // namespace

StoredModel read_model(Database& database) {
  // One transaction, so that every table is of the same checkpoint. Ends with the connection.
  database.execute("BEGIN");
  const Shape shape = check_schema(database);
  const ModelNumbers numbers(database);

  Options options = read_options(database);
  try {
    options.hyperparameters =
        complete(std::move(options.hyperparameters), shape.inputs, shape.outputs);
  } catch (const InvalidArgument& error) {
    throw damaged(database.path(), std::string("option hyperparameters: ") + error.what());
  }
  StoredModel model;
  model.state = std::make_unique<ModelState>(shape.inputs, shape.outputs, std::move(options));
  ModelState& state = *model.state;

  const ThetaVersions thetas = read_thetas(database, shape.inputs, shape.outputs);
  const auto theta = thetas.find(numbers.version("theta_version"));
  if (theta == thetas.end()) throw damaged(database.path(), "its theta_version is not in theta");
  state.theta = theta->second;
  state.theta_given = numbers.flag("theta_given");
  state.training_history = read_trainings(database, thetas);
  numbers.check("trainings", state.training_history.size());
  state.schedule = TrainingSchedule(TrainingSchedule::Marks{
      static_cast<std::uint64_t>(
          numbers.at("next_training", 2, std::numeric_limits<std::int64_t>::max() / 4)),
      numbers.count("last_search"), numbers.flag("ever_trained")});

  read_partition(database, numbers, thetas, state);

  StreamColumns inputs = read_stream_columns(database, "input", shape.inputs, state.next_sequence);
  StreamColumns outputs =
      read_stream_columns(database, "output", shape.outputs, state.next_sequence);
  state.input_statistics = StreamStatistics(std::move(inputs.sums));
  state.output_statistics = StreamStatistics(std::move(outputs.sums));
  model.input_names = std::move(inputs.names);
  model.output_names = std::move(outputs.names);
  model.rows_of_source =
      read_pairs(database, "source", "name", [](RowReader& rows) { return rows.count(); });
  model.notes =
      read_pairs(database, "note", "key", [](RowReader& rows) { return std::string(rows.text()); });
  return model;
}

}  // namespace splitgp::store
