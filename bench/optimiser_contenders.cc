#include "optimiser_contenders.h"

#include <cmath>
#include <stdexcept>

#if defined(SPLITGP_BENCH_NLOPT) && __has_include(<nlopt.hpp>)
#include <nlopt.hpp>
#define HAVE_NLOPT
#endif

#if __has_include(<LBFGSB.h>)
#include <LBFGSB.h>
#define HAVE_LBFGSPP
#endif

namespace bench {

using Eigen::VectorXd;
using splitgp::Objective;
using splitgp::Optimum;

namespace {

// `tightness` divides the gain at which it stops.
Optimum with_ours(double tightness, Objective& objective, const VectorXd& start,
                  const Budget& budget) {
  splitgp::StopWhen stop = budget.ours;
  stop.gain /= tightness;
  return splitgp::maximise(
      [&](const VectorXd& parameters, VectorXd* gradient) {
        return objective.value(parameters, gradient);
      },
      objective.curvature(start), start, objective.lower(), objective.upper(), stop);
}

#if defined(HAVE_NLOPT) || defined(HAVE_LBFGSPP)
// Below the value of every allowed point, yet finite: line searches interpolate with it.
constexpr double kForbidden = -1e10;

// Counts the evaluations and keeps the best point seen, so that every optimiser is judged by the
// same rule however it ends.
class Watched {
 public:
  Watched(Objective& objective, const VectorXd& start)
      : best{start, kForbidden, kForbidden, 0}, objective_(objective) {}

  double operator()(const VectorXd& x, VectorXd& gradient) {
    const double value = objective_.value(x, &gradient);
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
  Objective& objective_;
};
#endif

#ifdef HAVE_NLOPT
double evaluate(const std::vector<double>& x, std::vector<double>& gradient, void* data) {
  VectorXd slope;
  const double value =
      (*static_cast<Watched*>(data))(VectorXd::Map(x.data(), std::ssize(x)), slope);
  if (!gradient.empty()) VectorXd::Map(gradient.data(), std::ssize(gradient)) = slope;
  return value;
}

// True if the algorithm ended normally.
bool run_nlopt(nlopt::algorithm algorithm, Watched& watched, const Objective& objective,
               int evaluations, double relative_change) {
  const auto list = [](const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
  std::vector<double> x = list(watched.best.parameters);
  nlopt::opt optimiser(algorithm, static_cast<unsigned>(x.size()));
  optimiser.set_lower_bounds(list(objective.lower()));
  optimiser.set_upper_bounds(list(objective.upper()));
  optimiser.set_max_objective(evaluate, &watched);
  optimiser.set_ftol_rel(relative_change);
  optimiser.set_xtol_abs(1e-4);
  optimiser.set_maxeval(evaluations);
  double value = 0.0;
  try {
    optimiser.optimize(x, value);
  } catch (const nlopt::roundoff_limited&) {
  } catch (const std::runtime_error&) {  // how NLopt reports a failed line search
    return false;
  }
  return true;
}

// As Train used it: L-BFGS and, if that fails, SLSQP from where it stopped.
Optimum with_nlopt(Objective& objective, const VectorXd& start, const Budget& budget) {
  Watched watched(objective, start);
  const int most = budget.ours.evaluations;
  const bool ended = run_nlopt(nlopt::LD_LBFGS, watched, objective, most, budget.relative_change);
  const int left = most - watched.best.evaluations;
  if (!ended && left > 0)
    run_nlopt(nlopt::LD_SLSQP, watched, objective, left, budget.relative_change);
  return watched.best;
}
#endif

#ifdef HAVE_LBFGSPP
// LBFGS++ limits iterations, not evaluations, and cannot be stopped in any other way.
struct BudgetSpent {};

Optimum with_lbfgspp(Objective& objective, const VectorXd& start, const Budget& budget) {
  LBFGSpp::LBFGSBParam<double> settings;
  settings.m = 20;  // NLopt remembers every step of such a short run
  settings.past = 1;
  settings.delta = budget.relative_change;
  settings.epsilon = settings.epsilon_rel = 1e-8;  // the others do not check the gradient
  LBFGSpp::LBFGSBSolver<double> solver(settings);
  Watched watched(objective, start);
  const auto minimised = [&](const VectorXd& x, VectorXd& gradient) {
    if (watched.best.evaluations == budget.ours.evaluations) throw BudgetSpent{};
    const double value = watched(x, gradient);
    gradient = -gradient;
    return -value;
  };
  VectorXd x = start;
  double value = 0.0;
  try {
    solver.minimize(minimised, x, value, objective.lower(), objective.upper());
  } catch (const BudgetSpent&) {
  } catch (const std::exception&) {  // a line search failed; the best point seen counts
  }
  return watched.best;
}
#endif

}  // namespace

std::vector<Contender> contenders() {
  const auto ours = [](double tightness) {
    return [tightness](auto&... arguments) { return with_ours(tightness, arguments...); };
  };
  return {
      {"splitgp", "MIT", ours(1.0)},
      {"splitgp, tighter", "MIT", ours(10.0)},
#ifdef HAVE_NLOPT
      {"NLopt L-BFGS", "LGPL", with_nlopt},
#endif
#ifdef HAVE_LBFGSPP
      {"LBFGS++", "MIT", with_lbfgspp},
#endif
  };
}

std::vector<std::string> missing_contenders() {
  return {
#ifndef HAVE_NLOPT
      "NLopt (Debian: libnlopt-dev, libnlopt-cxx-dev)",
#endif
#ifndef HAVE_LBFGSPP
      "LBFGS++ (Debian: liblbfgspp-dev)",
#endif
  };
}

}  // namespace bench
