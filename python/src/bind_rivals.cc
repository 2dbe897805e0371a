#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include "arrays.h"
#include "model.h"
#include "results.h"
#include "rivals/rivals.h"

namespace splitgp::python {

namespace {

/// A rival that many Python threads may use at once, as Model is for SplittingGp.
class Rival {
 public:
  explicit Rival(std::unique_ptr<rivals::Regressor> regressor) : regressor_(std::move(regressor)) {}

  template <typename Work>
  auto read(const Work& work) const {
    const nb::gil_scoped_release released;
    const std::shared_lock lock(mutex_);
    return work(std::as_const(*regressor_));
  }

  template <typename Work>
  auto write(const Work& work) {
    const nb::gil_scoped_release released;
    const std::unique_lock lock(mutex_);
    return work(*regressor_);
  }

 private:
  std::unique_ptr<rivals::Regressor> regressor_;
  mutable std::shared_mutex mutex_;
};

void update(Rival& rival, const Rows& X, const Rows& Y,
            const std::optional<Values>& noise_variance) {
  const Columns x = columns(X);
  const Columns y = columns(Y);
  rival.write([&](rivals::Regressor& gp) {
    noise_variance ? gp.update_batch(x, y, column(*noise_variance)) : gp.update_batch(x, y);
  });
}

nb::tuple predict(const Rival& rival, const Rows& X, bool flat) {
  const Columns x = columns(X);
  auto prediction = std::make_unique<Prediction>(
      rival.read([&](const rivals::Regressor& gp) { return gp.predict(x); }));
  const Prediction& p = *prediction;
  const nb::capsule owner = keep(std::move(prediction));
  return nb::make_tuple(view(p.mean, flat, owner), view(p.variance, flat, owner),
                        view(p.noise_variance, flat, owner));
}

// The fields all rivals share. Those that SplittingGp's options have too are taken from there, so
// that both read keywords in the same way.
rivals::CommonOptions common(const Options& options) {
  return {options.kernel, options.training,        options.training_observations,
          options.fixed,  options.hyperparameters, options.seed};
}

template <typename Gp, typename GpOptions>
std::unique_ptr<Rival> make(Eigen::Index inputs, Eigen::Index outputs, const GpOptions& options) {
  return std::make_unique<Rival>(std::make_unique<Gp>(inputs, outputs, options));
}

template <typename Method>
auto property(Method method) {
  return [method](const Rival& self) {
    return self.read([method](const rivals::Regressor& gp) { return (gp.*method)(); });
  };
}

}  // namespace

void bind_rivals(nb::module_& m) {
  nb::class_<Rival>(m, "Rival")
      .def("update", &update, nb::arg("X"), nb::arg("Y"), nb::arg("noise_variance").none())
      .def("predict", &predict, nb::arg("X"), nb::arg("flat"))
      .def("train",
           [](Rival& self) {
             return to_dict(self.write([](rivals::Regressor& gp) { return gp.train(); }));
           })
      .def(
          "set_hyperparameters",
          [](Rival& self, const nb::dict& values) {
            const Hyperparameters theta = hyperparameters_from(values);
            self.write([&](rivals::Regressor& gp) { gp.set_hyperparameters(theta); });
          },
          nb::arg("values"))
      .def("hyperparameters",
           [](const Rival& self) {
             return to_dict(
                 self.read([](const rivals::Regressor& gp) { return gp.hyperparameters(); }));
           })
      .def("training_history",
           [](const Rival& self) {
             nb::list list;
             for (const TrainResult& result :
                  self.read([](const rivals::Regressor& gp) { return gp.training_history(); })) {
               list.append(to_dict(result));
             }
             return list;
           })
      .def_prop_ro("n_inputs", property(&rivals::Regressor::n_inputs))
      .def_prop_ro("n_outputs", property(&rivals::Regressor::n_outputs))
      .def_prop_ro("n_observations", property(&rivals::Regressor::n_observations))
      .def_prop_ro("n_local", property(&rivals::Regressor::n_local))
      .def_prop_ro("memory_bytes", property(&rivals::Regressor::memory_bytes));

  m.def(
      "full_gp",
      [](Eigen::Index inputs, Eigen::Index outputs, const Options& options) {
        return make<rivals::FullGp>(inputs, outputs, common(options));
      },
      nb::arg("inputs"), nb::arg("outputs"), nb::arg("options"));
  m.def(
      "robust_bcm",
      [](Eigen::Index inputs, Eigen::Index outputs, const Options& options, int experts,
         const std::string& combination) {
        return make<rivals::RobustBcm>(
            inputs, outputs,
            rivals::RobustBcmOptions{common(options), experts,
                                     rivals::parse_combination("combination", combination)});
      },
      nb::arg("inputs"), nb::arg("outputs"), nb::arg("options"), nb::arg("experts"),
      nb::arg("combination"));
  m.def(
      "local_gp_regression",
      [](Eigen::Index inputs, Eigen::Index outputs, const Options& options,
         double generate_threshold, int neighbors, int most_observations) {
        return make<rivals::LocalGpRegression>(
            inputs, outputs,
            rivals::LocalGpRegressionOptions{common(options), generate_threshold, neighbors,
                                             most_observations});
      },
      nb::arg("inputs"), nb::arg("outputs"), nb::arg("options"), nb::arg("generate_threshold"),
      nb::arg("neighbors"), nb::arg("most_observations"));
  m.def(
      "locally_growing_gp",
      [](Eigen::Index inputs, Eigen::Index outputs, const Options& options, int split_limit,
         double overlap, const std::string& combination) {
        return make<rivals::LocallyGrowingGp>(
            inputs, outputs,
            rivals::LocallyGrowingGpOptions{
                common(options), split_limit, overlap,
                rivals::parse_leaf_combination("combination", combination)});
      },
      nb::arg("inputs"), nb::arg("outputs"), nb::arg("options"), nb::arg("split_limit"),
      nb::arg("overlap"), nb::arg("combination"));
}

}  // namespace splitgp::python
