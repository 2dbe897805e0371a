#include "optimiser_contenders.h"

#include <cmath>
#include <nlopt.hpp>
#include <stdexcept>

#if __has_include(<LBFGSB.h>)
#include <LBFGSB.h>
#define HAVE_LBFGSPP
#endif

namespace bench {

using Eigen::VectorXd;
using splitgp::Optimum;
using splitgp::StopWhen;

namespace {

// As in optimise.cc: below the value of every allowed point, yet finite.
constexpr double kForbidden = -1e10;

// Counts the evaluations and keeps the best point seen, so that every optimiser is judged by the
// same rule however it ends.
class Watched {
 public:
  Watched(const Function& function, const VectorXd& start)
      : best{start, kForbidden, 0}, function_(function) {}

  double operator()(const VectorXd& x, VectorXd& gradient) {
    const double value = function_(x, &gradient);
    ++best.evaluations;
    if (!std::isfinite(value) || !gradient.allFinite()) {
      gradient = VectorXd::Zero(x.size());
      return kForbidden;
    }
    if (value > best.value) {
      best.value = value;
      best.parameters = x;
    }
    return value;
  }

  Optimum best;

 private:
  const Function& function_;
};

double evaluate(const std::vector<double>& x, std::vector<double>& gradient, void* data) {
  VectorXd slope;
  const double value =
      (*static_cast<Watched*>(data))(VectorXd::Map(x.data(), std::ssize(x)), slope);
  if (!gradient.empty()) VectorXd::Map(gradient.data(), std::ssize(gradient)) = slope;
  return value;
}

// The settings of optimise.cc, without its second attempt.
Optimum with_nlopt(nlopt::algorithm algorithm, const Function& function, const VectorXd& start,
                   const VectorXd& lower, const VectorXd& upper, const StopWhen& stop) {
  const auto list = [](const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
  Watched watched(function, start);
  nlopt::opt optimiser(algorithm, static_cast<unsigned>(start.size()));
  optimiser.set_lower_bounds(list(lower));
  optimiser.set_upper_bounds(list(upper));
  optimiser.set_max_objective(evaluate, &watched);
  optimiser.set_ftol_rel(stop.relative_change);
  optimiser.set_xtol_abs(1e-4);
  optimiser.set_maxeval(stop.evaluations);
  std::vector<double> x = list(start);
  double value = 0.0;
  try {
    optimiser.optimize(x, value);
  } catch (const std::runtime_error&) {  // it gave up; the best point seen counts
  }
  return watched.best;
}

#ifdef HAVE_LBFGSPP
// LBFGS++ limits iterations, not evaluations, and cannot be stopped in any other way.
struct BudgetSpent {};

// `tightness` divides the change at which it stops: LBFGS++ compares it with max(1, |value|), NLopt
// with |value|, which may be smaller.
Optimum with_lbfgspp(double tightness, const Function& function, const VectorXd& start,
                     const VectorXd& lower, const VectorXd& upper, const StopWhen& stop) {
  LBFGSpp::LBFGSBParam<double> settings;
  settings.m = 20;  // NLopt remembers every step of such a short run
  settings.past = 1;
  settings.delta = stop.relative_change / tightness;
  settings.epsilon = settings.epsilon_rel = 1e-8;  // the others do not check the gradient
  LBFGSpp::LBFGSBSolver<double> solver(settings);
  Watched watched(function, start);
  const auto minimised = [&](const VectorXd& x, VectorXd& gradient) {
    if (watched.best.evaluations == stop.evaluations) throw BudgetSpent{};
    const double value = watched(x, gradient);
    gradient = -gradient;
    return -value;
  };
  VectorXd x = start;
  double value = 0.0;
  try {
    solver.minimize(minimised, x, value, lower, upper);
  } catch (const BudgetSpent&) {
  } catch (const std::exception&) {  // a line search failed; the best point seen counts
  }
  return watched.best;
}
#endif

}  // namespace

std::vector<Contender> contenders() {
  const auto nlopt_with = [](nlopt::algorithm algorithm) {
    return [algorithm](const auto&... arguments) { return with_nlopt(algorithm, arguments...); };
  };
#ifdef HAVE_LBFGSPP
  const auto lbfgspp_with = [](double tightness) {
    return [tightness](const auto&... arguments) { return with_lbfgspp(tightness, arguments...); };
  };
#endif
  return {
      {"NLopt L-BFGS (today)", "LGPL", splitgp::maximise},
      {"NLopt SLSQP", "BSD", nlopt_with(nlopt::LD_SLSQP)},
      {"NLopt CCSAQ", "MIT", nlopt_with(nlopt::LD_CCSAQ)},
      {"NLopt MMA", "MIT", nlopt_with(nlopt::LD_MMA)},
#ifdef HAVE_LBFGSPP
      {"LBFGS++", "MIT", lbfgspp_with(1.0)},
      {"LBFGS++, tighter", "MIT", lbfgspp_with(10.0)},
#endif
  };
}

}  // namespace bench
