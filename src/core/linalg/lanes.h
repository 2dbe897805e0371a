#pragma once

namespace splitgp {

/// Four doubles side by side, in as many registers as the target needs: one with AVX, two without.
/// (GCC also accepts a 32-byte vector without AVX, but sends every operation on it through memory.)
/// The alignment is the same for all targets, so that code for one can work on another's model.
struct alignas(32) Lanes {
#ifdef __AVX__
  static constexpr int kWidth = 4;
#else
  static constexpr int kWidth = 2;
#endif
  static constexpr int kCount = 4;
  static constexpr int kParts = kCount / kWidth;
  using Register = double __attribute__((vector_size(kWidth * sizeof(double))));

  Register part[kParts];

  /// a·x + b·y
  friend Lanes combine(double a, const Lanes& x, double b, const Lanes& y) {
    Lanes result;
    for (int i = 0; i < kParts; ++i) result.part[i] = a * x.part[i] + b * y.part[i];
    return result;
  }

  /// this += a·x
  void add(double a, const Lanes& x) {
    for (int i = 0; i < kParts; ++i) part[i] += a * x.part[i];
  }

  /// this −= a·x
  void subtract(double a, const Lanes& x) {
    for (int i = 0; i < kParts; ++i) part[i] -= a * x.part[i];
  }

  /// this += a·x, lane by lane.
  void add(const Lanes& a, const Lanes& x) {
    for (int i = 0; i < kParts; ++i) part[i] += a.part[i] * x.part[i];
  }

  /// this −= a·x, lane by lane.
  void subtract(const Lanes& a, const Lanes& x) {
    for (int i = 0; i < kParts; ++i) part[i] -= a.part[i] * x.part[i];
  }

  /// The sum across the lanes.
  double sum() const { return (get(0) + get(1)) + (get(2) + get(3)); }

  Lanes operator*(double a) const {
    Lanes result;
    for (int i = 0; i < kParts; ++i) result.part[i] = a * part[i];
    return result;
  }

  Lanes operator-(const Lanes& other) const {
    Lanes result;
    for (int i = 0; i < kParts; ++i) result.part[i] = part[i] - other.part[i];
    return result;
  }

  Lanes operator+(const Lanes& other) const {
    Lanes result;
    for (int i = 0; i < kParts; ++i) result.part[i] = part[i] + other.part[i];
    return result;
  }

  double dot(const Lanes& other) const {
    double products[kCount];
    for (int i = 0; i < kParts; ++i) {
      for (int j = 0; j < kWidth; ++j) products[i * kWidth + j] = part[i][j] * other.part[i][j];
    }
    return (products[0] + products[1]) + (products[2] + products[3]);
  }

  /// Access to one lane, for the few places that need it; slow in a loop.
  double get(long lane) const { return part[lane / kWidth][lane % kWidth]; }
  void set(long lane, double value) { part[lane / kWidth][lane % kWidth] = value; }
};

}  // namespace splitgp
