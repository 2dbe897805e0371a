#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "arrays.h"
#include "core/model_state.h"
#include "model.h"
#include "results.h"

namespace splitgp::python {

namespace {

/// What a batch did to the model; arrays are made only when they are asked for.
struct UpdateResults {
  std::vector<UpdateResult> rows;

  template <typename Scalar, typename Value>
  nb::object array(const Value& value) const {
    return array_of<Scalar>(rows.size(), [&](std::size_t i) { return value(rows[i]); });
  }
  template <typename Predicate>
  std::size_t count(const Predicate& predicate) const {
    return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), predicate));
  }
};

UpdateResults update(Model& model, const Rows& X, const Rows& Y,
                     const std::optional<Values>& noise_variance) {
  const MatrixView x = columns(X);
  const MatrixView y = columns(Y);
  return model.write([&](SplittingGp& gp) {
    return UpdateResults{noise_variance ? gp.update_batch(x, y, vector(*noise_variance))
                                        : gp.update_batch(x, y)};
  });
}

// A loaded model first builds the factors that speak at X, which changes it, so not while others
// read.
void wake(Model& model, const MatrixView& x) {
  const bool may_be_dormant =
      model.read([](const SplittingGp& gp) { return gp.state().may_be_dormant; });
  if (may_be_dormant) model.write([&](SplittingGp& gp) { gp.wake(x); });
}

nb::tuple predict(Model& model, const Rows& X, bool flat) {
  const MatrixView x = columns(X);
  wake(model, x);
  auto prediction = std::make_unique<Prediction>(
      model.read([&](const SplittingGp& gp) { return gp.predict(x); }));
  const Prediction& p = *prediction;
  const nb::capsule owner = keep(std::move(prediction));
  return nb::make_tuple(view(p.mean, flat, owner), view(p.variance, flat, owner),
                        view(p.noise_variance, flat, owner));
}

nb::dict explain(Model& model, const Values& x) {
  const VectorView query = vector(x);
  wake(model, MatrixView(query.data(), query.size(), 1));
  return to_dict(model.read([&](const SplittingGp& gp) { return gp.explain(query); }));
}

template <typename T>
nb::list to_list(const std::vector<T>& items) {
  nb::list list;
  for (const T& item : items) list.append(to_dict(item));
  return list;
}

struct Observations {
  Eigen::MatrixXd x;
  Eigen::MatrixXd y;
  Eigen::MatrixXd noise_variance;
};

// Every observation has exactly one owner; in the order in which they came.
nb::tuple observations(const Model& model) {
  auto all = std::make_unique<Observations>(model.read([](const SplittingGp& gp) {
    const auto n = static_cast<Eigen::Index>(gp.n_observations());
    Observations result{Eigen::MatrixXd(gp.n_inputs(), n), Eigen::MatrixXd(gp.n_outputs(), n),
                        Eigen::MatrixXd(1, n)};
    for (const LocalGp& local : gp.state().local_gps) {
      for (Eigen::Index j = 0; j < local.size(); ++j) {
        if (!local.owns(j)) continue;
        const auto row = static_cast<Eigen::Index>(local.sequence(j));
        result.x.col(row) = local.inputs().row(j).transpose();
        result.y.col(row) = local.outputs().row(j).transpose();
        result.noise_variance(0, row) = local.noise_variance()(j);
      }
    }
    return result;
  }));
  const Observations& o = *all;
  const nb::capsule owner = keep(std::move(all));
  return nb::make_tuple(view(o.x, false, owner), view(o.y, false, owner),
                        view(o.noise_variance, true, owner));
}

}  // namespace

void bind_model(nb::module_& m) {
  nb::class_<UpdateResults>(m, "UpdateResult")
      .def("__len__", [](const UpdateResults& r) { return r.rows.size(); })
      .def_prop_ro(
          "sequence",
          [](const UpdateResults& r) {
            return r.array<std::uint64_t>([](const UpdateResult& u) { return u.sequence; });
          })
      .def_prop_ro("local_gp",
                   [](const UpdateResults& r) {
                     return r.array<std::int64_t>([](const UpdateResult& u) { return u.local_gp; });
                   })
      .def_prop_ro("jitter",
                   [](const UpdateResults& r) {
                     return r.array<double>([](const UpdateResult& u) { return u.jitter; });
                   })
      .def_prop_ro(
          "splits",
          [](const UpdateResults& r) {
            return r.count([](const UpdateResult& u) { return u.new_local_gp.has_value(); });
          })
      .def_prop_ro("displaced",
                   [](const UpdateResults& r) {
                     return r.count([](const UpdateResult& u) { return u.displaced.has_value(); });
                   })
      .def_prop_ro("refits",
                   [](const UpdateResults& r) {
                     int sum = 0;
                     for (const UpdateResult& u : r.rows) sum += u.refits;
                     return sum;
                   })
      .def_prop_ro("trained", [](const UpdateResults& r) {
        return r.count([](const UpdateResult& u) { return u.trained; });
      });

  nb::class_<Model>(m, "Model")
      .def(
          "__init__",
          [](Model* self, Eigen::Index inputs, Eigen::Index outputs, const Options& options) {
            new (self) Model(SplittingGp(inputs, outputs, options));
          },
          nb::arg("inputs"), nb::arg("outputs"), nb::arg("options"))
      .def("update", &update, nb::arg("X"), nb::arg("Y"), nb::arg("noise_variance").none())
      .def("predict", &predict, nb::arg("X"), nb::arg("flat"))
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
          "set_awake_limit",
          [](Model& self, Eigen::Index limit) {
            self.write([=](SplittingGp& gp) { gp.set_awake_limit(limit); });
          },
          nb::arg("limit"))
      .def(
          "set_hyperparameters",
          [](Model& self, const nb::dict& values) {
            const Hyperparameters theta = hyperparameters_from(values);
            self.write([&](SplittingGp& gp) { gp.set_hyperparameters(theta); });
          },
          nb::arg("values"))
      .def("hyperparameters",
           [](const Model& self) {
             return to_dict(self.read([](const SplittingGp& gp) { return gp.hyperparameters(); }));
           })
      .def("training_history",
           [](const Model& self) {
             return to_list(self.read([](const SplittingGp& gp) { return gp.training_history(); }));
           })
      .def("split_history",
           [](const Model& self) {
             return to_list(self.read([](const SplittingGp& gp) { return gp.split_history(); }));
           })
      .def("local_gps",
           [](const Model& self) {
             return to_list(self.read([](const SplittingGp& gp) { return gp.local_gps(); }));
           })
      .def("observations", &observations)
      .def("options",
           [](const Model& self) {
             return self.read([](const SplittingGp& gp) { return gp.options(); });
           })
      .def_prop_ro("n_inputs",
                   [](const Model& self) {
                     return self.read([](const SplittingGp& gp) { return gp.n_inputs(); });
                   })
      .def_prop_ro("n_outputs",
                   [](const Model& self) {
                     return self.read([](const SplittingGp& gp) { return gp.n_outputs(); });
                   })
      .def_prop_ro("n_observations",
                   [](const Model& self) {
                     return self.read([](const SplittingGp& gp) { return gp.n_observations(); });
                   })
      .def_prop_ro("n_local",
                   [](const Model& self) {
                     return self.read([](const SplittingGp& gp) { return gp.n_local(); });
                   })
      .def_prop_ro("memory_bytes", [](const Model& self) {
        return self.read([](const SplittingGp& gp) { return gp.memory_bytes(); });
      });
}

}  // namespace splitgp::python
