// The module splitgp._cpu: asks the processor, so that splitgp._core can choose.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace {

// True if the CPU and the operating system run code made for x86-64-v3.
PyObject* supports_avx2(PyObject*, PyObject*) {
#if defined(__x86_64__)
  return PyBool_FromLong(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                         __builtin_cpu_supports("bmi2"));
#else
  Py_RETURN_FALSE;
#endif
}

PyMethodDef methods[] = {{"supports_avx2", supports_avx2, METH_NOARGS, nullptr}, {}};
PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_cpu", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__cpu() { return PyModule_Create(&module); }
