#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <utility>

namespace splitgp {

/// Watches whether θ still describes the stream. Every update gives it the owner's innovation z of
/// each output, which has variance 1 if θ is right.
///
/// It follows the mean of min(z², 9): squares, cut off so that one wild row counts no more than
/// three deviations do. *Loud*: over some 24 rows the mean is far above 1, and far above what was
/// usual since the last training, as on a stream whose noise merely has heavy tails. *Quiet*: it is
/// far below both, as when a machine stops; that takes some hundred rows, and all outputs.
class Surprise {
 public:
  /// The whole state, for saving and loading a model.
  struct State {
    Eigen::VectorXd recent;     // the mean over some 24 rows, of each output
    Eigen::VectorXd usual;      // and over some 512
    std::uint64_t unusual = 0;  // rows since all outputs were last as usual
  };

  explicit Surprise(Eigen::Index outputs)
      : state_{Eigen::VectorXd::Ones(outputs), Eigen::VectorXd::Ones(outputs), 0} {}
  explicit Surprise(State state) : state_(std::move(state)) {}
  const State& state() const { return state_; }

  /// One for each output; a row of a matrix, which is not copied.
  using Innovation = Eigen::Ref<const Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;
  void observe(const Innovation& innovation);

  bool loud() const;
  bool quiet() const;

  /// It will be neither loud nor quiet before so many more rows, however wild or silent they are.
  std::uint64_t rows_before() const;

  /// How many of the latest rows belong to what is new, if anything is.
  std::uint64_t rows() const;

  /// A new θ was adopted: there is nothing to compare with yet.
  void forget();
  /// Training found no better θ: what happens now is the usual.
  void get_used() { state_.usual = state_.recent; }

 private:
  State state_;
};

}  // namespace splitgp
