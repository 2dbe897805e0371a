#include "store/membership.h"

#include <algorithm>
#include <string>
#include <utility>

namespace splitgp::store {
namespace {

std::string name(std::uint64_t local_gp) { return "local GP " + std::to_string(local_gp); }

// Drops the points it does not own.
void keep_owned(Membership::Members& points) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < points.sequence.size(); ++from) {
    if (points.owned[from] != 0) points.sequence[to++] = points.sequence[from];
  }
  points.sequence.resize(to);
  points.owned.assign(to, 1);
}

}  // namespace

void Membership::start_with(Members points) {
  const auto not_rising = std::adjacent_find(points.sequence.begin(), points.sequence.end(),
                                             [](auto a, auto b) { return a >= b; });
  if (not_rising != points.sequence.end()) {
    throw Inconsistent(name(local_gps_.size()) + " holds observation " +
                       std::to_string(*not_rising) + " twice or out of order");
  }
  check(points, local_gps_.size());
  local_gps_.push_back(std::move(points));
}

void Membership::add_listed(Members points) {
  std::vector<std::uint64_t> sorted = points.sequence;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw Inconsistent(name(local_gps_.size()) + " holds observation " + std::to_string(*twice) +
                       " twice");
  }
  check(points, local_gps_.size());
  local_gps_.push_back(std::move(points));
}

Membership::Members& Membership::at(std::uint64_t local_gp) {
  if (local_gp >= local_gps_.size()) throw Inconsistent(name(local_gp) + " does not exist");
  return local_gps_[local_gp];
}

void Membership::route(std::uint64_t sequence, std::uint64_t local_gp,
                       std::optional<std::uint64_t> displaced) {
  if (local_gps_.empty()) local_gps_.emplace_back();
  Members& points = at(local_gp);
  if (points.n_owned > split_limit_) throw Inconsistent(name(local_gp) + " was not split");
  points.sequence.push_back(sequence);
  points.owned.push_back(1);
  ++points.n_owned;
  const bool full = std::ssize(points.sequence) > capacity_ + 1;
  if (full != displaced.has_value()) {
    throw Inconsistent(full ? "it displaces nothing" : "it displaces a point needlessly");
  }
  if (displaced) displace(local_gp, *displaced);
}

void Membership::borrow(std::uint64_t sequence, std::uint64_t local_gp,
                        std::optional<std::uint64_t> displaced) {
  Members& points = at(local_gp);
  if (capacity_ == split_limit_) throw Inconsistent("the model does not borrow");
  if (points.sequence.empty() || points.sequence.back() >= sequence) {
    throw Inconsistent(name(local_gp) + " borrows what it has");
  }
  const bool full = std::ssize(points.sequence) > capacity_;
  if (full != displaced.has_value()) {
    throw Inconsistent(name(local_gp) + (full ? " borrows it without room"
                                              : " displaces a point for it needlessly"));
  }
  points.sequence.push_back(sequence);
  points.owned.push_back(0);
  if (displaced) displace(local_gp, *displaced);
}

void Membership::displace(std::uint64_t local_gp, std::uint64_t displaced) {
  Members& points = at(local_gp);
  const auto found = std::lower_bound(points.sequence.begin(), points.sequence.end(), displaced);
  const auto owned = points.owned.begin() + (found - points.sequence.begin());
  if (found == points.sequence.end() || *found != displaced || *owned != 0) {
    throw Inconsistent("it displaces observation " + std::to_string(displaced) + ", which " +
                       name(local_gp) + " has not borrowed");
  }
  points.sequence.erase(found);
  points.owned.erase(owned);
}

void Membership::split(Eigen::Index parent, Eigen::Index child,
                       const std::vector<std::uint64_t>& leaving) {
  if (child != size()) throw Inconsistent("the child's number is " + std::to_string(child));
  Members& first = at(static_cast<std::uint64_t>(parent));
  if (first.n_owned != split_limit_ + 1) throw Inconsistent("the parent is not full");
  Members second = first;
  std::size_t left = 0;
  for (std::size_t j = 0; j < first.sequence.size(); ++j) {
    if (first.owned[j] == 0) continue;
    const bool leaves = left < leaving.size() && first.sequence[j] == leaving[left];
    if (leaves) ++left;
    first.owned[j] = leaves ? 0 : 1;
    second.owned[j] = leaves ? 1 : 0;
  }
  if (left != leaving.size()) {
    throw Inconsistent("observation " + std::to_string(leaving[left]) +
                       " leaves the parent but is not its own");
  }
  second.n_owned = std::ssize(leaving);
  first.n_owned -= second.n_owned;
  if (!inherit_) {
    keep_owned(first);
    keep_owned(second);
  }
  check(first, static_cast<std::size_t>(parent));
  check(second, static_cast<std::size_t>(child));
  local_gps_.push_back(std::move(second));
}

void Membership::check(const Members& points, std::size_t local_gp) const {
  const Eigen::Index held = std::ssize(points.sequence);
  if (points.n_owned < 1 || points.n_owned > split_limit_ || held > capacity_ + 1 ||
      (!inherit_ && held != points.n_owned)) {
    throw Inconsistent(name(local_gp) + " owns " + std::to_string(points.n_owned) + " of " +
                       std::to_string(held) + " points; split_limit is " +
                       std::to_string(split_limit_) + " and capacity " + std::to_string(capacity_));
  }
}

std::vector<Membership::Members> Membership::finish() && {
  for (std::size_t i = 0; i < local_gps_.size(); ++i) check(local_gps_[i], i);
  return std::move(local_gps_);
}

}  // namespace splitgp::store
