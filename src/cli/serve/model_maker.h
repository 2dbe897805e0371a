#pragma once

#include <memory>

#include "cli/serve/serve.h"
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

 private:
  std::unique_ptr<serve::ServedModel> make(table::Recipe recipe, bool keep_recipe) const;

  const ServeFlags& flags_;
};

}  // namespace splitgp
