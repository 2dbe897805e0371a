#include "cli/out_of_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "cli/exit_code.h"

namespace splitgp {
namespace {

// Allocates nothing, and runs no destructor: those would want memory, too.
[[noreturn]] void end() {
  if (std::current_exception()) {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      constexpr std::string_view kLine =
          "splitgp: out of memory; a model file is as of its last commit\n";
      [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
      ::_exit(kFailure);
    } catch (...) {
    }
  }
  std::abort();
}

}  // namespace

void end_in_order_without_memory() { std::set_terminate(end); }

}  // namespace splitgp
