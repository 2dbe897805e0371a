#include "c/status.h"

#include <exception>
#include <new>

#include "splitgp/error.h"

namespace splitgp::c {

std::string& last_error() {
  static thread_local std::string message;
  return message;
}

namespace {

splitgp_status fail(splitgp_status status, const char* message) noexcept {
  try {
    last_error() = message;
  } catch (...) {  // no memory for the message either
    last_error().clear();
  }
  return status;
}

}  // namespace

splitgp_status caught() noexcept {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return fail(SPLITGP_INVALID_ARGUMENT, error.what());
  } catch (const NumericalError& error) {
    return fail(SPLITGP_NUMERICAL_ERROR, error.what());
  } catch (const FileError& error) {
    return fail(SPLITGP_FILE_ERROR, error.what());
  } catch (const UnusableModel& error) {
    return fail(SPLITGP_UNUSABLE, error.what());
  } catch (const std::bad_alloc&) {
    return fail(SPLITGP_OUT_OF_MEMORY, "there is not enough memory");
  } catch (const std::exception& error) {
    return fail(SPLITGP_INTERNAL_ERROR, error.what());
  } catch (...) {
    return fail(SPLITGP_INTERNAL_ERROR, "an unknown exception");
  }
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw InvalidArgument(std::string(name) + " is NULL");
}

}  // namespace splitgp::c
