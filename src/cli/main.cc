#include "cli/command.h"
#include "cli/out_of_memory.h"

int main(int argc, char** argv) {
  splitgp::end_in_order_without_memory();
  return splitgp::run_command(argc, argv);
}
