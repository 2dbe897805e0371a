#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>

namespace splitgp {

/// A ridge regression of all outputs on the inputs, over the whole stream. O(inputs²) per row; its
/// slopes follow whenever the stream has grown by a sixteenth.
class LinearExpert {
 public:
  LinearExpert(Eigen::Index inputs, Eigen::Index outputs);

  /// Whether it has an opinion: not before it has seen some rows, and never with many inputs.
  bool knows() const { return knows_; }
  /// REQUIRES: knows().
  double answer(Eigen::Index output, const Eigen::Ref<const Eigen::VectorXd>& x) const {
    return at_origin_(output) + slopes_.col(output).dot(x - origin_);
  }
  double slope(Eigen::Index output, Eigen::Index input) const { return slopes_(input, output); }

  void learn(const Eigen::Ref<const Eigen::VectorXd>& x,
             const Eigen::Ref<const Eigen::VectorXd>& y);

  /// An observation was taken back. While few have come one of them shows in what is kept, and then
  /// it begins anew.
  void forget();

  /// An upper bound of the multiplications that learn() counts.
  Eigen::Index most_operations() const;

  /// What follows as numbers, for storing a model.
  std::size_t n_numbers() const;
  void put(double*& out) const;
  void take(const double*& in);
  std::size_t memory_bytes() const;

 private:
  static constexpr Eigen::Index kMostInputs = 64;
  bool follows() const { return origin_.size() <= kMostInputs; }
  void refresh();
  void move_origin();
  Eigen::Index refresh_operations() const;
  template <class Self, class Each>
  static void each(Self& self, const Each& each);

  std::uint64_t rows_ = 0;
  std::uint64_t next_ = 0;  // when the slopes follow again
  bool knows_ = false;
  // The first row's inputs and outputs, then the means of the first rows.
  Eigen::VectorXd origin_;
  Eigen::VectorXd output_origin_;
  // Sums over rows of z zᵀ and z yᵀ, where z is 1 and the inputs, around the origin; weighted so
  // that inputs far outside everything seen count little. The lower triangle.
  Eigen::MatrixXd squares_;
  Eigen::MatrixXd products_;
  Eigen::VectorXd spread_;  // of the inputs, when the slopes last followed
  Eigen::VectorXd middle_;
  Eigen::MatrixXd slopes_;
  Eigen::VectorXd at_origin_;
  // Scratch space.
  Eigen::VectorXd z_;
  Eigen::MatrixXd system_;
  Eigen::MatrixXd solution_;
};

}  // namespace splitgp
