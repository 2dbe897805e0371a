#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/serve/serve.h"
#include "cli/stream/first_table.h"
#include "serve/model.h"

namespace splitgp {

/// Opens the model of `splitgp serve`, or makes it as `splitgp stream` would.
class ServeModelMaker : public serve::ModelMaker {
 public:
  explicit ServeModelMaker(const ServeFlags& flags) : flags_(flags) {}

  /// Null if the file does not exist yet. Throws CommandError.
  std::unique_ptr<serve::ServedModel> open();

  std::unique_ptr<serve::ServedModel> from_rows(const serve::TableText& rows) override;
  std::unique_ptr<serve::ServedModel> from_numbers(Eigen::Index inputs,
                                                   Eigen::Index outputs) override;

  void add_row(const std::vector<std::string>& columns, const std::vector<std::string>& texts,
               bool taken) override;
  Change look_again(const serve::ServedModel& model) override;
  void before_commit(ModelFile& file) override;

 private:
  std::unique_ptr<serve::ServedModel> make(table::Recipe recipe, bool keep_recipe);

  const ServeFlags& flags_;
  std::optional<FirstTable> first_;  // until the recipe is settled
};

}  // namespace splitgp
