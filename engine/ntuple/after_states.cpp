#include "ntuple/after_states.h"

#include <algorithm>

namespace boardlab::ntuple {

namespace {
constexpr std::uint64_t FETCH_AHEAD_BYTES = 1 << 20;
constexpr int FEW_GROUPS = 24;  // up to this many rows, adding all is as fast as finding differences
constexpr int FEW_SLOTS = 128;  // or up to this many slots, if the game does not report changes
}  // namespace

AfterStates::AfterStates(const Network &network, int outcome)
    : network_(network),
      game_(network.game()),
      outcome_(outcome),
      reports_changes_(game_.table().apply_changes && network.has_one_view() && !game_.is_hidden()),
      uses_differences_(network.has_one_view() && !game_.is_hidden() &&
                        (reports_changes_ || (network.groups() > FEW_GROUPS && network.slots() > FEW_SLOTS))),
      fetches_ahead_(network.set_size() * sizeof(float) > FETCH_AHEAD_BYTES && !game_.is_hidden()),
      sight_(network.make_sight()),
      child_sight_(network.make_sight()),
      pending_sight_(network.make_sight()),
      indices_(static_cast<std::size_t>(network.padded_slots())),
      kept_(indices_.size()),
      reported_(static_cast<std::size_t>(game_.max_changes())),
      changes_(std::max(static_cast<std::size_t>(network.groups()), reported_.size())) {
  if (game_.is_hidden()) seen_ = StateBuffer(game_);
}

const void *AfterStates::as_seen(const void *state, int player) {
  if (seen_.empty()) return state;
  game_.copy(seen_.data(), state);
  game_.conceal(seen_.data(), player);
  return seen_.data();
}

AfterStates::View AfterStates::make_view() const {
  View view;
  view.state = StateBuffer(game_);
  view.indices.resize(indices_.size());
  view.marks.resize(static_cast<std::size_t>(network_.mark_words()));
  return view;
}

void AfterStates::set_parent(const void *state, int player) {
  parent_ = state;
  player_ = player;
  have_kept_ = false;
  pending_ = nullptr;
  if (!uses_differences_) return;
  network_.look(state, player, sight_);
  network_.encode(sight_, state, player, indices_.data());
}

bool AfterStates::play(Action action, View &out, const void *forbidden) {
  void *state = out.state.data();
  game_.copy(state, parent_);
  int changes = -1;  // unknown
  if (reports_changes_) {
    const int cells = game_.table().apply_changes(game_.table().self, state, action, player_, reported_.data());
    changes = network_.compare(sight_, reported_.data(), cells, changes_.data());
  } else {
    game_.apply(state, action);
  }
  if (forbidden && game_.equal(state, forbidden)) return false;
  settle(out, changes);
  return true;
}

void AfterStates::settle(View &out, int changes) {
  const void *state = out.state.data();
  double paid[MAX_PLAYERS];
  game_.outcome(outcome_, state, paid);
  out.paid = paid[player_];
  out.is_final = game_.player(state) == TERMINAL || game_.round_over(state);
  if (out.is_final) return;
  if (!seen_.empty()) return read_final(player_, out);
  out.set = network_.set_of(state, player_);
  find_indices(out, changes);
}

// The cheapest way: few slots touched, only those; few cells changed, the indices as a difference; else all of them.
void AfterStates::find_indices(View &out, int changes) {
  const void *state = out.state.data();
  bool seen = false;
  if (changes < 0) {
    network_.look(state, player_, child_sight_);
    seen = true;
    out.is_difference = false;
    if (fetches_ahead_ && !uses_differences_) {
      network_.fetch_rows(child_sight_);
      finish_pending();
      std::swap(child_sight_, pending_sight_);
      pending_ = &out;
      return;
    }
    if (uses_differences_) changes = network_.compare(sight_, child_sight_, changes_.data());
  }
  out.is_difference = false;
  if (!seen || (uses_differences_ && 2 * changes < network_.groups())) {
    const int touched =
        network_.shift(changes_.data(), changes, state, player_, indices_.data(), out.indices.data(), out.marks.data());
    out.is_difference = !network_.is_staged() && 2 * touched < network_.slots();
  } else {
    network_.encode(child_sight_, state, player_, out.indices.data());
  }
  fetch_ahead(out);
}

void AfterStates::finish_pending() {
  if (!pending_) return;
  network_.encode(pending_sight_, pending_->state.data(), player_, pending_->indices.data());
  fetch_ahead(*pending_);
  pending_ = nullptr;
}

void AfterStates::fetch_ahead(const View &view) const {
  if (fetches_ahead_ && !view.is_difference)
    network_.kernels().prefetch_weights(network_.weights(view.set), view.indices.data(), network_.slots());
}

void AfterStates::add_up(View &view) {
  finish_pending();
  if (view.is_final) return;
  if (!view.is_difference) {
    view.sum = network_.sum(view.set, view.indices.data());
    return;
  }
  if (!have_kept_) kept_sum_ = network_.gather(view.set, indices_.data(), kept_.data());
  have_kept_ = true;
  view.sum = kept_sum_ + network_.difference(view.set, view.indices.data(), view.marks.data(), kept_.data());
}

void AfterStates::read_final(int player, View &view) {
  const void *state = as_seen(view.state.data(), player);
  view.is_difference = false;
  network_.look(state, player, child_sight_);
  network_.encode(child_sight_, state, player, view.indices.data());
  view.set = network_.set_of(state, player);
}

void AfterStates::read(const void *state, int player, View &out) {
  if (state != out.state.data()) game_.copy(out.state.data(), state);
  double paid[MAX_PLAYERS];
  game_.outcome(outcome_, state, paid);
  out.paid = paid[player];
  out.is_final = game_.player(state) == TERMINAL || game_.round_over(state);
  if (out.is_final) return;
  read_final(player, out);
  out.sum = network_.sum(out.set, out.indices.data());
}

}  // namespace boardlab::ntuple
