// Reads the after-states of a position: plays every action on a copy and looks its value up, as a difference to the
// position before it where few cells change. The scratch memory belongs to one thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ntuple/network.h"

namespace boardlab::ntuple {

class AfterStates {
 public:
  // One after-state. Its buffers are reused.
  struct View {
    StateBuffer state;
    std::vector<std::uint32_t> indices;
    std::uint64_t set = 0;
    bool is_final = false;  // the game or the round is over: nothing is to come, and there are no indices
    double paid = 0;        // outcome so far of the player who created it
    float sum = 0;          // of the weights, before sigma

   private:
    friend class AfterStates;
    bool is_difference = false;  // the sum is to be taken as a difference to the parent's, over the marked slots
    std::vector<std::uint64_t> marks;
  };

  AfterStates(const Network &network, int outcome);
  View make_view() const;

  // The position whose actions are to be played next, and the player to move in it.
  void set_parent(const void *state, int player);
  // Plays the action and finds the indices of the after-state; false where it leads to the state `forbidden`. Its sum
  // comes with `add_up`: when all actions are played first, the memory of one is fetched while the next is played.
  bool play(Action action, View &out, const void *forbidden = nullptr);
  // The same where `out.state` is the after-state already.
  void read_played(View &out) { settle(out, -1); }
  void add_up(View &view);
  // Finds the indices of an after-state at the end too, for learning.
  void read_final(int player, View &view);
  // A position of its own, as the player's after-state.
  void read(const void *state, int player, View &out);
  // What is still to come for the player who created the after-state: V, or 0 at the end.
  double to_come(const View &view) const { return view.is_final ? 0.0 : double(network_.squash(view.sum)); }

 private:
  // `changes` of the parent's cells, as in `changes_`; -1: not known.
  void settle(View &out, int changes);
  void find_indices(View &out, int changes);
  void finish_pending();
  void fetch_ahead(const View &view) const;

  const Network &network_;
  const Game &game_;
  int outcome_, player_ = 0;
  bool reports_changes_;  // the game says which cells an action changed
  bool uses_differences_;
  bool fetches_ahead_;  // the weights are too many for the nearest caches
  const void *parent_ = nullptr;
  bool have_kept_ = false;
  float kept_sum_ = 0;
  Network::Sight sight_, child_sight_, pending_sight_;
  View *pending_ = nullptr;  // its rows are on their way while the next action is played; then come its indices
  std::vector<std::uint32_t> indices_;
  std::vector<float> kept_;  // the parent's weights by slot
  std::vector<bl_cell_change> reported_;
  std::vector<Change> changes_;
};

}  // namespace boardlab::ntuple
