#include "store/model_reader.h"

#include <limits>
#include <utility>

#include "core/options/validate.h"
#include "splitgp/error.h"
#include "store/drift_rows.h"
#include "store/file_kind.h"
#include "store/history_rows.h"
#include "store/model_numbers.h"
#include "store/option_rows.h"
#include "store/partition_reader.h"
#include "store/running_rows.h"
#include "store/schema.h"
#include "store/stream_columns.h"
#include "store/table_rows.h"

namespace splitgp::store {
namespace {

// Tables with a name and one other column.
template <typename Read>
auto read_pairs(const Database& database, const char* table, const char* key, Read read) {
  TableReader rows(database, table, key);
  std::map<std::string, decltype(read(rows))> pairs;
  while (rows.next()) {
    std::string name(rows.text());
    if (!pairs.emplace(std::move(name), read(rows)).second) rows.fail("it appears twice");
    rows.end_row();
  }
  return pairs;
}

void read_marks(const ModelNumbers& numbers, std::uint32_t format, StreamKnowledge& knowledge) {
  TrainingSchedule::Marks marks;
  marks.next = static_cast<std::uint64_t>(numbers.at("next_training", 2, kMostCounted));
  marks.searched = numbers.count("last_search");
  marks.ever_trained = numbers.flag("ever_trained");
  if (format >= 2) {
    marks.regime = numbers.count("regime");
    marks.surprised = numbers.count("surprised");
    marks.patience = numbers.count("patience");
    Surprise::State surprise = knowledge.surprise.state();
    surprise.unusual = numbers.count("unusual");
    knowledge.surprise = Surprise(std::move(surprise));
  }
  knowledge.schedule = TrainingSchedule(marks);
}

}  // namespace

StoredModel read_model(Database& database) {
  // One transaction, so that all tables are from the same checkpoint. It ends with the connection.
  database.execute("BEGIN");
  const Shape shape = check_schema(database);
  const ModelNumbers numbers(database);

  Options options = read_options(database, format_version(database));
  try {
    options.hyperparameters = starting_theta(options, shape.inputs, shape.outputs);
  } catch (const InvalidArgument& error) {
    throw damaged(database.path(), std::string("option hyperparameters: ") + error.what());
  }
  if (!numbers.flag("theta_given")) options.hyperparameters.reset();
  StoredModel model;
  model.state = std::make_unique<ModelState>(shape.inputs, shape.outputs, std::move(options));
  ModelState& state = *model.state;

  const ThetaVersions thetas =
      read_thetas(database, state.knowledge.length_scale_groups, shape.outputs);
  const auto theta = thetas.find(numbers.version("theta_version"));
  if (theta == thetas.end()) throw damaged(database.path(), "its theta_version is not in theta");
  state.knowledge.theta = theta->second;
  const bool may_drop = format_version(database) >= 3;
  state.knowledge.trainings_dropped = may_drop ? numbers.count("trainings_dropped") : 0;
  state.knowledge.training_history =
      read_trainings(database, thetas, state.knowledge.trainings_dropped);
  if (!state.knowledge.training_history.empty())
    state.knowledge.trained_on = state.knowledge.training_history.back().observations;
  numbers.check("trainings",
                state.knowledge.trainings_dropped + state.knowledge.training_history.size());
  read_marks(numbers, format_version(database), state.knowledge);
  read_running(database, state);

  read_partition(database, numbers, thetas, state);
  read_drift(database, state);

  const std::uint64_t described =
      may_drop ? numbers.count("described") : state.knowledge.observations;
  StreamColumns inputs = read_stream_columns(database, "input", shape.inputs, described);
  StreamColumns outputs = read_stream_columns(database, "output", shape.outputs, described);
  state.knowledge.input_statistics = StreamStatistics(std::move(inputs.sums));
  state.knowledge.output_statistics = StreamStatistics(std::move(outputs.sums));
  model.input_names = std::move(inputs.names);
  model.output_names = std::move(outputs.names);
  model.positions =
      read_pairs(database, "source", "name", [](TableReader& rows) { return rows.count(); });
  model.notes = read_pairs(database, "note", "key",
                           [](TableReader& rows) { return std::string(rows.text()); });
  return model;
}

}  // namespace splitgp::store
