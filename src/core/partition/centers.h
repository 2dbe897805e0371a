#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/spare_deque.h"
#include "core/kernel/kernel.h"
#include "core/partition/cut_boxes.h"

namespace splitgp {

/// A local GP and the distance to its center.
struct Neighbor {
  Eigen::Index local_gp = 0;
  double squared_distance = 0.0;
};

/// The centers of all local GPs, searched by similarity. Ties go to the lower number, so the answer
/// never depends on the order of the search.
///
/// It is a tree with up to kFan centers in a leaf and up to kFan nodes in a branch, and all leaves
/// at the same depth: the split tree itself would be as deep as the stream is long when data arrive
/// in order. A branch stores two things about each node below it:
///
/// - the **box** around the centers in it. The search needs nothing else, and is exact whatever the
///   boxes look like. They are kept in raw units, so they stay valid when θ changes.
/// - the **cell**, the part of the space whose centers belong there. A full leaf's cell is cut in
///   two; branches are divided along earlier cuts, so cells, and the boxes in them, rarely overlap.
///   A center that moves out of its cell moves to another leaf. Boxes alone, as in an R-tree,
///   overlap more with every insertion, and a search has to visit more of them.
///
/// A leaf that loses its last center is removed, and so is a branch that loses its last node; nodes
/// that are merely thin stay, and fill again. So the tree is no higher than its largest size called
/// for.
///
/// One update costs O(kFan · d · log C), or O(kFan · d² · log C) if a node is divided, whatever
/// came before.
class Centers {
 public:
  explicit Centers(Eigen::Index inputs)
      : inputs_(inputs), leaves_(inputs), branches_(2 * 2 * inputs) {}

  /// Adds the center of a local GP (the next number), or moves one, which allocates nothing. The
  /// kernel gives the units in which close centers are kept together; after a new one, earlier
  /// choices are still correct, only less efficient.
  void set(Eigen::Index local_gp, const Eigen::VectorXd& center, const Kernel& kernel);
  /// Removes the center of a local GP. The last one gets its number.
  void remove(Eigen::Index local_gp);
  /// With every update: if θ has come to measure the inputs in quite other units than those that
  /// the cells were cut for, a new tree grows beside this one, a few centers at a time, and then
  /// takes its place. What a search finds is the same; what it costs is not: on flights3m, searches
  /// took a third of a row's time after such a θ, and a twentieth once the tree was made for it.
  void follow(const Kernel& kernel);
  bool is_recut() const { return !recut_.empty(); }
  Eigen::Index size() const { return ssize(places_); }

  /// argmax_i k(c_i, x).  REQUIRES: size() > 0.
  Eigen::Index most_similar(const Kernel& kernel, const Eigen::Ref<const Eigen::VectorXd>& x) const;

  /// The `count` most similar ones (or all, if there are fewer), most similar first.
  void most_similar(const Kernel& kernel, const Eigen::Ref<const Eigen::VectorXd>& x,
                    Eigen::Index count, std::vector<Neighbor>& neighbors) const;

  /// Room for so many centers: set() and remove() then allocate nothing, and the tree stays: what
  /// has a bound is not so large that the search matters.
  void reserve(Eigen::Index size);

  std::size_t memory_bytes() const;

 private:
  static constexpr int kFan = 16;
  // One value per entry of a node. The alignment is the same for all targets, so that code for one
  // can work on another's model.
  struct alignas(64) Column : Eigen::Array<double, kFan, 1> {
    using Array::Array;
  };
  struct Place {
    std::int32_t node = -1;
    std::int32_t slot = 0;
  };
  struct Node {
    Place parent;  // none: this is the root
    std::int32_t count = 0;
    std::array<std::int32_t, kFan> below{};  // local GPs in a leaf, nodes in a branch
  };
  // Nodes with their columns, allocated in chunks. One vector would move everything when it grows,
  // and some update would have to wait for that; single nodes would lie scattered between the local
  // GPs, each on a page that costs the processor another lookup.
  class Nodes {
   public:
    explicit Nodes(Eigen::Index columns) : columns_(columns) {}
    std::int32_t add();
    void reserve(std::int32_t size);
    void free(std::int32_t i) { free_.push_back(i); }
    Node& operator[](std::int32_t i) { return chunk(i).nodes[i % kChunk]; }
    const Node& operator[](std::int32_t i) const { return chunk(i).nodes[i % kChunk]; }
    Column* columns(std::int32_t i) { return chunk(i).columns.data() + columns_ * (i % kChunk); }
    const Column* columns(std::int32_t i) const {
      return chunk(i).columns.data() + columns_ * (i % kChunk);
    }
    std::size_t memory_bytes() const;

   private:
    static constexpr std::int32_t kChunk = 4;
    struct Chunk {
      std::array<Node, kChunk> nodes;
      std::vector<Column> columns;
    };
    Chunk& chunk(std::int32_t i) { return chunks_[static_cast<std::size_t>(i / kChunk)]; }
    const Chunk& chunk(std::int32_t i) const {
      return chunks_[static_cast<std::size_t>(i / kChunk)];
    }

    Eigen::Index columns_;
    std::int32_t size_ = 0;
    std::deque<Chunk> chunks_;
    std::vector<std::int32_t> free_;
  };
  struct Search;
  struct Boxes;

  // Leaves are level 0, their parents level 1.
  Nodes& level(int l) { return l == 0 ? leaves_ : branches_; }
  Boxes boxes(std::int32_t branch);
  Boxes cells(std::int32_t branch);
  const Column* cell_bounds(std::int32_t branch) const {
    return branches_.columns(branch) + 2 * inputs_;
  }

  Eigen::VectorXd center(Eigen::Index local_gp) const;
  void search(int level, std::int32_t i, Search& search) const;
  bool belongs(std::int32_t leaf, const Eigen::VectorXd& center) const;
  Column distance_to_cells(std::int32_t branch, const Kernel& kernel,
                           const Eigen::VectorXd& center) const;
  int nearest_cell(std::int32_t branch, const Kernel& kernel, const Eigen::VectorXd& center) const;
  void insert(Eigen::Index local_gp, const Eigen::VectorXd& center, const Kernel& kernel);
  void move(Eigen::Index local_gp, const Eigen::VectorXd& center, const Kernel& kernel);
  void put(Place place, Eigen::Index local_gp, const Eigen::VectorXd& center);
  void replace(Eigen::Index local_gp, const Eigen::VectorXd& center);
  void add_root(int level);
  void remove_entry(int level, Place place);
  void divide(int level, std::int32_t i, const Kernel& kernel);
  void move_entry(int level, Place from, Place to);
  void mend_boxes_above(int level, std::int32_t i);

  Eigen::Index inputs_;
  int height_ = -1;  // the root's level; -1: no root
  std::int32_t root_ = -1;
  Nodes leaves_;    // columns: the centers' coordinates
  Nodes branches_;  // columns: lower and upper bounds of boxes, input by input; then of cells
  SpareDeque<Place> places_;  // of each local GP's center
  BoxCutter cutter_;

  Eigen::VectorXd cut_for_;  // the inverse length scales that cells were first cut for
  Eigen::VectorXd seen_;     // those that follow() last compared with them
  std::vector<Centers>
      recut_;  // the new tree, while it grows: the first centers, as many as it has
};

}  // namespace splitgp
