// A model in several processes: what splitgp.ray sends between them is plain bytes.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "model.h"
#include "results.h"
#include "splitgp/router.h"
#include "splitgp/shard.h"

namespace splitgp::python {

namespace {

/// Bytes as a one-dimensional array of uint8, which Ray passes on without a copy.
using Message = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::uint8_t> bytes_of(const Message& message) {
  return {message.data(), message.shape(0)};
}

nb::object array_from(std::vector<std::uint8_t> bytes) {
  auto owned = std::make_unique<std::vector<std::uint8_t>>(std::move(bytes));
  std::uint8_t* data = owned->data();
  const std::size_t shape[1] = {owned->size()};
  const nb::capsule owner = keep(std::move(owned));
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(data, 1, shape, owner),
                  nb::rv_policy::reference);
}

nb::list tuples_of(const std::vector<Parcel>& parcels) {
  nb::list list;
  for (const Parcel& parcel : parcels) {
    list.append(nb::make_tuple(parcel.shard, parcel.epoch, parcel.number, parcel.begins,
                               array_from(*parcel.message)));
  }
  return list;
}

nb::tuple arrays_of(std::unique_ptr<Prediction> prediction) {
  const Prediction& p = *prediction;
  const nb::capsule owner = keep(std::move(prediction));
  return nb::make_tuple(view(p.mean, false, owner), view(p.variance, false, owner),
                        view(p.noise_variance, false, owner),
                        view(p.degrees_of_freedom, false, owner),
                        view(p.conformal_half_widths, false, owner));
}

nb::dict counts_of(const RouterCounts& counts) {
  nb::dict d;
  d["rows"] = counts.rows;
  d["bytes_sent"] = counts.bytes_sent;
  d["bytes_received"] = counts.bytes_received;
  d["parcels"] = counts.parcels;
  d["rows_with_many_shards"] = counts.rows_with_many_shards;
  d["splits"] = counts.splits;
  d["moves"] = counts.moves;
  d["queries"] = counts.queries;
  d["queries_with_many_shards"] = counts.queries_with_many_shards;
  d["waits_for_training"] = counts.waits_for_training;
  d["trainings"] = counts.trainings;
  return d;
}

template <typename Work>
auto without_interpreter(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
}

struct Asked {
  Router::QuestionsPointer questions;
};

void bind_shard(nb::module_& m) {
  nb::class_<Shard>(m, "Shard")
      .def(nb::init<>())
      .def(
          "begin",
          [](Shard& self, std::uint64_t epoch, std::uint64_t number, const Message& message) {
            return array_from(
                without_interpreter([&] { return self.begin(epoch, number, bytes_of(message)); }));
          },
          nb::arg("epoch"), nb::arg("number"), nb::arg("message"))
      .def(
          "apply",
          [](Shard& self, std::uint64_t epoch, std::uint64_t number, const Message& message) {
            return array_from(
                without_interpreter([&] { return self.apply(epoch, number, bytes_of(message)); }));
          },
          nb::arg("epoch"), nb::arg("number"), nb::arg("message"))
      .def(
          "answer",
          [](const Shard& self, std::uint64_t epoch, const Message& questions) {
            return array_from(
                without_interpreter([&] { return self.answer(epoch, bytes_of(questions)); }));
          },
          nb::arg("epoch"), nb::arg("questions"))
      .def_prop_ro("n_local", &Shard::n_local)
      .def_prop_ro("memory_bytes", &Shard::memory_bytes);
}

}  // namespace

