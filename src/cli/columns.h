#pragma once

#include <string>
#include <vector>

namespace splitgp {

class ModelFile;
struct LoadedModel;

/// Columns as a user names them: by name or, if no column is called so, by number from 1. Returns
/// names. Throws CommandError naming `flag` and the columns there are.
std::vector<std::string> find_columns(const std::string& flag,
                                      const std::vector<std::string>& wanted,
                                      const std::vector<std::string>& columns);

struct ObservationColumns {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// The targets are the outputs; the inputs are `inputs` or, if none are given, every other column
/// that is not ignored.
ObservationColumns choose_columns(const std::vector<std::string>& columns,
                                  const std::vector<std::string>& targets,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& ignored);

/// A model keeps the columns it was made with, `kept`. Throws CommandError naming the first flag
/// that asks `file`'s model for others. `columns` are the input's, for flags that give numbers; it
/// need not have them all.
void check_columns(const ObservationColumns& kept, const std::vector<std::string>& columns,
                   const std::vector<std::string>& targets, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& ignored, const std::string& file);

/// The names in a model file; columns are called 1, 2, 3, … if it has none.
ObservationColumns columns_of(const ModelFile& file);
ObservationColumns columns_of(const LoadedModel& loaded);

}  // namespace splitgp
