#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "io/csv_writer.h"
#include "io/row_reader.h"

namespace splitgp {

/// Lines of `splitgp predict`: the kept cells, then mean, sd, lower and upper of each output. With
/// several outputs, or if a kept column has one of these names, they are called OUTPUT_mean, … With
/// inputs given, the derivatives of the means by them follow: dOUTPUT/dINPUT.
class PredictionWriter {
 public:
  PredictionWriter(bool as_json, std::vector<std::string> kept,
                   const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs = {});

  std::string header() const;  ///< Empty for JSON.
  /// The kept cells of a row, as line() takes them.
  std::vector<std::string> cells(const Row& row) const;
  /// `cells` are from cells(); the standard deviation and the interval are those of an observation,
  /// noise included. `gradient` has the derivatives of the first output, then of the next.
  std::string line(const std::vector<std::string>& cells, const Eigen::VectorXd& mean,
                   const Eigen::VectorXd& sd, const Eigen::VectorXd& lower,
                   const Eigen::VectorXd& upper,
                   const Eigen::VectorXd& gradient = Eigen::VectorXd()) const;

 private:
  bool json_;
  std::vector<std::string> kept_;
  std::vector<std::string> added_;
};

}  // namespace splitgp