void bind_scale(nb::module_& m) {
  bind_shard(m);
  nb::class_<Asked>(m, "Asked");
  nb::class_<Router>(m, "Router")
      .def_static(
          "create",
          [](const std::filesystem::path& path, Eigen::Index inputs, Eigen::Index outputs,
             const Options& options, std::size_t shards,
             const std::vector<std::string>& input_names,
             const std::vector<std::string>& output_names,
             const std::map<std::string, std::string>& notes) {
            return std::make_unique<Router>(
                Router::create(path, inputs, outputs, options, shards,
                               {Durability::normal, input_names, output_names, notes}));
          },
          nb::arg("path"), nb::arg("inputs"), nb::arg("outputs"), nb::arg("options"),
          nb::arg("shards"), nb::arg("input_names"), nb::arg("output_names"), nb::arg("notes"))
      .def_static(
          "open",
          [](const std::filesystem::path& path, std::size_t shards) {
            return std::make_unique<Router>(
                Router::open(path, shards, {Durability::normal, {}, {}}));
          },
          nb::arg("path"), nb::arg("shards"))
      .def("start", [](Router& self) { return tuples_of(self.start()); })
      .def(
          "learn",
          [](Router& self, const Rows& X, const Rows& Y,
             const std::optional<Values>& noise_variance, bool predict) {
            const Eigen::VectorXd noise =
                noise_variance ? Eigen::VectorXd(column(*noise_variance)) : Eigen::VectorXd();
            self.learn(columns(X), columns(Y), noise, predict);
          },
          nb::arg("X"), nb::arg("Y"), nb::arg("noise_variance").none(), nb::arg("predict"))
      .def(
          "route",
          [](Router& self, std::size_t most) {
            return tuples_of(without_interpreter([&] { return self.route(most); }));
          },
          nb::arg("most"))
      .def(
          "receive",
          [](Router& self, std::size_t shard, std::uint64_t epoch, std::uint64_t number,
             const Message& reply) {
            return without_interpreter(
                [&] { return self.receive(shard, epoch, number, bytes_of(reply)); });
          },
          nb::arg("shard"), nb::arg("epoch"), nb::arg("number"), nb::arg("reply"))
      .def("reload",
           [](Router& self, std::size_t shard) {
             return tuples_of(without_interpreter([&] { return self.reload(shard); }));
           })
      .def("take_predictions",
           [](Router& self) {
             return arrays_of(std::make_unique<Prediction>(self.take_predictions()));
           })
      .def(
          "ask",
          [](Router& self, const Rows& X, const Values& ahead) {
            auto asked = std::make_unique<Asked>();
            without_interpreter(
                [&] { asked->questions = self.ask(columns(X), ahead_of(ahead, X)); });
            return asked;
          },
          nb::arg("X"), nb::arg("ahead"))
      .def(
          "parcels",
          [](const Router& self, const Asked& asked) {
            return tuples_of(self.parcels(*asked.questions));
          },
          nb::arg("asked"))
      .def(
          "predict",
          [](Router& self, Asked& asked, const std::vector<Message>& replies) -> nb::object {
            std::vector<std::span<const std::uint8_t>> spans;
            for (const Message& reply : replies) spans.push_back(bytes_of(reply));
            std::optional<Prediction> result =
                without_interpreter([&] { return self.predict(*asked.questions, spans); });
            if (!result) return nb::none();
            return arrays_of(std::make_unique<Prediction>(*std::move(result)));
          },
          nb::arg("asked"), nb::arg("replies"))
      .def("add_shard", &Router::add_shard)
      .def(
          "checkpoint",
          [](Router& self, const std::map<std::string, std::uint64_t>& positions,
             const std::map<std::string, std::string>& notes) {
            std::vector<SourcePosition> all;
            for (const auto& [source, rows] : positions) all.push_back({source, rows});
            for (const auto& [key, text] : notes) self.file().set_note(key, text);
            without_interpreter([&] { self.checkpoint(all); });
          },
          nb::arg("positions"), nb::arg("notes"))
      .def(
          "save",
          [](Router& self, const std::filesystem::path& path) {
            without_interpreter([&] { self.save(path); });
          },
          nb::arg("path"))
      .def(
          "position",
          [](Router& self, const std::string& source) { return self.file().position(source).rows; },
          nb::arg("source"))
      .def(
          "note", [](Router& self, const std::string& key) { return self.file().note(key); },
          nb::arg("key"))
      .def("options", &Router::options)
      .def("hyperparameters", [](const Router& self) { return to_dict(self.hyperparameters()); })
      .def("counts", [](const Router& self) { return counts_of(self.counts()); })
      .def_prop_ro("shard_of", [](const Router& self) { return self.shard_of(); })
      .def_prop_ro("unanswered", &Router::unanswered)
      .def_prop_ro("waits", &Router::waits)
      .def_prop_ro("idle", &Router::idle)
      .def_prop_ro("theta_version", &Router::theta_version)
      .def_prop_ro("n_inputs", &Router::n_inputs)
      .def_prop_ro("n_outputs", &Router::n_outputs)
      .def_prop_ro("n_observations", &Router::n_observations)
      .def_prop_ro("n_local", &Router::n_local)
      .def_prop_ro("n_shards", &Router::n_shards)
      .def_prop_ro("memory_bytes", &Router::memory_bytes);
}

}  // namespace splitgp::python
