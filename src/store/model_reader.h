#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model_state.h"
#include "store/database.h"

namespace splitgp::store {

/// Everything in a model file.
struct StoredModel {
  std::unique_ptr<ModelState> state;
  std::vector<std::string> input_names;  // empty, or one per input
  std::vector<std::string> output_names;
  std::map<std::string, std::uint64_t> positions;
  std::map<std::string, std::string> notes;
};

/// The state of the last checkpoint, with every local GP dormant. O(n·(d + m)), without arithmetic.
/// Throws FileError if the file contradicts itself.
StoredModel read_model(Database& database);

}  // namespace splitgp::store
