#include "cli/command.h"

int main(int argc, char** argv) { return splitgp::run_command(argc, argv); }
