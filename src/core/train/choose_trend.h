#pragma once

#include "core/train/contender.h"

namespace splitgp {

/// θ with or without a trend, each as good as a few steps make it: which of them predicts better
/// forward in time (core/train/forward_check.h) decides, unless a trend is prescribed.
Contender choose_trend(const TrainingSet& set, const TrainingPlan& plan, const Contender& found,
                       TrainResult& result);

/// Gives θ a trend to fall back to, if it only fills gaps and the trend predicts better over large
/// ones.
void consider_fallback(const TrainingSet& set, const TrainingPlan& plan, Contender& winner);

}  // namespace splitgp
