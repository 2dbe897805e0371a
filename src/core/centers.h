#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/kernel.h"
#include "core/local_gp.h"

namespace splitgp {

/// A local GP and how far its center is.
struct Neighbor {
  Eigen::Index local_gp = 0;
  double squared_distance = 0.0;
};

/// The centers of all local GPs, searched by similarity. Ties go to the lower number, so the answer
/// never depends on how the search went.
class Centers {
 public:
  explicit Centers(Eigen::Index inputs) : centers_(0, inputs) {}

  void set(Eigen::Index local_gp, const Eigen::VectorXd& center);
  Eigen::Index size() const { return size_; }

  /// argmax_i k(c_i, x).  REQUIRES: size() > 0.
  Eigen::Index most_similar(const Kernel& kernel, const Eigen::Ref<const Eigen::VectorXd>& x,
                            Workspace& workspace) const;

  /// The `count` most similar ones (all, if there are fewer), most similar first.
  void most_similar(const Kernel& kernel, const Eigen::Ref<const Eigen::VectorXd>& x,
                    Eigen::Index count, Workspace& workspace,
                    std::vector<Neighbor>& neighbors) const;

  std::size_t memory_bytes() const {
    return static_cast<std::size_t>(centers_.size()) * sizeof(double);
  }

 private:
  Eigen::Index size_ = 0;
  Eigen::MatrixXd centers_;  // capacity × d
};

}  // namespace splitgp
