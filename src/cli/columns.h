#pragma once

#include <string>
#include <vector>

#include "io/column_places.h"

namespace splitgp {

class ModelFile;
struct LoadedModel;

/// Resolves columns that a user gave by name or, if no column has that name, by number from 1.
/// Returns names. Throws CommandError naming `flag` and the existing columns.
std::vector<std::string> find_columns(const std::string& flag,
                                      const std::vector<std::string>& wanted,
                                      const std::vector<std::string>& columns);
/// One of them; `places` are those of `columns`.
std::string find_column(const std::string& flag, const std::string& wanted,
                        const std::vector<std::string>& columns, const ColumnPlaces& places);

/// Throws CommandError if the header has the name more than once: nobody knows which is meant.
void require_once(const ColumnPlaces& places, const std::string& name);

struct ObservationColumns {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// The targets are the outputs; the inputs are `inputs` or, if none are given, every other column
/// that is not ignored.
ObservationColumns choose_columns(const std::vector<std::string>& columns,
                                  const std::vector<std::string>& targets,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& ignored,
                                  bool may_have_no_inputs = false);

/// A model keeps the columns it was made with, `kept`. Throws CommandError naming the first flag
/// that asks for others. `file` is the model file; `columns` are those of the input, which need not
/// have all of `kept`, and resolve flags that give numbers.
void check_columns(const ObservationColumns& kept, const std::vector<std::string>& columns,
                   const std::vector<std::string>& targets, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& ignored, const std::string& file);

/// The column names in a model file; 1, 2, 3, … if it has none.
ObservationColumns columns_of(const ModelFile& file);
ObservationColumns columns_of(const LoadedModel& loaded);

}  // namespace splitgp
