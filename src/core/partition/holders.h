#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace splitgp {

/// Which local GPs hold an observation, its owner and those that borrow it: forgetting has to find
/// them without looking at all of them. A hash table with one entry of 12 bytes for each point that
/// a local GP conditions on.
///
/// It is many small tables, each of which grows by itself: one large one would have to move
/// everything when it grows, and some update would wait for that. What is erased leaves its place
/// to what comes, so a model that forgets as much as it learns allocates nothing.
class Holders {
 public:
  /// Builds nothing until this is called: a model that never forgets has no use for it.
  void start() { tables_.resize(kTables); }
  bool started() const { return !tables_.empty(); }

  /// These four do nothing before start().  O(holders of the observation)
  void add(std::uint64_t sequence, Eigen::Index local_gp);
  void erase(std::uint64_t sequence, Eigen::Index local_gp);
  void rename(std::uint64_t sequence, Eigen::Index from, Eigen::Index to);
  /// The holders in ascending order, into `found`, whose memory is reused.
  void of(std::uint64_t sequence, std::vector<Eigen::Index>& found) const;

  /// Starts, with room for so many entries: none of the above then allocates.
  void reserve(std::size_t entries);

  bool contains(std::uint64_t sequence) const;
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kTables = 1024;
  static constexpr std::uint32_t kNone = 0xffffffffu;

  // Open addressing with linear probing; the size is a power of two.
  struct Table {
    std::vector<std::uint64_t> sequence;
    std::vector<std::uint32_t> local_gp;  // kNone: the place is free
    std::size_t used = 0;

    std::size_t mask() const { return local_gp.size() - 1; }
    std::size_t home(std::uint64_t of) const;
    void put(std::uint64_t key, std::uint32_t value);
    void grow();
    void resize(std::size_t size);
  };
  const Table& table(std::uint64_t sequence) const;
  Table& table(std::uint64_t sequence);
  /// The place of an entry.  REQUIRES: it is there.
  static std::size_t find(const Table& table, std::uint64_t sequence, std::uint32_t local_gp);

  std::vector<Table> tables_;
};

}  // namespace splitgp
