#include "core/optimise.h"

#include <cmath>
#include <nlopt.hpp>
#include <vector>

namespace splitgp {

using Eigen::VectorXd;

namespace {

struct Search {
  const std::function<double(const VectorXd&, VectorXd*)>& function;
  Optimum best;
};

// Below the value of every allowed point, yet finite: line searches interpolate with it.
constexpr double kForbidden = -1e10;

double evaluate(const std::vector<double>& x, std::vector<double>& gradient, void* data) {
  Search& search = *static_cast<Search*>(data);
  const VectorXd parameters = VectorXd::Map(x.data(), std::ssize(x));
  VectorXd slope;
  double value = search.function(parameters, gradient.empty() ? nullptr : &slope);
  ++search.best.evaluations;
  bool usable = std::isfinite(value);
  if (!gradient.empty()) {
    usable = usable && slope.allFinite();
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] = usable ? slope(static_cast<Eigen::Index>(i)) : 0.0;
    }
  }
  if (!usable) return kForbidden;
  if (search.best.parameters.size() == 0 || value > search.best.value) {
    search.best.value = value;
    search.best.parameters = parameters;
  }
  return value;
}

// True if the algorithm ended normally.
bool run(nlopt::algorithm algorithm, Search& search, const VectorXd& start, const VectorXd& lower,
         const VectorXd& upper, const StopWhen& stop) {
  const auto list = [](const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
  nlopt::opt optimiser(algorithm, static_cast<unsigned>(start.size()));
  optimiser.set_lower_bounds(list(lower));
  optimiser.set_upper_bounds(list(upper));
  optimiser.set_max_objective(evaluate, &search);
  optimiser.set_ftol_rel(stop.relative_change);
  optimiser.set_xtol_abs(1e-4);
  optimiser.set_maxeval(stop.evaluations);
  std::vector<double> x = list(start);
  double value = 0.0;
  try {
    optimiser.optimize(x, value);
    return true;
  } catch (const nlopt::roundoff_limited&) {
    return true;
  } catch (const std::runtime_error&) {  // how NLopt reports a failed line search
    return false;
  }
}

}  // namespace

Optimum maximise(const std::function<double(const VectorXd&, VectorXd*)>& function,
                 const VectorXd& start, const VectorXd& lower, const VectorXd& upper,
                 const StopWhen& stop) {
  Search search{function, {}};
  if (start.size() == 0) {
    search.best.parameters = start;
    search.best.value = function(start, nullptr);
    search.best.evaluations = 1;
    return search.best;
  }
  const bool finished = run(nlopt::LD_LBFGS, search, start, lower, upper, stop);
  const int left = stop.evaluations - search.best.evaluations;
  if (!finished && left > 0) {
    const VectorXd from = search.best.parameters.size() == 0 ? start : search.best.parameters;
    run(nlopt::LD_SLSQP, search, from, lower, upper, {left, stop.relative_change});
  }
  if (search.best.parameters.size() == 0) {
    search.best.parameters = start;
    search.best.value = kForbidden;
  }
  return search.best;
}

}  // namespace splitgp
