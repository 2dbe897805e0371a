#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace splitgp {

/// Some of a model's local GPs, in a process of their own; a Router (splitgp/router.h) tells it
/// what to do. How messages travel is the caller's business: over Ray, a socket, or a function
/// call.
///
/// Threads: answer() may run from many threads at once; every other method needs exclusive access.
class Shard {
 public:
  Shard();
  Shard(Shard&&) noexcept;
  Shard& operator=(Shard&&) noexcept;
  ~Shard();

  /// Forgets everything and starts with what the message holds. A message of an earlier or the same
  /// epoch does nothing.
  std::vector<std::uint8_t> begin(std::uint64_t epoch, std::uint64_t number,
                                  std::span<const std::uint8_t> message);
  /// Does what the message says, once: one that was done already, or is of another epoch, does
  /// nothing. The reply goes to Router::receive.
  std::vector<std::uint8_t> apply(std::uint64_t epoch, std::uint64_t number,
                                  std::span<const std::uint8_t> message);
  /// Answers questions of Router::ask.
  std::vector<std::uint8_t> answer(std::uint64_t epoch,
                                   std::span<const std::uint8_t> questions) const;

  std::size_t n_local() const;
  std::size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace splitgp
