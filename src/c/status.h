#pragma once

#include <string>

#include "splitgp/splitgp_c.h"

namespace splitgp::c {

/// This thread's last error message.
std::string& last_error();

/// The status of the exception that is being handled; its message becomes the last error.
splitgp_status caught() noexcept;

/// Throws InvalidArgument that names the argument if it is null.
void require(const void* pointer, const char* name);

/// Runs work(), and turns what it throws into a status: nothing gets out.
template <typename Work>
splitgp_status guarded(const Work& work) noexcept {
  last_error();  // glibc ends the program if there is no memory when a thread first uses it
  try {
    work();
    return SPLITGP_OK;
  } catch (...) {
    return caught();
  }
}

}  // namespace splitgp::c
