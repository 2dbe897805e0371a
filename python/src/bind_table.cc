#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.h"
#include "splitgp/model_file.h"
#include "table.h"
#include "table/code.h"
#include "table/finder.h"

namespace splitgp::python {
namespace {

using Lags = std::map<std::string, std::vector<int>>;

table::Wishes wishes_from(const nb::dict& given) {
  table::Wishes wishes;
  wishes.targets = nb::cast<std::vector<std::string>>(given["targets"]);
  wishes.inputs = nb::cast<std::vector<std::string>>(given["inputs"]);
  wishes.ignored = nb::cast<std::vector<std::string>>(given["ignored"]);
  const auto as = nb::cast<std::map<std::string, std::string>>(given["as"]);
  for (const auto& [column, kind] : as) wishes.as[column] = table::parse_as("COL=" + kind).second;
  if (const auto cycles = nb::cast<std::optional<std::string>>(given["cycles"]))
    wishes.cycles = table::parse_cycles(*cycles);
  if (const auto fill = nb::cast<std::optional<std::string>>(given["fill"]))
    wishes.fill = table::parse_fill(*fill);
  wishes.missing = nb::cast<std::vector<std::string>>(given["missing"]);
  for (const auto& [column, rows] : nb::cast<Lags>(given["lags"]))
    wishes.lags.push_back({column, rows});
  wishes.by = nb::cast<std::string>(given["by"]);
  wishes.horizon = nb::cast<int>(given["horizon"]);
  return wishes;
}

// The recipe for a table that begins like this, and what its user should know.
std::pair<std::unique_ptr<Table>, std::vector<std::string>> find_table(
    const std::vector<std::string>& names, const nb::list& columns, const nb::dict& given) {
  const table::Wishes wishes = wishes_from(given);
  TableCells cells(names, columns);
  const nb::gil_scoped_release released;
  table::RecipeFinder finder(names, wishes);
  const std::size_t rows = std::min(cells.rows(), table::kFirstRows);
  for (std::size_t row = 0; row < rows; ++row) finder.add(cells.row(row));
  if (cells.rows() < table::kFirstRows) finder.set_complete();
  table::Found found = finder.find();
  return {std::make_unique<Table>(std::move(found.recipe)), std::move(found.remarks)};
}

nb::tuple to_tuple(TableRun run, bool flat) {
  auto kept = std::make_unique<TableRun>(std::move(run));
  const TableRun& r = *kept;
  const nb::capsule owner = keep(std::move(kept));
  const Prediction& p = r.predictions;
  nb::list reasons;
  for (const auto& [row, reason] : r.reasons) reasons.append(nb::make_tuple(row, reason));
  return nb::make_tuple(
      nb::make_tuple(view(p.mean, flat, owner), view(p.variance, flat, owner),
                     view(p.noise_variance, flat, owner), view(p.degrees_of_freedom, flat, owner),
                     view(p.conformal_half_widths, false, owner)),
      array_of<std::int8_t>(r.fates.size(), [&](std::size_t i) { return r.fates[i]; }), reasons);
}

void save_table(Table& table, const Model& model, const std::filesystem::path& path) {
  SplittingGp copy = model.read([](const SplittingGp& gp) { return SplittingGp(gp); });
  const nb::gil_scoped_release released;
  ModelFileOptions options;
  options.input_names = table.recipe().input_names();
  options.output_names = table.recipe().target_names();
  ModelFile file = ModelFile::create(path, std::move(copy), std::move(options));
  for (auto& [key, text] : table.notes()) file.set_note(key, text);
  file.checkpoint();
}

// The notes of a model file, for those who ask whether it has a recipe.
std::map<std::string, std::string> notes_of(const std::filesystem::path& path) {
  const nb::gil_scoped_release released;
  return load(path).notes;
}

std::pair<std::unique_ptr<Model>, std::unique_ptr<Table>> load_table(
    const std::filesystem::path& path) {
  const nb::gil_scoped_release released;
  LoadedModel loaded = load(path);
  auto table = std::make_unique<Table>(std::move(loaded.notes));
  return {std::make_unique<Model>(std::move(loaded.model)), std::move(table)};
}

// For estimators whose features come one by one: the code of a text, as a recipe makes it.
std::vector<double> category_code(const std::string& text, int width) {
  std::vector<double> code(static_cast<std::size_t>(width));
  table::set_code(text, {}, width, code.data());
  return code;
}

// And a moment: hours since the origin, and its positions in the day and the week.
std::vector<double> time_inputs(double seconds, double origin) {
  table::Recipe::Parts parts;
  parts.columns = {{.name = "time", .use = table::Use::time}, {.name = "target"}};
  parts.times = {
      {.columns = {0}, .origin = origin, .cycles = {table::Cycle::day, table::Cycle::week}}};
  parts.targets = {1};
  const table::Recipe recipe(std::move(parts));
  std::vector<double> inputs(recipe.input_names().size());
  recipe.set_feature(recipe.features().front(), (seconds - origin) / 3600.0, inputs);
  return inputs;
}

}  // namespace

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table")
      .def_prop_ro("input_names", [](const Table& t) { return t.recipe().input_names(); })
      .def_prop_ro("target_names", [](const Table& t) { return t.recipe().target_names(); })
      .def_prop_ro("used_columns", [](const Table& t) { return t.recipe().used_columns(); })
      .def_prop_ro("read_columns", [](const Table& t) { return t.recipe().read_columns(); })
      .def_prop_ro("length_scale_groups",
                   [](const Table& t) { return t.recipe().length_scale_groups(); })
      .def_prop_ro("horizon", [](const Table& t) { return t.recipe().horizon(); })
      .def("explanation", [](const Table& t) { return t.recipe().explanation(); })
      .def("flags_toml", [](const Table& t) { return t.recipe().flags_toml(); })
      .def("filled", &Table::filled)
      .def(
          "stream",
          [](Table& self, Model& model, const nb::list& columns, bool flat) {
            TableCells cells(self.recipe().read_columns(), columns);
            return to_tuple(self.stream(model, cells), flat);
          },
          nb::arg("model"), nb::arg("columns"), nb::arg("flat"))
      .def(
          "predict",
          [](const Table& self, const Model& model, const nb::list& columns, const Values& ahead,
             bool flat) {
            TableCells cells(self.recipe().read_columns(), columns);
            return to_tuple(self.predict(model, cells, column(ahead)), flat);
          },
          nb::arg("model"), nb::arg("columns"), nb::arg("ahead"), nb::arg("flat"))
      .def(
          "inputs",
          [](Table& self, const nb::list& columns) {
            TableCells cells(self.recipe().read_columns(), columns);
            auto kept = std::make_unique<Table::Inputs>(self.inputs(cells));
            const Table::Inputs& r = *kept;
            const nb::capsule owner = keep(std::move(kept));
            nb::list reasons;
            for (const auto& [row, reason] : r.reasons) reasons.append(nb::make_tuple(row, reason));
            return nb::make_tuple(
                view(r.inputs, false, owner), view(r.targets, false, owner),
                array_of<std::int8_t>(r.fates.size(), [&](std::size_t i) { return r.fates[i]; }),
                reasons);
          },
          nb::arg("columns"))
      .def("notes", &Table::notes)
      .def("copy", &Table::copy);
  m.def(
      "table_of",
      [](std::map<std::string, std::string> notes) {
        return std::make_unique<Table>(std::move(notes));
      },
      nb::arg("notes"));
  m.def("find_table", &find_table, nb::arg("names"), nb::arg("columns"), nb::arg("wishes"));
  m.def("save_table", &save_table, nb::arg("table"), nb::arg("model"), nb::arg("path"));
  m.def("load_table", &load_table, nb::arg("path"));
  m.def("notes_of", &notes_of, nb::arg("path"));
  m.def("category_code", &category_code, nb::arg("text"), nb::arg("width"));
  m.def("time_inputs", &time_inputs, nb::arg("seconds"), nb::arg("origin"));
}

}  // namespace splitgp::python
