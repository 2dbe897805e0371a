#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "model.h"
#include "splitgp/model_file.h"

namespace splitgp::python {

namespace {

// A note in the file: whether y is (n,) in Python; it makes no difference to the C++ model.
constexpr const char* kNote = "python";

void save(const Model& model, const std::filesystem::path& path, const std::string& note) {
  SplittingGp copy = model.read([](const SplittingGp& gp) { return SplittingGp(gp); });
  const nb::gil_scoped_release released;
  ModelFile file = ModelFile::create(path, std::move(copy));
  file.set_note(kNote, note);
  file.checkpoint();
}

std::pair<std::unique_ptr<Model>, std::optional<std::string>> load(
    const std::filesystem::path& path) {
  const nb::gil_scoped_release released;
  LoadedModel loaded = splitgp::load(path);
  const auto note = loaded.notes.find(kNote);
  return {std::make_unique<Model>(std::move(loaded.model)),
          note == loaded.notes.end() ? std::nullopt : std::optional(note->second)};
}

}  // namespace

void bind_store(nb::module_& m) {
  m.def("save", &save, nb::arg("model"), nb::arg("path"), nb::arg("note"));
  m.def("load", &load, nb::arg("path"));
}

}  // namespace splitgp::python
