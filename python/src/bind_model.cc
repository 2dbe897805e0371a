#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "core/options/validate.h"
#include "model.h"
#include "results.h"
#include "splitgp/error.h"
#include "update_results.h"

namespace splitgp::python {

namespace {

Eigen::VectorXd given(const std::optional<Values>& values) {
  return values ? Eigen::VectorXd(column(*values)) : Eigen::VectorXd();
}

UpdateResults update(Model& model, const Rows& X, const Rows& Y,
                     const std::optional<Values>& noise_variance, const std::optional<Values>& time,
                     bool flat) {
  const Columns x = columns(X);
  const Columns y = columns(Y);
  return model.write([&](SplittingGp& gp) {
    return UpdateResults{gp.update_batch(x, y, given(noise_variance), given(time)), flat};
  });
}

nb::dict counts_of(const ForgetResult& result) {
  nb::dict d;
  d["forgotten"] = result.forgotten;
  d["merged"] = result.merged.size();
  return d;
}

// Arrays that share one owner; the last is empty unless intervals are conformal.
nb::tuple arrays_of(std::unique_ptr<Prediction> prediction, bool flat) {
  const Prediction& p = *prediction;
  const nb::capsule owner = keep(std::move(prediction));
  return nb::make_tuple(
      view(p.mean, flat, owner), view(p.variance, flat, owner), view(p.noise_variance, flat, owner),
      view(p.degrees_of_freedom, flat, owner), view(p.conformal_half_widths, false, owner));
}

nb::tuple predict(const Model& model, const Rows& X, const Values& ahead, bool flat) {
  const Columns x = columns(X);
  return arrays_of(std::make_unique<Prediction>(model.read(
                       [&](const SplittingGp& gp) { return gp.predict(x, ahead_of(ahead, X)); })),
                   flat);
}

// Derivatives as (n, p, d), or (n, d) if `flat`.
nb::object view_gradient(const Matrix& matrix, Eigen::Index inputs, bool flat,
                         const nb::capsule& owner) {
  const auto n = static_cast<std::size_t>(matrix.cols());
  const auto d = static_cast<std::size_t>(inputs);
  const std::size_t p = static_cast<std::size_t>(matrix.rows()) / d;
  double* data = const_cast<double*>(matrix.data());  // as in view()
  const std::size_t shape[3] = {n, p, d};
  const std::size_t flat_shape[2] = {n, d};
  return nb::cast(
      nb::ndarray<nb::numpy, double>(data, flat ? 2 : 3, flat ? flat_shape : shape, owner),
      nb::rv_policy::reference);
}

// What predict returns, and the derivatives of mean and variances.
nb::tuple predict_gradient(const Model& model, const Rows& X, const Values& ahead, bool flat) {
  const Columns x = columns(X);
  auto result = std::make_unique<PredictionGradient>(model.read(
      [&](const SplittingGp& gp) { return gp.predict_gradient(x, ahead_of(ahead, X)); }));
  const PredictionGradient& p = *result;
  const nb::capsule owner = keep(std::move(result));
  return nb::make_tuple(
      view(p.mean, flat, owner), view(p.variance, flat, owner), view(p.noise_variance, flat, owner),
      view(p.degrees_of_freedom, flat, owner), view(p.conformal_half_widths, false, owner),
      view_gradient(p.mean_gradient, x.rows(), flat, owner),
      view_gradient(p.variance_gradient, x.rows(), flat, owner),
      view_gradient(p.noise_variance_gradient, x.rows(), flat, owner));
}

MatrixView plain(const Eigen::Ref<const Eigen::MatrixXd>& matrix) { return MatrixView(matrix); }

// As update, but each row is predicted before it is learned.
nb::tuple predict_then_update(Model& model, const Rows& X, const Rows& Y,
                              const std::optional<Values>& noise_variance,
                              const std::optional<Values>& time, bool flat) {
  const Columns x = columns(X);
  const Columns y = columns(Y);
  const Eigen::VectorXd noise =
      noise_variance ? Eigen::VectorXd(column(*noise_variance)) : Eigen::VectorXd::Zero(x.cols());
  UpdateResults results{{}, flat};
  auto before = std::make_unique<Prediction>();
  model.write([&](SplittingGp& gp) {
    // A bad value anywhere rejects the whole batch.
    check_batch(plain(x), plain(y), plain(noise), gp.n_inputs(), gp.n_outputs());
    const Eigen::VectorXd times = given(time);
    for (Eigen::Index i = 1; i < times.size(); ++i) {
      if (gp.options().max_age > 0.0 && !(times(i) >= times(i - 1))) {
        throw InvalidArgument("time of row " + std::to_string(i) + " is " +
                              std::to_string(times(i)) + "; with max_age times must not decrease");
      }
    }
    for (Matrix* part :
         {&before->mean, &before->variance, &before->noise_variance, &before->degrees_of_freedom}) {
      part->resize(gp.n_outputs(), x.cols());
    }
    results.rows.reserve(static_cast<std::size_t>(x.cols()));
    Prediction row;
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      const double at = times.size() == 0 ? kNoTime : times(i);
      results.rows.push_back(gp.predict_then_update(x.col(i), y.col(i), row, noise(i), at));
      before->mean.col(i) = row.mean;
      before->variance.col(i) = row.variance;
      before->noise_variance.col(i) = row.noise_variance;
      before->degrees_of_freedom.col(i) = row.degrees_of_freedom;
      if (i == 0) before->conformal_half_widths.resize(row.conformal_half_widths.rows(), x.cols());
      before->conformal_half_widths.col(i) = row.conformal_half_widths;
    }
  });
  return nb::make_tuple(arrays_of(std::move(before), flat), std::move(results));
}

// Half of each central interval, in standard deviations: (n, p).
nb::object half_width(const Rows& degrees_of_freedom, const Rows& conformal_half_widths,
                      double level) {
  Prediction p;
  p.degrees_of_freedom = columns(degrees_of_freedom);
  p.conformal_half_widths = columns(conformal_half_widths);
  // An interval of mean 0 and variance 1 is what is asked for, for all rows at once.
  p.mean = Eigen::MatrixXd::Zero(p.degrees_of_freedom.rows(), p.degrees_of_freedom.cols());
  p.variance = Eigen::MatrixXd::Ones(p.mean.rows(), p.mean.cols());
  p.noise_variance = p.mean;
  auto interval = std::make_unique<Interval>(p.interval(level));
  const Interval& result = *interval;
  return view(result.upper, false, keep(std::move(interval)));
}

// The log density of errors in standard deviations: (n, p).
nb::object log_density(const Rows& t, const Rows& degrees_of_freedom) {
  const Columns errors = columns(t);
  Prediction p;
  p.degrees_of_freedom = columns(degrees_of_freedom);
  p.mean = Eigen::MatrixXd::Zero(errors.rows(), errors.cols());
  p.variance = Eigen::MatrixXd::Ones(errors.rows(), errors.cols());
  p.noise_variance = p.mean;
  auto densities = std::make_unique<Matrix>(errors.rows(), errors.cols());
  for (Eigen::Index i = 0; i < errors.cols(); ++i) {
    for (Eigen::Index o = 0; o < errors.rows(); ++o)
      (*densities)(o, i) = p.log_density(o, i, errors(o, i));
  }
  const Matrix& result = *densities;
  return view(result, false, keep(std::move(densities)));
}

nb::dict explain(const Model& model, const Values& x) {
  const Column query = column(x);
  return to_dict(model.read([&](const SplittingGp& gp) { return gp.explain(query); }));
}

// A method that reads the model; what it returns is copied while nothing is written.
template <typename Value>
auto read(Value (SplittingGp::*method)() const) {
  return [method](const Model& self) {
    return self.read(
        [method](const SplittingGp& gp) -> std::decay_t<Value> { return (gp.*method)(); });
  };
}

template <typename Method>
auto dictionary(Method method) {
  return [method](const Model& self) { return to_dict(read(method)(self)); };
}

template <typename Method>
auto dictionaries(Method method) {
  return [method](const Model& self) {
    nb::list list;
    for (const auto& item : read(method)(self)) list.append(to_dict(item));
    return list;
  };
}

// X, y, noise_variance, sequence and whatever the caller adds.
template <typename Points>
nb::tuple arrays_of(std::unique_ptr<Points> points) {
  const Points& p = *points;
  const nb::capsule owner = keep(std::move(points));
  const nb::object sequence =
      array_of<std::uint64_t>(p.sequence.size(), [&](std::size_t i) { return p.sequence[i]; });
  const nb::object X = view(p.inputs, false, owner);
  const nb::object y = view(p.outputs, false, owner);
  const nb::object noise_variance = array_of(p.noise_variance);
  if constexpr (std::is_same_v<Points, LocalGpPoints>) {
    return nb::make_tuple(
        X, y, noise_variance, sequence,
        array_of<bool>(p.owned.size(), [&](std::size_t i) { return p.owned[i]; }));
  } else {
    return nb::make_tuple(X, y, noise_variance, sequence);
  }
}

nb::tuple observations(const Model& model) {
  return arrays_of(std::make_unique<Observations>(
      model.read([](const SplittingGp& gp) { return gp.observations(); })));
}

nb::tuple points(const Model& model, Eigen::Index local_gp) {
  return arrays_of(std::make_unique<LocalGpPoints>(
      model.read([=](const SplittingGp& gp) { return gp.points(local_gp); })));
}

}  // namespace

