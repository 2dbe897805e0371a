// Compiled once per instruction set (src/variants.cmake), like everything it calls.

#include "core/compiled_core.h"

#include "core/forget.h"
#include "core/model_training.h"
#include "core/predict.h"
#include "core/predict_gradient.h"
#include "core/refit.h"
#include "core/update.h"
#include "core/waking.h"

#ifndef SPLITGP_INSTRUCTION_SET
#define SPLITGP_INSTRUCTION_SET baseline
#endif
#define SPLITGP_JOIN(a, b) a##b
#define SPLITGP_CORE(instruction_set) SPLITGP_JOIN(splitgp_core_, instruction_set)
#define SPLITGP_TEXT(name) #name
#define SPLITGP_NAME(instruction_set) SPLITGP_TEXT(instruction_set)

// The only name that is visible outside this compilation of the core.
extern "C" const splitgp::CompiledCore SPLITGP_CORE(SPLITGP_INSTRUCTION_SET){
    SPLITGP_NAME(SPLITGP_INSTRUCTION_SET),
    splitgp::update,
    splitgp::predict_then_update,
    splitgp::predict,
    splitgp::predict_gradient,
    splitgp::explain,
    splitgp::forget,
    splitgp::train_now,
    splitgp::finish_training,
    splitgp::refit_next,
    splitgp::wake,
    splitgp::route,
    splitgp::account,
    splitgp::train_if_due,
    splitgp::drawn_whole,
    splitgp::ask,
    splitgp::combine,
    splitgp::learn,
    splitgp::divide,
    splitgp::borrow,
    splitgp::refit,
    splitgp::answer,
};
