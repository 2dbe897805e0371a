"""ctypes_test.py LIBRARY: the C interface from Python, and each thread's own last error."""

import ctypes
import math
import sys
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_void_p

library = ctypes.CDLL(sys.argv[1])
library.splitgp_last_error.restype = c_char_p
library.splitgp_version.restype = c_char_p
library.splitgp_n_local.restype = c_size_t
library.splitgp_n_local.argtypes = [c_void_p]
doubles = POINTER(c_double)
for name, arguments in {
    "splitgp_options_create": [POINTER(c_void_p)],
    "splitgp_options_set": [c_void_p, c_char_p, c_char_p],
    "splitgp_create": [c_size_t, c_size_t, c_void_p, POINTER(c_void_p)],
    "splitgp_update": [c_void_p, c_size_t, doubles, doubles, doubles],
    "splitgp_predict_gradient": [c_void_p, c_size_t] + 6 * [doubles],
    "splitgp_options_destroy": [c_void_p],
    "splitgp_destroy": [c_void_p],
}.items():
    getattr(library, name).argtypes = arguments
library.splitgp_options_destroy.restype = library.splitgp_destroy.restype = None


def check(status: int) -> None:
    if status != 0:
        raise RuntimeError(library.splitgp_last_error().decode())


def numbers(*values: float) -> ctypes.Array:
    return (c_double * len(values))(*values)


options, model = c_void_p(), c_void_p()
check(library.splitgp_options_create(byref(options)))
check(library.splitgp_options_set(options, b"capacity", b"50"))
check(library.splitgp_create(1, 1, options, byref(model)))
library.splitgp_options_destroy(options)
x = [6 * i / 500 for i in range(500)]
check(library.splitgp_update(model, 500, numbers(*x), numbers(*map(math.sin, x)), None))
assert library.splitgp_n_local(model) > 3

mean, slope = numbers(0.0), numbers(0.0)
check(library.splitgp_predict_gradient(model, 1, numbers(1.0), mean, None, None, slope, None))
assert abs(mean[0] - math.sin(1.0)) < 0.05, mean[0]
assert abs(slope[0] - math.cos(1.0)) < 0.2, slope[0]

errors = []


def fail(value: float) -> None:
    status = library.splitgp_update(model, 1, numbers(value), numbers(0.0), None)
    errors.append((status, library.splitgp_last_error().decode()))


thread = threading.Thread(target=fail, args=(math.inf,))
thread.start()
thread.join()
assert library.splitgp_last_error() == b"", "another thread's error"
fail(math.nan)
assert [status for status, _ in errors] == [1, 1]
assert "inf" in errors[0][1] and "nan" in errors[1][1]
library.splitgp_destroy(model)