void bind_model(nb::module_& m) {
  m.def("half_width", &half_width, nb::arg("degrees_of_freedom"), nb::arg("conformal_half_widths"),
        nb::arg("level"));
  m.def("log_density", &log_density, nb::arg("t"), nb::arg("degrees_of_freedom"));
  nb::class_<Model>(m, "Model")
      .def(
          "__init__",
          [](Model* self, Eigen::Index inputs, Eigen::Index outputs, const Options& options) {
            new (self) Model(SplittingGp(inputs, outputs, options));
          },
          nb::arg("inputs"), nb::arg("outputs"), nb::arg("options"))
      .def("update", &update, nb::arg("X"), nb::arg("Y"), nb::arg("noise_variance").none(),
           nb::arg("time").none(), nb::arg("flat"))
      .def(
          "forget",
          [](Model& self, const std::vector<std::uint64_t>& sequences) {
            return counts_of(self.write([&](SplittingGp& gp) { return gp.forget(sequences); }));
          },
          nb::arg("sequences"))
      .def(
          "forget_before",
          [](Model& self, std::uint64_t sequence) {
            return counts_of(
                self.write([=](SplittingGp& gp) { return gp.forget_before(sequence); }));
          },
          nb::arg("sequence"))
      .def("predict", &predict, nb::arg("X"), nb::arg("ahead"), nb::arg("flat"))
      .def("predict_gradient", &predict_gradient, nb::arg("X"), nb::arg("ahead"), nb::arg("flat"))
      .def("predict_then_update", &predict_then_update, nb::arg("X"), nb::arg("Y"),
           nb::arg("noise_variance").none(), nb::arg("time").none(), nb::arg("flat"))
      .def("explain", &explain, nb::arg("x"))
      .def("copy",
           [](const Model& self) {
             return std::make_unique<Model>(
                 self.read([](const SplittingGp& gp) { return SplittingGp(gp); }));
           })
      .def("train",
           [](Model& self) {
             return to_dict(self.write([](SplittingGp& gp) { return gp.train(); }));
           })
      .def("finish_training",
           [](Model& self) { self.write([](SplittingGp& gp) { gp.finish_training(); }); })
      .def(
          "refit",
          [](Model& self, Eigen::Index most) {
            return self.write([=](SplittingGp& gp) { return gp.refit(most); });
          },
          nb::arg("most"))
      .def(
          "set_threads",
          [](Model& self, int threads) {
            self.write([=](SplittingGp& gp) { gp.set_threads(threads); });
          },
          nb::arg("threads"))
      .def("bound_latency",
           [](Model& self) { self.write([](SplittingGp& gp) { gp.bound_latency(); }); })
      .def("latency_is_bounded",
           [](const Model& self) {
             return self.read([](const SplittingGp& gp) { return gp.latency_is_bounded(); });
           })
      .def(
          "set_factor_cache_limit",
          [](Model& self, Eigen::Index limit) {
            self.write([=](SplittingGp& gp) { gp.set_factor_cache_limit(limit); });
          },
          nb::arg("limit"))
      .def(
          "set_hyperparameters",
          [](Model& self, const nb::dict& values) {
            const Hyperparameters theta = hyperparameters_from(values);
            self.write([&](SplittingGp& gp) { gp.set_hyperparameters(theta); });
          },
          nb::arg("values"))
      .def("hyperparameters", dictionary(&SplittingGp::hyperparameters))
      .def("input_statistics", dictionary(&SplittingGp::input_statistics))
      .def("output_statistics", dictionary(&SplittingGp::output_statistics))
      .def("training_history", dictionaries(&SplittingGp::training_history))
      .def("split_history", dictionaries(&SplittingGp::split_history))
      .def("local_gps", dictionaries(&SplittingGp::local_gps))
      .def("innovation_statistics", dictionaries(&SplittingGp::innovation_statistics))
      .def("expert_shares", dictionaries(&SplittingGp::expert_shares))
      .def("alarms", dictionaries(&SplittingGp::alarms))
      .def_prop_ro("n_alarms", read(&SplittingGp::n_alarms))
      .def_prop_ro("n_rejected", read(&SplittingGp::n_rejected))
      .def("observations", &observations)
      .def("points", &points, nb::arg("local_gp"))
      .def("options", read(&SplittingGp::options))
      .def_prop_ro("theta_version", read(&SplittingGp::theta_version))
      .def_prop_ro("n_inputs", read(&SplittingGp::n_inputs))
      .def_prop_ro("n_outputs", read(&SplittingGp::n_outputs))
      .def_prop_ro("n_observations", read(&SplittingGp::n_observations))
      .def_prop_ro("n_seen", read(&SplittingGp::n_seen))
      .def_prop_ro("n_local", read(&SplittingGp::n_local))
      .def_prop_ro("memory_bytes", read(&SplittingGp::memory_bytes));
}

}  // namespace splitgp::python
