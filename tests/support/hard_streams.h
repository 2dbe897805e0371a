#pragma once

#include <rapidcheck.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>

#include "splitgp/options.h"
#include "support/fixed_theta.h"
#include "support/random_matrix.h"

namespace splitgp::testing {

/// A model and the kind of stream that will try to break it.
struct HardStream {
  Options options = fixed_theta();
  Eigen::Index inputs = 1;
  Eigen::Index outputs = 1;
  Eigen::Index observations = 0;
  std::uint64_t seed = 0;
  double input_scale = 1.0;
  double input_offset = 0.0;  // added to every input, in units of input_scale
  double output_scale = 1.0;
  double repeats = 0.0;    // share of inputs seen before
  double own_noise = 0.0;  // share of observations with a noise of their own
  bool constant_column = false;
  bool collinear = false;
  bool outlier = false;    // one input a million times as far out as the others
  bool new_theta = false;  // half-way, so that local GPs are refitted one after the other
};

/// The largest magnitude the model accepts.
inline double clamp(double value) { return std::clamp(value, -1e150, 1e150); }

/// The observations of a HardStream, one after the other.
class HardStreamSource {
 public:
  explicit HardStreamSource(const HardStream& kind)
      : kind_(kind),
        random_(kind.seed),
        direction_(random_.normal_matrix(kind.inputs, 1).col(0)),
        seen_(kind.inputs, 0) {}

  struct Row {
    Eigen::VectorXd x;
    Eigen::VectorXd y;
    double noise_variance;
  };

  Row next() {
    Row row{new_input(), Eigen::VectorXd(kind_.outputs), 0.0};
    if (seen_.cols() > 0 && random_.uniform() < kind_.repeats) {
      row.x = seen_.col(random_.index(seen_.cols()));
    }
    if (kind_.outlier && seen_.cols() == kind_.observations / 2) row.x(0) = clamp(1e6 * row.x(0));
    seen_.conservativeResize(Eigen::NoChange, seen_.cols() + 1);
    seen_.col(seen_.cols() - 1) = row.x;
    for (double& value : row.y) value = clamp(kind_.output_scale * random_.normal());
    if (random_.uniform() < kind_.own_noise) {
      row.noise_variance = kind_.options.hyperparameters->signal_variance * random_.uniform();
    }
    return row;
  }

  /// Points like the observations', points seen before, and points far from all.
  Eigen::MatrixXd queries() {
    Eigen::MatrixXd result(kind_.inputs, 4);
    result.col(0) = new_input();
    result.col(1) = seen_.col(random_.index(seen_.cols()));
    result.col(2) = seen_.col(seen_.cols() - 1);
    result.col(3) = (1e3 * new_input()).unaryExpr(&clamp);
    return result;
  }

 private:
  Eigen::VectorXd new_input() {
    Eigen::VectorXd x = kind_.collinear ? Eigen::VectorXd(direction_ * random_.normal())
                                        : Eigen::VectorXd(random_.normal_matrix(kind_.inputs, 1));
    if (kind_.constant_column) x(0) = 0.5;
    return ((x.array() + kind_.input_offset) * kind_.input_scale).unaryExpr(&clamp);
  }

  HardStream kind_;
  Random random_;
  Eigen::VectorXd direction_;
  Eigen::MatrixXd seen_;
};

inline rc::Gen<double> any_scale() {
  return rc::gen::element(1.0, 1e-150, 1e-75, 1e-8, 1e-3, 1e3, 1e8, 1e75, 1e150);
}

inline rc::Gen<HardStream> any_hard_stream() {
  return rc::gen::exec([] {
    HardStream kind;
    kind.seed = *rc::gen::arbitrary<std::uint64_t>();
    kind.inputs = *rc::gen::inRange<Eigen::Index>(1, 13);
    kind.outputs = *rc::gen::inRange<Eigen::Index>(1, 4);
    kind.observations = *rc::gen::inRange<Eigen::Index>(1, 120);
    kind.input_scale = *any_scale();
    kind.output_scale = *any_scale();
    kind.input_offset = *rc::gen::element(0.0, 1.0, 1e8);
    kind.repeats = *rc::gen::element(0.0, 0.1, 0.5, 1.0);
    kind.own_noise = *rc::gen::element(0.0, 0.3);
    kind.constant_column = *rc::gen::arbitrary<bool>();
    kind.collinear = *rc::gen::arbitrary<bool>();
    kind.outlier = *rc::gen::arbitrary<bool>();
    kind.new_theta = *rc::gen::arbitrary<bool>();

    Options& options = kind.options;
    options.split_limit = *rc::gen::inRange(1, 21);
    options.kernel =
        *rc::gen::element(KernelFamily::rbf, KernelFamily::matern12, KernelFamily::matern32,
                          KernelFamily::matern52, KernelFamily::rational_quadratic);
    options.comparison.aggregation =
        *rc::gen::element(Aggregation::evidence, Aggregation::similarity, Aggregation::nearest);
    options.neighbors = *rc::gen::element(0, 1, 2, 8);
    options.comparison.taper = *rc::gen::arbitrary<bool>();
    options.comparison.inherit = *rc::gen::arbitrary<bool>();
    options.comparison.principal_direction =
        *rc::gen::element(PrincipalDirection::exact, PrincipalDirection::oja);
    options.comparison.split_space = *rc::gen::element(SplitSpace::scaled, SplitSpace::raw);

    // Length scales that fit the inputs, or not at all.
    Hyperparameters& theta = options.hyperparameters.emplace();
    const double length_scale = *rc::gen::element(kind.input_scale, 1.0, 1e-150);
    theta.length_scale = Eigen::VectorXd::Constant(kind.inputs, length_scale);
    theta.shape = *rc::gen::element(1.0, 1e-3, 1e6);
    theta.signal_variance = *rc::gen::element(1.0, 1e-6, 1e6);
    theta.noise_variance = theta.signal_variance * *rc::gen::element(0.0, 1e-12, 1e-2, 1.0);
    if (*rc::gen::arbitrary<bool>()) {
      theta.output_scale = Eigen::VectorXd::Constant(kind.outputs, kind.output_scale);
    }
    return kind;
  });
}

inline std::ostream& operator<<(std::ostream& out, const HardStream& kind) {
  const Options& options = kind.options;
  const Hyperparameters& theta = *options.hyperparameters;
  return out << "seed " << kind.seed << ", " << kind.inputs << " inputs × " << kind.input_scale
             << " + " << kind.input_offset << ", " << kind.outputs << " outputs × "
             << kind.output_scale << ", n " << kind.observations << ", repeats " << kind.repeats
             << ", own noise " << kind.own_noise << ", constant column " << kind.constant_column
             << ", collinear " << kind.collinear << ", outlier " << kind.outlier << ", new theta "
             << kind.new_theta << "; m " << options.split_limit << ", " << to_string(options.kernel)
             << ", " << to_string(options.comparison.aggregation) << ", neighbors "
             << options.neighbors << ", taper " << options.comparison.taper << ", inherit "
             << options.comparison.inherit << ", "
             << to_string(options.comparison.principal_direction) << ", "
             << to_string(options.comparison.split_space) << ", length scale "
             << theta.length_scale(0) << ", shape " << theta.shape << ", signal "
             << theta.signal_variance << ", noise " << theta.noise_variance << ", output scale "
             << (theta.output_scale.size() == 0 ? 1.0 : theta.output_scale(0));
}

}  // namespace splitgp::testing
