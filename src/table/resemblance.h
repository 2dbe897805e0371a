#pragma once

#include <array>
#include <cstdint>

namespace splitgp::table {

/// How much the next value of a column resembles the one before it, learned from row to row, and
/// with it the best guess at a value that is missing: as near to the last value as the column
/// stays with its values, and else its typical value. Single absurd readings hardly count.
class Resemblance {
 public:
  /// `before` is the last value of the same series, `rows` rows ago; 0: there is none.
  void see(double value, double before, std::uint64_t rows);
  /// The guess at a value `rows` rows after `last`; with 0 rows there is no last value.
  double guess(double last, std::uint64_t rows) const;
  /// Of two rows in succession: 0 for values in random order, 1 for a walk.
  double correlation() const;
  bool empty() const { return count_ == 0; }

  /// For the model file; of(numbers()) is the same to the bit.
  using Numbers = std::array<double, 5>;
  Numbers numbers() const;
  static Resemblance of(const Numbers& numbers);

 private:
  double place(double value) const;

  std::uint64_t count_ = 0;
  double center_ = 0.0;     // the running mean of values that are not absurd
  double deviation_ = 0.0;  // the running mean of |value − center|
  // Sums over rows in succession, in deviations, of which older ones fade.
  double products_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace splitgp::table
