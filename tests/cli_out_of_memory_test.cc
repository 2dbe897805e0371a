// Where no exception can leave, the command still ends with one line and an exit code.
#include <gtest/gtest.h>

#include <csignal>
#include <new>
#include <stdexcept>
#include <thread>

#include "cli/exit_code.h"
#include "cli/out_of_memory.h"

namespace splitgp::cli_out_of_memory_test {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

constexpr const char* kLine = "^splitgp: out of memory; a model file is as of its last commit\n$";

// As a JSON value does, which needs a list of what it still has to destroy.
struct NeedsMemoryToGo {
  ~NeedsMemoryToGo() {
    if (list != nullptr) list();
  }
  void (*list)() = nullptr;
};
void no_memory() { throw std::bad_alloc(); }
void mistake() { throw std::logic_error("a mistake"); }

TEST(CommandWithoutMemory, EndsInOrderFromADestructor) {
  const auto run = [] {
    end_in_order_without_memory();
    const NeedsMemoryToGo json{no_memory};
  };
  EXPECT_EXIT(run(), ExitedWithCode(kFailure), kLine);
}

TEST(CommandWithoutMemory, EndsInOrderWhileAnotherExceptionIsOnItsWay) {
  const auto run = [] {
    end_in_order_without_memory();
    try {
      const NeedsMemoryToGo json{no_memory};
      no_memory();
    } catch (const std::bad_alloc&) {
    }
  };
  EXPECT_EXIT(run(), ExitedWithCode(kFailure), kLine);
}

TEST(CommandWithoutMemory, EndsInOrderFromAThread) {
  const auto run = [] {
    end_in_order_without_memory();
    std::thread(no_memory).join();
  };
  EXPECT_EXIT(run(), ExitedWithCode(kFailure), kLine);
}

TEST(CommandWithoutMemory, AnotherExceptionThatNobodyCatchesAborts) {
  const auto run = [] {
    end_in_order_without_memory();
    std::thread(mistake).join();
  };
  EXPECT_EXIT(run(), KilledBySignal(SIGABRT), "");
}

}  // namespace splitgp::cli_out_of_memory_test
