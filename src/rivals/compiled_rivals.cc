// Compiled once per instruction set (src/variants.cmake), like everything it calls.

#include "rivals/compiled_rivals.h"

#ifndef SPLITGP_INSTRUCTION_SET
#define SPLITGP_INSTRUCTION_SET baseline
#endif
#define SPLITGP_JOIN(a, b) a##b
#define SPLITGP_RIVALS(instruction_set) SPLITGP_JOIN(splitgp_rivals_, instruction_set)
#define SPLITGP_TEXT(name) #name
#define SPLITGP_NAME(instruction_set) SPLITGP_TEXT(instruction_set)

// The only name that is visible outside this compilation of the rivals.
extern "C" const splitgp::rivals::CompiledRivals SPLITGP_RIVALS(SPLITGP_INSTRUCTION_SET){
    SPLITGP_NAME(SPLITGP_INSTRUCTION_SET),
    splitgp::rivals::make_full_gp,
    splitgp::rivals::make_robust_bcm,
    splitgp::rivals::make_local_gp_regression,
    splitgp::rivals::make_locally_growing_gp,
    splitgp::rivals::learn,
    splitgp::rivals::predict,
    splitgp::rivals::train_now,
    splitgp::rivals::set_theta,
};
