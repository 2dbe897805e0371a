#pragma once

#include <Eigen/Core>
#include <random>
#include <vector>

namespace splitgp::rivals {

/// LoG-GP's tree: each inner node sends a point right with a probability that rises linearly across
/// a narrow region around its position, and is 0 or 1 outside.
class RandomTree {
 public:
  /// How a leaf is divided.
  struct Cut {
    Eigen::Index dimension = 0;
    double position = 0.0;
    double width = 0.0;
    double probability_right(const Eigen::Ref<const Eigen::VectorXd>& x) const;
  };

  /// One leaf, number 0.
  RandomTree() : nodes_(1) {}

  /// A leaf drawn with its probability at x.
  Eigen::Index draw_leaf(const Eigen::Ref<const Eigen::VectorXd>& x, std::mt19937_64& random) const;

  /// The leaves that x may reach and their probabilities, which sum to 1.
  struct Active {
    Eigen::Index leaf = 0;
    double probability = 1.0;
  };
  void active_leaves(const Eigen::Ref<const Eigen::VectorXd>& x, std::vector<Active>& leaves) const;

  /// Leaf `left` becomes an inner node with leaves `left` and `right`.
  void split(Eigen::Index left, Eigen::Index right, const Cut& cut);

  std::size_t memory_bytes() const {
    return nodes_.capacity() * sizeof(Node) + node_of_leaf_.capacity() * sizeof(Eigen::Index);
  }

 private:
  struct Node {
    Cut cut;
    Eigen::Index leaf = 0;    // −1 for an inner node
    Eigen::Index child = -1;  // the left one; the right one follows it
  };
  const Node& node(Eigen::Index i) const { return nodes_[static_cast<std::size_t>(i)]; }

  std::vector<Node> nodes_;
  std::vector<Eigen::Index> node_of_leaf_{0};
};

/// In [0, 1), and the same on every platform, unlike the standard's distributions.
inline double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace splitgp::rivals
