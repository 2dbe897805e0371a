#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>

namespace splitgp {

/// Why Train is called: a surprise begins a regime, a young regime has doubled, or the stream has
/// grown by half. `scale`: θ follows the scale of the data (core/train/theta_training.h).
enum class Due { nothing, scale, surprise, regime, stream };

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

    std::uint64_t regime = 0;       // observations before the present regime; 0: there is only one
    std::uint64_t regime_next = 0;  // observations of the regime at its next training
    std::uint64_t regime_before = 0;  // the same for the one before it
    std::uint64_t theta_before = 0;   // and the version of its θ
    std::uint64_t surprised = 0;      // observations at the last surprise, …
    std::uint64_t patience = 0;       // … and how many more before the next may train
  };

  explicit TrainingSchedule(Eigen::Index length_scales) { marks_.next = fewest(length_scales); }
  explicit TrainingSchedule(const Marks& marks) : marks_(marks) {}
  const Marks& marks() const { return marks_; }

  bool due(std::uint64_t observations) const { return observations >= marks_.next; }

  /// Families and starts are searched again once there is twice the data of the last search.
  bool search_due(std::uint64_t observations) const { return grown(observations, 2); }

  void trained(std::uint64_t observations, bool searched) {
    put_off(observations);
    if (searched) marks_.searched = observations;
    marks_.ever_trained = true;
  }
  /// What was due is not due again before the stream, or its regime, has grown.
  void put_off(std::uint64_t observations) {
    if (marks_.next <= observations) marks_.patience = 0;
    // By at least 1: marks may come from a file that somebody has edited.
    while (marks_.next <= observations) marks_.next += std::max<std::uint64_t>(1, marks_.next / 2);
    while (marks_.regime > 0 && marks_.regime + marks_.regime_next <= observations)
      marks_.regime_next = std::max<std::uint64_t>(1, 2 * marks_.regime_next);
  }

  /// A surprise: the rows since `regime` are not like those before.
  bool surprise_due(std::uint64_t observations, std::uint64_t regime,
                    Eigen::Index length_scales) const {
    return marks_.ever_trained && observations >= regime + fewest(length_scales) * 3 / 2 &&
           observations >= marks_.surprised + marks_.patience;
  }
  /// Its training is over. If it began a regime, that is trained whenever it has doubled.
  void surprised(std::uint64_t observations, std::uint64_t regime, std::uint64_t theta_version,
                 bool adopted) {
    marks_.surprised = observations;
    marks_.patience = std::clamp(2 * marks_.patience, kLeastPatience, kMostPatience);
    if (!adopted) return;
    marks_.regime_before = marks_.regime;
    marks_.theta_before = theta_version;
    marks_.regime = regime;
    marks_.regime_next = 2 * (observations - regime);
  }
  /// The regime is over, and was none.
  void returned() { marks_.regime = marks_.regime_before; }
  bool regime_due(std::uint64_t observations) const {
    return marks_.regime > 0 && observations - marks_.regime >= marks_.regime_next &&
           marks_.regime_next < marks_.regime;
  }
  std::uint64_t regime() const { return marks_.regime; }
  /// The regime has been trained only once.
  bool is_young() const {
    return marks_.surprised + (marks_.surprised - marks_.regime) >=
           marks_.regime + marks_.regime_next;
  }

  /// No training of the stream or of its regime is due before so many more rows.
  std::uint64_t rows_before(std::uint64_t observations) const {
    const auto until = [&](std::uint64_t at) { return at > observations ? at - observations : 1; };
    std::uint64_t rows = until(marks_.next);
    if (marks_.regime > 0 && marks_.regime_next < marks_.regime)
      rows = std::min(rows, until(marks_.regime + marks_.regime_next));
    return rows;
  }
  /// The same for a surprise whose first unusual row was `unusual` rows ago.
  std::uint64_t rows_before_surprise(std::uint64_t observations, std::uint64_t unusual,
                                     Eigen::Index length_scales) const {
    const auto less = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
    return std::max(less(fewest(length_scales) * 3 / 2, unusual),
                    less(marks_.surprised + marks_.patience, observations));
  }

  bool ever_trained() const { return marks_.ever_trained; }

  /// A regime's own trainings are many, so they search less often.
  bool regime_search_due(std::uint64_t observations) const { return grown(observations, 4); }

 private:
  // Whether there is `times` the data of the last search in this regime.
  bool grown(std::uint64_t observations, std::uint64_t times) const {
    return marks_.searched < marks_.regime ||
           observations - marks_.regime >= times * (marks_.searched - marks_.regime);
  }

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
