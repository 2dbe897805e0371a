#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/kernel.h"

namespace splitgp {

/// A local GP and how far its center is.
struct Neighbor {
  Eigen::Index local_gp = 0;
  double squared_distance = 0.0;
};

/// The centers of all local GPs, searched by similarity. Ties go to the lower number, so the answer
/// never depends on how the search went.
///
/// An R-tree: a node holds up to kFan entries, each with the box around what is below it; a center
/// is a box without extent. Boxes are kept in raw units, where they stay true whatever θ does to
/// the length scales, and a move or an insertion mends only the boxes on one path to the root. All
/// leaves are equally deep, so one update costs O(kFan · d · log C) at worst, whatever came before:
/// the split tree itself would be as deep as the stream is long when data arrive in order.
class Centers {
 public:
  explicit Centers(Eigen::Index inputs) : inputs_(inputs) {}

  /// Adds the center of a local GP (the next number), or moves one. The kernel says in what units
  /// to keep close things together; a new one makes earlier choices no less right, only less good.
  void set(Eigen::Index local_gp, const Eigen::VectorXd& center, const Kernel& kernel);
  Eigen::Index size() const { return std::ssize(places_); }

  /// argmax_i k(c_i, x).  REQUIRES: size() > 0.
  Eigen::Index most_similar(const Kernel& kernel, const Eigen::Ref<const Eigen::VectorXd>& x) const;

  /// The `count` most similar ones (all, if there are fewer), most similar first.
  void most_similar(const Kernel& kernel, const Eigen::Ref<const Eigen::VectorXd>& x,
                    Eigen::Index count, std::vector<Neighbor>& neighbors) const;

  std::size_t memory_bytes() const;

 private:
  static constexpr int kFan = 16;
  // Aligned the same for all targets: code for one works on a model of another.
  struct alignas(64) Column : Eigen::Array<double, kFan, 1> {
    using Array::Array;
  };
  struct Place {
    std::int32_t node = -1;
    std::int32_t slot = 0;
  };
  struct Node {
    Place parent;  // no node: this is the root
    bool leaf = true;
    std::int32_t count = 0;
    std::array<std::int32_t, kFan> below{};  // nodes or, in a leaf, local GPs
  };
  struct Search;

  // Nodes are kept by the chunk. One vector would move everything when it grows, and one update
  // would have to wait for it; nodes by themselves would lie scattered between the local GPs, each
  // on a page of memory that the processor has to look up anew.
  static constexpr std::int32_t kChunk = 16;
  struct Chunk {
    std::vector<Node> nodes;
    std::vector<Column> boxes;  // of each node: lower and upper bounds of its entries, by input
  };

  Node& node(std::int32_t i) {
    return chunks_[static_cast<std::size_t>(i / kChunk)]
        .nodes[static_cast<std::size_t>(i % kChunk)];
  }
  const Node& node(std::int32_t i) const {
    return chunks_[static_cast<std::size_t>(i / kChunk)]
        .nodes[static_cast<std::size_t>(i % kChunk)];
  }
  const Column* box(std::int32_t i) const {
    return chunks_[static_cast<std::size_t>(i / kChunk)].boxes.data() + 2 * inputs_ * (i % kChunk);
  }
  Column* box(std::int32_t i) {
    return chunks_[static_cast<std::size_t>(i / kChunk)].boxes.data() + 2 * inputs_ * (i % kChunk);
  }
  Column& lower(std::int32_t i, Eigen::Index k) { return box(i)[2 * k]; }
  Column& upper(std::int32_t i, Eigen::Index k) { return box(i)[2 * k + 1]; }

  Column bounds(std::int32_t i, const Kernel& kernel,
                const Eigen::Ref<const Eigen::VectorXd>& x) const;
  Column misfit(std::int32_t i, const Kernel& kernel,
                const Eigen::Ref<const Eigen::VectorXd>& x) const;
  static std::uint32_t within(const Column& distance, int count, double reach);
  void search(std::int32_t i, Search& search) const;
  void insert(Eigen::Index local_gp, const Eigen::VectorXd& center, const Kernel& kernel);
  void put(Place place, Eigen::Index local_gp, const Eigen::VectorXd& center);
  std::int32_t new_node(bool leaf);
  std::int32_t split_node(std::int32_t i, const Kernel& kernel);
  void move_entry(Place from, Place to);
  void mend_boxes_above(std::int32_t i);

  Eigen::Index inputs_;
  std::int32_t root_ = -1;
  std::int32_t n_nodes_ = 0;
  std::vector<Chunk> chunks_;
  std::deque<Place> places_;  // of each local GP's center
};

}  // namespace splitgp
