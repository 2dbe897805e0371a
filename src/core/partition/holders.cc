#include "core/partition/holders.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace splitgp {

using Eigen::Index;

namespace {

// Spreads consecutive numbers over all bits.
std::uint64_t mixed(std::uint64_t sequence) {
  std::uint64_t hash = (sequence + 1) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  return hash * 0xd6e8feb86659fd93u;
}

std::uint32_t number(Index local_gp) { return static_cast<std::uint32_t>(local_gp); }

}  // namespace

const Holders::Table& Holders::table(std::uint64_t sequence) const {
  return tables_[mixed(sequence) >> 54];
}
Holders::Table& Holders::table(std::uint64_t sequence) { return tables_[mixed(sequence) >> 54]; }
static_assert(1024 == 1 << (64 - 54));

std::size_t Holders::Table::home(std::uint64_t of) const {
  return static_cast<std::size_t>(mixed(of) >> 20) & mask();
}

void Holders::Table::put(std::uint64_t key, std::uint32_t value) {
  std::size_t at = home(key);
  while (local_gp[at] != kNone) at = (at + 1) & mask();
  sequence[at] = key;
  local_gp[at] = value;
  ++used;
}

// A quarter stays free, so that a search ends soon.
void Holders::Table::grow() {
  if (!local_gp.empty() && 4 * (used + 1) <= 3 * local_gp.size()) return;
  resize(std::max<std::size_t>(16, 2 * local_gp.size()));
}

void Holders::Table::resize(std::size_t size) {
  Table larger;
  larger.sequence.resize(size);
  larger.local_gp.assign(size, kNone);
  for (std::size_t i = 0; i < local_gp.size(); ++i) {
    if (local_gp[i] != kNone) larger.put(sequence[i], local_gp[i]);
  }
  *this = std::move(larger);
}

// Entries fall into the tables by chance, those of one observation together, some eight or more of
// them. The fullest of 1,024 tables then stays below eight of these standard deviations.
void Holders::reserve(std::size_t entries) {
  start();
  const double mean = static_cast<double>(entries) / static_cast<double>(kTables);
  const double most = mean + 8.0 * std::sqrt(8.0 * mean) + 16.0;
  std::size_t size = 16;
  while (3.0 * static_cast<double>(size) < 4.0 * (most + 1.0)) size *= 2;
  for (Table& one : tables_) {
    if (one.local_gp.size() < size) one.resize(size);
  }
}

std::size_t Holders::find(const Table& table, std::uint64_t sequence, std::uint32_t local_gp) {
  std::size_t at = table.home(sequence);
  while (table.sequence[at] != sequence || table.local_gp[at] != local_gp) {
    assert(table.local_gp[at] != kNone);
    at = (at + 1) & table.mask();
  }
  return at;
}

void Holders::add(std::uint64_t sequence, Index local_gp) {
  if (!started()) return;
  Table& in = table(sequence);
  in.grow();
  in.put(sequence, number(local_gp));
}

// Closes the gap, so that a search may stop at the first free place: what comes after it and could
// stand there moves up (Knuth, volume 3, Algorithm 6.4R).
void Holders::erase(std::uint64_t sequence, Index local_gp) {
  if (!started()) return;
  Table& in = table(sequence);
  std::size_t gap = find(in, sequence, number(local_gp));
  const std::size_t mask = in.mask();
  for (std::size_t at = (gap + 1) & mask; in.local_gp[at] != kNone; at = (at + 1) & mask) {
    const std::size_t home = in.home(in.sequence[at]);
    if (((at - home) & mask) < ((at - gap) & mask)) continue;
    in.sequence[gap] = in.sequence[at];
    in.local_gp[gap] = in.local_gp[at];
    gap = at;
  }
  in.local_gp[gap] = kNone;
  --in.used;
}

void Holders::rename(std::uint64_t sequence, Index from, Index to) {
  if (!started()) return;
  Table& in = table(sequence);
  in.local_gp[find(in, sequence, number(from))] = number(to);
}

void Holders::of(std::uint64_t sequence, std::vector<Index>& found) const {
  found.clear();
  if (!started()) return;
  const Table& in = table(sequence);
  if (in.local_gp.empty()) return;
  for (std::size_t at = in.home(sequence); in.local_gp[at] != kNone; at = (at + 1) & in.mask()) {
    if (in.sequence[at] == sequence) found.push_back(Index{in.local_gp[at]});
  }
  std::sort(found.begin(), found.end());
}

bool Holders::contains(std::uint64_t sequence) const {
  if (!started()) return false;
  const Table& in = table(sequence);
  if (in.local_gp.empty()) return false;
  for (std::size_t at = in.home(sequence); in.local_gp[at] != kNone; at = (at + 1) & in.mask()) {
    if (in.sequence[at] == sequence) return true;
  }
  return false;
}

std::size_t Holders::memory_bytes() const {
  std::size_t bytes = tables_.capacity() * sizeof(Table);
  for (const Table& one : tables_) {
    bytes += one.sequence.capacity() * sizeof(std::uint64_t) +
             one.local_gp.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace splitgp
