#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "splitgp/hyperparameters.h"
#include "splitgp/results.h"

namespace splitgp::python {

inline nanobind::str text(std::string_view view) { return nanobind::str(view.data(), view.size()); }

/// Results as dictionaries with the C++ names; splitgp/_results.py turns them into data classes.
nanobind::dict to_dict(const Hyperparameters& theta);
nanobind::dict to_dict(const Explanation& explanation);
nanobind::dict to_dict(const TrainResult& result);
nanobind::dict to_dict(const LocalGpSummary& summary);
nanobind::dict to_dict(const SplitRecord& record);
nanobind::dict to_dict(const ColumnStatistics& statistics);
nanobind::dict to_dict(const InnovationStatistics& statistics);
nanobind::dict to_dict(const ExpertShares& shares);
nanobind::dict to_dict(const Alarm& alarm);

/// As the data class itself.
nanobind::object to_object(const Alarm& alarm);

/// The inverse; a missing name keeps its default, an unknown one is a ValueError.
Hyperparameters hyperparameters_from(const nanobind::dict& values);

}  // namespace splitgp::python
