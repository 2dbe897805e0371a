#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>

#include "core/kernel/theta.h"
#include "core/local_gp/local_gp.h"
#include "core/partition/centers.h"

namespace splitgp {

struct Partition;

/// How a new θ reaches the local GPs: one after another, while those that wait still answer by the
/// old one.
struct Renewing {
  Renewing() = default;
  /// The copy of a local GP is not on its way to anything.
  Renewing(const Renewing& other) : cursor(other.cursor), version(other.version) {}
  Renewing& operator=(const Renewing& other) { return *this = Renewing(other); }
  Renewing(Renewing&&) = default;
  Renewing& operator=(Renewing&&) = default;

  /// Local GP `removed` is gone, and `renamed`, which was `last`, has its number.
  void follow_removal(Eigen::Index removed, Eigen::Index last, const LocalGp& renamed);

  Eigen::Index cursor = 0;    // local GPs before it have the θ of …
  std::uint64_t version = 0;  // … this version

  Eigen::Index local_gp = -1;        // the one that is on its way; -1: none
  std::unique_ptr<Renewal> renewal;  // how far it is; made by whoever wants it in steps
};

bool is_current(const LocalGp& local, const Theta& theta);

/// All local GPs before this one are known to have θ.
Eigen::Index current_before(const Partition& partition, const Theta& theta);

/// The next local GP that is behind: the first such of `near`, or the one after the last; -1 if
/// none was found among a bounded number of them.
Eigen::Index next_behind(Partition& partition, const Theta& theta, std::span<const Neighbor> near);

/// Brings θ to the next local GP that is behind: at once, O(capacity³), or in steps of about `most`
/// operations if there is a Renewal. Returns it once it is there, otherwise -1.
Eigen::Index renew(Partition& partition, const ThetaPointer& theta, std::span<const Neighbor> near,
                   std::uint64_t most);

}  // namespace splitgp
