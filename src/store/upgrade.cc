#include "store/upgrade.h"

#include "core/options/validate.h"
#include "store/file_kind.h"
#include "store/model_writer.h"
#include "store/option_rows.h"
#include "store/schema.h"

namespace splitgp::store {

void upgrade(Database& database, const ModelState& model,
             const std::vector<std::string>& input_names,
             const std::vector<std::string>& output_names) {
  Transaction transaction(database);
  const std::uint32_t format = format_version(database);
  if (format == kFormatVersion) return;
  extend_schema(database, model.inputs, model.outputs, format);
  // Options that the older format did not have, with the values they are read with.
  database.execute("DELETE FROM option");
  write_options(database, model.options,
                starting_theta(model.options, model.inputs, model.outputs));
  // And the rest of the current state.
  ModelWriter writer(database, model.inputs, model.outputs, input_names, output_names);
  writer.resume(model);
  writer.write_changes(model, {});
  transaction.commit();
}

}  // namespace splitgp::store
