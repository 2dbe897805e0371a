#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "model.h"
#include "splitgp/error.h"
#include "splitgp/instruction_set.h"
#include "table.h"
#include "update_results.h"

namespace splitgp::python {

namespace nb = nanobind;

namespace {

void translate(const std::exception_ptr& thrown, void*) {
  const auto raise = [](const char* name, const char* what) {
    PyErr_SetString(nb::module_::import_("splitgp._errors").attr(name).ptr(), what);
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidArgument& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const NumericalError& e) {
    raise("NumericalError", e.what());
  } catch (const FileError& e) {
    raise("FileError", e.what());
  } catch (const UnusableModel& e) {
    raise("UnusableModel", e.what());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  // Asked for here, so that an instruction set that cannot run is an ImportError.
  m.attr("instruction_set") = instruction_set();
  m.attr("instruction_sets") = instruction_sets();
  nb::register_exception_translator(translate);
  bind_options(m);
  bind_update_results(m);
  bind_model(m);
  bind_store(m);
  bind_rivals(m);
  bind_scale(m);
  bind_table(m);
}

}  // namespace splitgp::python
