// Reads the after-states of a position: plays every action on a copy and looks up its value, as a difference to the
// previous position if few cells change. The scratch memory belongs to one thread.
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
    bool is_final = false;  // the game or the round is over: no future reward, no indices
    double paid = 0;        // outcome so far of the player who created it
    float sum = 0;          // of the weights, before sigma

   private:
    friend class AfterStates;
    bool is_difference = false;  // compute the sum as a difference to the parent's, over the marked slots
    std::vector<std::uint64_t> marks;
  };

  AfterStates(const Network &network, int outcome);
  View make_view() const;

  // Sets the position whose actions are played next, and its player to move.
  void set_parent(const void *state, int player);
  // Plays the action and finds the indices of the after-state; returns false if it leads to the state `forbidden`.
  // `add_up` computes the sum: if all actions are played first, memory for one is fetched while the next is played.
  bool play(Action action, View &out, const void *forbidden = nullptr);
  // The same if `out.state` already is the after-state.
  void read_played(View &out) { settle(out, -1); }
  void add_up(View &view);
  // Finds the indices also of a final after-state, for learning.
  void read_final(int player, View &view);
  // Reads a given position as the player's after-state.
  void read(const void *state, int player, View &out);
  // Expected future reward of the player who created the after-state: V, or 0 at the end.
  double to_come(const View &view) const { return view.is_final ? 0.0 : double(network_.squash(view.sum)); }

 private:
  // The state without what is hidden from the player: nothing else is learned from.
  const void *as_seen(const void *state, int player);
  // `changes` of the parent's cells, as in `changes_`; -1: unknown.
  void settle(View &out, int changes);
  void find_indices(View &out, int changes);
  void finish_pending();
  void fetch_ahead(const View &view) const;

  const Network &network_;
  const Game &game_;
  int outcome_, player_ = 0;
  bool reports_changes_;  // the game reports which cells an action changed
  bool uses_differences_;
  bool fetches_ahead_;  // the weights do not fit into the nearest caches
  StateBuffer seen_;    // in games with hidden cards
  const void *parent_ = nullptr;
  bool have_kept_ = false;
  float kept_sum_ = 0;
  Network::Sight sight_, child_sight_, pending_sight_;
  View *pending_ = nullptr;  // its rows are fetched while the next action is played; then its indices are found
  std::vector<std::uint32_t> indices_;
  std::vector<float> kept_;  // the parent's weights by slot
  std::vector<bl_cell_change> reported_;
  std::vector<Change> changes_;
};

}  // namespace boardlab::ntuple
