#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>

namespace splitgp {

/// Why Train is called: new rows surprise, or the stream has grown by half. `scale`: θ follows the
/// scale of the data (core/train/theta_training.h).
enum class Due { nothing, scale, surprise, stream };

/// When to train: whenever the stream has grown by half, starting at the first size that can say
/// anything about d length scales. Doubling would be cheaper, but would leave θ learned from as
/// little as half of the data, which costs accuracy where more data show more detail (powergen, m =
/// 300: RMSE 3.00 instead of 2.93).
///
/// Where a θ learned after a surprise is adopted, the stream begins anew: trainings look at the
/// rows since the change and are due when those have grown by half.
class TrainingSchedule {
 public:
  /// The whole state, for saving and loading a model.
  struct Marks {
    std::uint64_t next = 32;     // observations at the next training
    std::uint64_t searched = 0;  // and at the last search
    bool ever_trained = false;

    std::uint64_t regime = 0;     // observations before the last change; 0: there was none
    std::uint64_t surprised = 0;  // observations at the last surprise, …
    std::uint64_t patience = 0;   // … and how many more before the next may train
  };

  explicit TrainingSchedule(Eigen::Index length_scales) { marks_.next = fewest(length_scales); }
  explicit TrainingSchedule(const Marks& marks) : marks_(marks) {}
  const Marks& marks() const { return marks_; }

  bool due(std::uint64_t observations) const { return observations >= marks_.next; }

  /// Families and starts are searched again once there is twice the data of the last search.
  bool search_due(std::uint64_t observations) const {
    return marks_.searched < marks_.regime ||
           observations - marks_.regime >= 2 * (marks_.searched - marks_.regime);
  }

  void trained(std::uint64_t observations, bool searched) {
    put_off(observations);
    if (searched) marks_.searched = observations;
    marks_.ever_trained = true;
  }
  /// What was due is not due again before the stream has grown.
  void put_off(std::uint64_t observations) {
    if (!due(observations)) return;
    // A change is old news once as many rows have come since as before.
    if (marks_.regime <= observations / 2) marks_.patience = 0;
    // By at least 1: marks may come from a file that somebody has edited.
    while (due(observations))
      marks_.next += std::max<std::uint64_t>(1, (marks_.next - marks_.regime) / 2);
  }

  /// A surprise: the rows since `regime` are not like those before.
  bool surprise_due(std::uint64_t observations, std::uint64_t regime,
                    Eigen::Index length_scales) const {
    return marks_.ever_trained && observations >= regime + fewest(length_scales) * 3 / 2 &&
           observations >= marks_.surprised + marks_.patience;
  }
  /// Its training is over. The next surprises wait ever longer, most of all where that did not
  /// help.
  void surprised(std::uint64_t observations, std::uint64_t regime, bool adopted) {
    marks_.surprised = observations;
    marks_.patience =
        std::clamp((adopted ? 2 : 4) * marks_.patience, kLeastPatience, kMostPatience);
    if (!adopted) return;
    marks_.regime = regime;
    marks_.next = observations + (observations - regime) / 2;
  }
  /// Trainings look at the observations from this one on.
  std::uint64_t regime() const { return marks_.regime; }

  /// No training of the stream is due before so many more rows.
  std::uint64_t rows_before(std::uint64_t observations) const {
    return due(observations) ? 1 : marks_.next - observations;
  }
  /// The same for a surprise whose first unusual row was `unusual` rows ago.
  std::uint64_t rows_before_surprise(std::uint64_t observations, std::uint64_t unusual,
                                     Eigen::Index length_scales) const {
    const auto less = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
    return std::max(less(fewest(length_scales) * 3 / 2, unusual),
                    less(marks_.surprised + marks_.patience, observations));
  }

  bool ever_trained() const { return marks_.ever_trained; }

 private:
  static constexpr std::uint64_t kLeastPatience = 64;
  static constexpr std::uint64_t kMostPatience = 4096;

  static std::uint64_t fewest(Eigen::Index length_scales) {
    std::uint64_t observations = 32;
    while (observations < static_cast<std::uint64_t>(2 * (length_scales + 3))) observations *= 2;
    return observations;
  }

  Marks marks_;
};

}  // namespace splitgp
