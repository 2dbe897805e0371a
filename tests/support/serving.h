#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "serve/running.h"
#include "support/fixed_theta.h"
#include "support/http_client.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp::testing {

/// Makes models of plain numbers with a θ that stays as it is.
class PlainMaker : public serve::ModelMaker {
 public:
  explicit PlainMaker(std::filesystem::path path) : path_(std::move(path)) {}
  std::unique_ptr<serve::ServedModel> from_rows(const serve::TableText&) override {
    throw InvalidArgument("this maker knows numbers alone");
  }
  std::unique_ptr<serve::ServedModel> from_numbers(Eigen::Index inputs,
                                                   Eigen::Index outputs) override {
    SplittingGp model(inputs, outputs, options(inputs));
    return wrap(ModelFile::create(path_, std::move(model), {Durability::normal, {}, {}, {}}));
  }
  std::unique_ptr<serve::ServedModel> open() {
    return wrap(ModelFile::open(path_, {Durability::normal, {}, {}, {}}));
  }
  static Options options(Eigen::Index inputs) {
    Options result = fixed_theta();
    result.split_limit = 15;
    result.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(inputs, 0.7);
    return result;
  }
  static std::unique_ptr<serve::ServedModel> wrap(ModelFile file) {
    std::vector<std::string> inputs, outputs;
    for (Eigen::Index i = 0; i < file.model().n_inputs(); ++i) {
      inputs.push_back("x" + std::to_string(i + 1));
    }
    for (Eigen::Index i = 0; i < file.model().n_outputs(); ++i) {
      outputs.push_back("y" + std::to_string(i + 1));
    }
    return std::make_unique<serve::ServedModel>(std::move(file),
                                                table::Recipe::plain(inputs, outputs, '.'));
  }

 private:
  std::filesystem::path path_;
};

inline serve::RunningSettings serving_settings(const std::filesystem::path& model) {
  serve::RunningSettings settings;
  settings.server.port = 0;
  settings.service.model_name = "m";
  settings.service.model_path = model.string();
  settings.log = serve::Log::Format::none;
  return settings;
}

/// A server in this process, on a free port, with a model that begins with the first rows.
class Serving {
 public:
  explicit Serving(const std::function<void(serve::RunningSettings&)>& change = nullptr)
      : path_(directory_.path() / "m.splitgp"), maker_(path_), change_(change) {
    start();
  }
  void start(std::unique_ptr<serve::ServedModel> model = nullptr) {
    serve::RunningSettings settings = serving_settings(path_);
    if (change_) change_(settings);
    running_ = std::make_unique<serve::Running>(settings, std::move(model), maker_,
                                                std::vector<serve::Observer*>{});
    running_->start();
  }
  void stop() {
    running_->stop();
    running_.reset();
  }
  /// Stops it, and starts it again with the model in the file.
  void restart() {
    stop();
    start(maker_.open());
  }
  std::uint16_t port() const { return running_->port(); }
  serve::Running& running() { return *running_; }
  const std::filesystem::path& path() const { return path_; }
  PlainMaker& maker() { return maker_; }

 private:
  TemporaryDirectory directory_;
  std::filesystem::path path_;
  PlainMaker maker_;
  std::function<void(serve::RunningSettings&)> change_;
  std::unique_ptr<serve::Running> running_;
};

using Json = nlohmann::json;

inline constexpr const char* kLearn = "/v2/models/m/learn";
inline constexpr const char* kInfer = "/v2/models/m/infer";

inline Json numbers(const Eigen::MatrixXd& columns) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < columns.cols(); ++i) {
    Json row = Json::array();
    for (Eigen::Index k = 0; k < columns.rows(); ++k) row.push_back(columns(k, i));
    rows.push_back(row);
  }
  return rows;
}

/// The body of `learn` for columns first … first + count − 1 of a stream.
inline std::string learn_body(const Stream& stream, Eigen::Index first, Eigen::Index count,
                              const std::string& ids = "") {
  Json body{{"x", numbers(stream.X.middleCols(first, count))},
            {"y", numbers(stream.Y.middleCols(first, count))}};
  for (Eigen::Index i = 0; !ids.empty() && i < count; ++i) {
    body["ids"].push_back(ids + std::to_string(first + i));
  }
  return body.dump();
}

}  // namespace splitgp::testing
