// Maps mean values onto the scale on which the selection rules compare them with their exploration terms.
//
// The range is the game's own. Where that is only a generous estimate (`Range::loose`), it is the range of the mean
// values seen in the tree, player by player.
#pragma once

#include <cmath>

#include "core/game.h"
#include "search/node_pool.h"
#include "search/tree_options.h"

namespace boardlab {

class ValueScale {
 public:
  // Q = mean * slope + shift: in [-1,1] for PUCT, in [0,1] for UCB1.
  struct Line {
    double slope, shift;
  };

  ValueScale(Range range, int players, const TreeOptions &options);

  void reset();  // forgets the values seen
  // Whether the range grows with the nodes passed to `widen`.
  bool is_loose() const { return range_.loose; }
  void widen(const Node &node);
  // Whether values can be scaled: the game's range is tight, or values of every player were seen.
  bool is_known() const;

  const Line &line(int player) const { return lines_[player]; }
  // A mean value on the scale [0,1]; 1/2 while no two values differ.
  double unit(double mean, int player) const;
  // The least value known to be possible.
  double least(int player) const { return range_.loose && std::isfinite(low_[player]) ? low_[player] : range_.min; }

 private:
  // (value - low) * scale is in [0,1]; the scale is 0 while no two values differ.
  struct Scale {
    double low, scale;
  };
  Scale scale_of(int player) const;
  Line line_of(int player) const;

  Range range_;
  int players_;
  bool is_puct_, is_raw_;  // raw: values stay as they are
  double low_[MAX_PLAYERS], high_[MAX_PLAYERS];
  Line lines_[MAX_PLAYERS];
};

}  // namespace boardlab
