// Writes a game's features one after the other.
#pragma once

namespace boardlab {

class FeatureList {
 public:
  explicit FeatureList(double *out) : at_(out) {}
  void add(double x) { *at_++ = x; }
  void share(int part, int whole) { add(static_cast<double>(part) / whole); }
  void flag(bool is) { add(is ? 1 : 0); }
  // Whether there is at least one, at least two, ..., at least `most`: a linear function may weigh every one
  // differently.
  void steps(int count, int most) {
    for (int i = 1; i <= most; ++i) flag(count >= i);
  }

 private:
  double *at_;
};

}  // namespace boardlab
