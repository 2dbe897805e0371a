#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace splitgp {

/// When to train: whenever the stream has grown by half, starting at the first size that can say
/// anything about d length scales. Doubling would be cheaper, but would leave θ learned from as
/// little as half of the data, which costs accuracy where more data show more detail (powergen, m =
/// 300: RMSE 3.00 instead of 2.93).
class TrainingSchedule {
 public:
  /// The whole state, for saving and loading a model.
  struct Marks {
    std::uint64_t next = 32;     // observations at the next training
    std::uint64_t searched = 0;  // and at the last search
    bool ever_trained = false;
  };

  explicit TrainingSchedule(Eigen::Index inputs) {
    while (marks_.next < static_cast<std::uint64_t>(2 * (inputs + 3))) marks_.next *= 2;
  }
  explicit TrainingSchedule(const Marks& marks) : marks_(marks) {}
  const Marks& marks() const { return marks_; }

  bool due(std::uint64_t observations) const { return observations >= marks_.next; }

  /// Families and starts are searched again once there is twice the data of the last search.
  bool search_due(std::uint64_t observations) const { return observations >= 2 * marks_.searched; }

  void trained(std::uint64_t observations, bool searched) {
    while (marks_.next <= observations) marks_.next += marks_.next / 2;
    if (searched) marks_.searched = observations;
    marks_.ever_trained = true;
  }

  bool ever_trained() const { return marks_.ever_trained; }

 private:
  Marks marks_;
};

}  // namespace splitgp
