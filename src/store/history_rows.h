#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/kernel/theta.h"
#include "core/options/length_scale_groups.h"
#include "splitgp/results.h"
#include "store/table_rows.h"

namespace splitgp::store {

/// Every θ that is or was in use, each once, however many local GPs share it.
using ThetaVersions = std::map<std::uint64_t, ThetaPointer>;

void write_theta(TableWriter& rows, const Hyperparameters& theta, std::uint64_t version);
/// The part of θ that formats before 2 did not have.
void write_trend(TableWriter& rows, const Hyperparameters& theta, std::uint64_t version);
void write_trend_range(TableWriter& rows, const Hyperparameters& theta, std::uint64_t version);
ThetaVersions read_thetas(const Database& database, const LengthScaleGroups& groups,
                          Eigen::Index outputs);

void write_training(TableWriter& rows, std::uint64_t number, const TrainResult& result);
/// The part of a training that formats before 2 did not have.
void write_training_more(TableWriter& rows, std::uint64_t number, const TrainResult& result);
/// `first` is the number of the first one that is kept.
std::vector<TrainResult> read_trainings(const Database& database, const ThetaVersions& thetas,
                                        std::uint64_t first);

}  // namespace splitgp::store
