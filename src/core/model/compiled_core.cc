// Compiled once per instruction set (src/variants.cmake), like everything it calls.

#include "core/model/compiled_core.h"

#include "core/model/bound_latency.h"
#include "core/model/forget.h"
#include "core/model/model_training.h"
#include "core/model/update.h"
#include "core/partition/renewing.h"
#include "core/partition/waking.h"
#include "core/predict/predict.h"
#include "core/predict/predict_gradient.h"

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
    splitgp::renew,
    splitgp::wake,
    splitgp::bound_latency,
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
