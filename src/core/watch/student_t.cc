#include "core/watch/student_t.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace splitgp {
namespace {

// Beyond this the continued fraction below is slow, and expansions around the normal distribution
// are exact to rounding.
constexpr double kNearlyNormal = 1e4;

// log Γ(x + ½) − log Γ(x): the asymptotic series, reached by the recurrence Γ(x+1) = xΓ(x).
double log_gamma_step(double x) {
  double shift = 1.0;
  for (; x < 20.0; x += 1.0) shift *= x / (x + 0.5);
  const double r = 1.0 / x;
  const double r2 = r * r;
  const double series =
      -r * (1.0 / 8.0 - r2 * (1.0 / 192.0 - r2 * (1.0 / 640.0 - r2 * 17.0 / 14336.0)));
  return std::log(shift * std::sqrt(x)) + series;
}

// The continued fraction of the incomplete beta function I_x(a, b) (Abramowitz and Stegun, 26.5.8),
// by Lentz's method.  REQUIRES: x < (a + 1)/(a + b + 2), where it converges fast.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto clear_of_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1.0;
  double d = 1.0 / clear_of_zero(1.0 - (a + b) * x / (a + 1.0));
  double result = d;
  for (int m = 1; m < 1000; ++m) {
    const double k = 2.0 * m;
    const double even = m * (b - m) * x / ((a + k - 1.0) * (a + k));
    d = 1.0 / clear_of_zero(1.0 + even * d);
    c = clear_of_zero(1.0 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + k) * (a + k + 1.0));
    d = 1.0 / clear_of_zero(1.0 + odd * d);
    c = clear_of_zero(1.0 + odd / c);
    const double change = d * c;
    result *= change;
    if (std::abs(change - 1.0) < 4.0 * std::numeric_limits<double>::epsilon()) break;
  }
  return result;
}

// P(|T| < t) and P(|T| > t), both without cancellation.
struct Probabilities {
  double inside;
  double outside;
};

Probabilities probabilities(double t, double nu) {
  if (nu > kNearlyNormal) {
    // The normal deviate with the same probability (Wallace's expansion, to 1/ν³).
    if (!std::isinf(nu)) {
      const double t2 = t * t;
      t -= t * ((t2 + 1.0) / (4.0 * nu) - ((13.0 * t2 + 8.0) * t2 + 3.0) / (96.0 * nu * nu));
    }
    const double scaled = t / std::numbers::sqrt2;
    return {std::erf(scaled), std::erfc(scaled)};
  }
  if (t <= 0.0) return {0.0, 1.0};
  const double a = 0.5 * nu;
  const double near = t * t / (nu + t * t);
  const double far = nu / (nu + t * t);
  if (!(far > 0.0)) return {1.0, 0.0};
  // x^a (1 − x)^½ / B(a, ½)
  const double common =
      std::exp(log_gamma_step(a) + a * std::log(far)) * std::sqrt(near / std::numbers::pi);
  if (far < (a + 1.0) / (a + 2.5)) {
    const double outside = std::min(1.0, common * beta_fraction(a, 0.5, far) / a);
    return {1.0 - outside, outside};
  }
  const double inside = std::min(1.0, common * beta_fraction(0.5, a, near) / 0.5);
  return {inside, 1.0 - inside};
}

// To about 1e-4, which Newton's method then mends (Abramowitz and Stegun, 26.2.23).
double rough_normal_half_width(double level) {
  const double s = std::sqrt(-2.0 * std::log(0.5 * (1.0 - level)));
  const double rational = (2.515517 + s * (0.802853 + s * 0.010328)) /
                          (1.0 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
  return std::max(1e-3 * level, s - rational);
}

// Cornish and Fisher's expansion in 1/ν from the normal deviate (Abramowitz and Stegun, 26.7.5).
double rough_half_width(double level, double nu) {
  const double z = rough_normal_half_width(level);
  if (std::isinf(nu)) return z;
  const double z2 = z * z;
  const double r = 1.0 / nu;
  const double g1 = (z2 + 1.0) / 4.0;
  const double g2 = ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
  return z * (1.0 + r * (g1 + r * g2));
}

}  // namespace

double student_t_level(double t, double degrees_of_freedom) {
  return probabilities(t, degrees_of_freedom).inside;
}

double student_t_half_width(double level, double degrees_of_freedom) {
  assert(level > 0.0 && level < 1.0);
  const double nu = degrees_of_freedom;
  double t = rough_half_width(level, nu);
  // Newton's method for log t, on the logarithm of the smaller probability: nearly straight in the
  // center, where P(inside) ∝ t, and in the tail, where P(outside) is a power of t.
  const bool tail = level > 0.5;
  for (int i = 0; i < 60; ++i) {
    const Probabilities p = probabilities(t, nu);
    const double slope = 2.0 * t * std::exp(student_t_log_density(t * t, nu));
    const double error = tail ? std::log(p.outside / (1.0 - level)) : std::log(level / p.inside);
    const double step = error * (tail ? p.outside : p.inside) / slope;
    if (!std::isfinite(step)) {
      t *= 0.5;  // so far out that nothing is left: come back
      continue;
    }
    const double bounded = std::clamp(step, -1.0, 1.0);
    t *= std::exp(bounded);
    if (std::abs(bounded) < 1e-14) break;
  }
  return t;
}

double student_t_log_peak(double degrees_of_freedom) {
  if (std::isinf(degrees_of_freedom)) return -0.5 * std::log(2.0 * std::numbers::pi);
  return log_gamma_step(0.5 * degrees_of_freedom) -
         0.5 * std::log(std::numbers::pi * degrees_of_freedom);
}

double student_t_log_density(double t_squared, double degrees_of_freedom) {
  const double nu = degrees_of_freedom;
  const double peak = student_t_log_peak(nu);
  if (std::isinf(nu)) return peak - 0.5 * t_squared;
  return peak - 0.5 * (nu + 1.0) * std::log1p(t_squared / nu);
}

}  // namespace splitgp
