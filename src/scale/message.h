#pragma once

#include "core/kernel/theta.h"
#include "core/local_gp/local_gp.h"
#include "scale/buffer.h"
#include "splitgp/options.h"

namespace splitgp::scale {

/// What a router tells a shard: a list of these, each with what it needs. Local GPs have the
/// numbers that they have in the whole model.
enum class Command : std::uint8_t {
  theta,   // a version of θ, which others then name
  place,   // a local GP to hold: number, version of θ, points
  row,     // the observation that the following ones are about: sequence, x, y, noise variance
  ask,     // local GP → its answer at x
  learn,   // local GP → what it found
  divide,  // local GP, the second child's number, who leaves
  borrow,  // local GP → whether it did, and what it displaced
  refit,   // local GP, version of θ
  points,  // local GP → its points
  give,    // local GP → its points; it is another shard's from now on
};

/// How a shard's reply begins.
enum class Status : std::uint8_t {
  done,
  lost,    // it has not what it takes, because it was restarted: Router::reload
  stale,   // from before it was last told to begin, or done already: there is nothing to do
  failed,  // and why
};

void put(Writer& to, const LocalGp::Points& points);
LocalGp::Points get_points(Reader& from, Eigen::Index inputs, Eigen::Index outputs);

void put(Writer& to, const Theta& theta);
ThetaPointer get_theta(Reader& from);

/// The options that a shard needs.
void put(Writer& to, const Options& options);
Options get_options(Reader& from);

}  // namespace splitgp::scale
