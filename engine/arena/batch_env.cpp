#include "arena/batch_env.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace boardlab {

namespace {

constexpr int MOST_EMPTY_GAMES = 1000;
constexpr Action NO_ACTION = -1;

// The position of the k-th flag that is set, of those after each other in `flags`. Eight at a time: a step over many
// actions would otherwise cost less than the choice of its action.
std::size_t select_flag(std::span<const std::uint8_t> flags, std::uint32_t k) {
  std::size_t i = 0;
  for (; i + 8 <= flags.size(); i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, flags.data() + i, 8);
    const auto count = static_cast<std::uint32_t>(std::popcount(eight));
    if (k < count) break;
    k -= count;
  }
  for (; i < flags.size(); ++i)
    if (flags[i] && k-- == 0) break;
  return i;
}

}  // namespace

BatchEnv::BatchEnv(GamePtr game, const BatchOptions &options)
    : game_(std::move(game)),
      options_(options),
      encoding_(game_, options.inputs),
      words_((game_->state_size() + sizeof(Word) - 1) / sizeof(Word)),
      actions_(static_cast<std::size_t>(game_->action_count())),
      players_(static_cast<std::size_t>(game_->players())),
      choosers_(options.games),
      chosen_(options.games),
      workers_(options.threads) {
  for (Rows *rows : {&now_, &next_}) resize(*rows, options.games, words_, actions_, players_);
}

void BatchEnv::resize(Rows &rows, std::size_t games, std::size_t words, std::size_t actions, std::size_t players) {
  for (States *states : {&rows.states, &rows.finals}) states->resize(games * words);
  rows.nature.resize(games);
  for (auto *numbers : {&rows.players, &rows.last_players, &rows.actions_played, &rows.legal_counts})
    numbers->resize(games);
  for (auto *numbers : {&rows.paid, &rows.rewards}) numbers->resize(games * players);
  rows.legal.resize(games * actions);
  for (auto *flags : {&rows.done, &rows.truncated}) flags->resize(games);
}

// ---- the games ----

void BatchEnv::reset(std::optional<std::uint64_t> seed) {
  const auto stream = [&](std::size_t row, std::uint64_t which) {
    return Rng(derive_seed(derive_seed(*seed, row), which));
  };
  change([&](std::size_t row) {
    next_.nature[row] = seed ? stream(row, 0) : now_.nature[row];
    std::fill_n(next_.rewards.data() + row * players_, players_, 0.0);
    next_.done[row] = next_.truncated[row] = false;
    start(row);
  });
  for (std::size_t row = 0; seed && row < size(); ++row) choosers_[row] = stream(row, 1);
}

void BatchEnv::step(const std::int64_t *actions, const bool *where) {
  // A copy, because another thread may write into the caller's arrays after they were checked.
  for (std::size_t i = 0; i < size(); ++i) {
    const std::int64_t action = where && !where[i] ? NO_ACTION : actions[i];
    chosen_[i] = static_cast<Action>(action);
    if (where && !where[i]) continue;
    if (action < 0 || action >= static_cast<std::int64_t>(actions_) ||
        !now_.legal[i * actions_ + static_cast<std::size_t>(action)])
      refuse(i, action);
  }
  change([this](std::size_t row) { chosen_[row] == NO_ACTION ? wait(row) : play(row, chosen_[row]); });
}

void BatchEnv::refuse(std::size_t row, std::int64_t action) const {
  std::string list;
  int count = 0;
  for (std::size_t a = 0; a < actions_ && count <= 20; ++a)
    if (now_.legal[row * actions_ + a] && ++count <= 20) list += (count > 1 ? ", " : "") + std::to_string(a);
  throw std::invalid_argument("row " + std::to_string(row) + ": action " + std::to_string(action) +
                              " is not legal; legal are " + list + (count > 20 ? ", ..." : ""));
}

template <class Write>
void BatchEnv::change(const Write &write) {
  try {
    workers_.run(size(), [&](std::size_t begin, std::size_t end) {
      std::vector<Action> legal(static_cast<std::size_t>(game_->max_legal()));
      for (std::size_t row = begin; row < end; ++row) {
        write(row);
        const int n = next_.legal_counts[row] = game_->legal(at(next_.states, row), legal.data());
        std::uint8_t *flags = next_.legal.data() + row * actions_;
        std::fill_n(flags, actions_, std::uint8_t{0});
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) flags[legal[k]] = 1;
        encode(next_, row);
      }
    });
  } catch (...) {  // rules in Python; the inputs may show some positions of the step
    for (std::size_t row = 0; has_started_ && row < size(); ++row) encode(now_, row);
    throw;
  }
  std::swap(now_, next_);
  has_started_ = true;
  publish();
}

void BatchEnv::start(std::size_t row) {
  void *state = at(next_.states, row);
  Rng &nature = next_.nature[row];
  for (int games = 0; games < MOST_EMPTY_GAMES; ++games) {  // a scramble may leave nothing to solve
    options_.training_starts ? game_->training_start(state, nature) : game_->initial_state(state, nature);
    const int player = settle(state, nature);
    if (player == TERMINAL) continue;
    next_.players[row] = player;
    next_.actions_played[row] = 0;
    game_->outcome(options_.outcome, state, next_.paid.data() + row * players_);
    return;
  }
  throw std::invalid_argument(game_->name() + " ends before a player can act, " + std::to_string(MOST_EMPTY_GAMES) +
                              " times in a row");
}

void BatchEnv::play(std::size_t row, Action action) {
  void *state = at(next_.states, row);
  Rng &nature = next_.nature[row];
  const int mover = now_.players[row];
  std::memcpy(state, at(now_.states, row), words_ * sizeof(Word));
  nature = now_.nature[row];
  game_->apply(state, action);
  const int player = settle(state, nature);

  const double *before = now_.paid.data() + row * players_;
  double *paid = next_.paid.data() + row * players_, *rewards = next_.rewards.data() + row * players_;
  game_->outcome(options_.outcome, state, paid);
  for (std::size_t p = 0; p < players_; ++p) rewards[p] = paid[p] - before[p];
  rewards[mover] += game_->step_reward();

  const std::int32_t played = now_.actions_played[row] + 1;
  const bool is_cut = player != TERMINAL && played >= options_.max_actions;
  next_.done[row] = is_cut || player == TERMINAL;
  next_.truncated[row] = is_cut;
  if (!next_.done[row]) {
    next_.players[row] = player;
    next_.actions_played[row] = played;
    return;
  }
  std::memcpy(at(next_.finals, row), state, words_ * sizeof(Word));
  next_.last_players[row] = is_cut ? player : mover;
  start(row);
}

void BatchEnv::wait(std::size_t row) {
  std::memcpy(at(next_.states, row), at(now_.states, row), words_ * sizeof(Word));
  next_.nature[row] = now_.nature[row];
  next_.players[row] = now_.players[row];
  next_.actions_played[row] = now_.actions_played[row];
  std::copy_n(now_.paid.data() + row * players_, players_, next_.paid.data() + row * players_);
  std::fill_n(next_.rewards.data() + row * players_, players_, 0.0);
  next_.done[row] = next_.truncated[row] = false;
}

int BatchEnv::settle(void *state, Rng &nature) const {
  int player;
  while ((player = game_->player(state)) == CHANCE) game_->apply(state, game_->sample_chance(state, nature));
  return player;
}

void BatchEnv::random_actions(std::int64_t *actions) {
  for (std::size_t row = 0; row < size(); ++row) {
    const std::span flags(now_.legal.data() + row * actions_, actions_);
    const auto count = static_cast<std::uint32_t>(now_.legal_counts[row]);
    actions[row] = static_cast<std::int64_t>(select_flag(flags, choosers_[row].below(count)));
  }
}

// ---- what the caller sees ----

void BatchEnv::encode(const void *state, int player, std::byte *inputs) const {
  if (!game_->is_hidden()) return encoding_.write_inputs(state, player, inputs);
  StateBuffer seen(*game_);
  game_->copy(seen.data(), state);
  game_->conceal(seen.data(), player);
  encoding_.write_inputs(seen.data(), player, inputs);
}

void BatchEnv::encode(const Rows &rows, std::size_t row) const {
  encode(at(rows.states, row), rows.players[row], arrays_.inputs + row * encoding_.row_bytes());
}

void BatchEnv::publish() const {
  const auto show = [](const auto &from, auto *to) { std::memcpy(to, from.data(), from.size() * sizeof from[0]); };
  show(now_.legal, arrays_.mask);
  show(now_.rewards, arrays_.rewards);
  show(now_.done, arrays_.done);
  show(now_.truncated, arrays_.truncated);
  show(now_.players, arrays_.players);
}

void BatchEnv::observe(int player, std::byte *inputs) {
  workers_.run(size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) encode(state(row), player, inputs + row * encoding_.row_bytes());
  });
}

std::size_t BatchEnv::finished() const {
  return static_cast<std::size_t>(std::count(now_.done.begin(), now_.done.end(), 1));
}

void BatchEnv::observe_finished(int player, std::byte *inputs) {
  for (std::size_t row = 0; row < size(); ++row) {
    if (!now_.done[row]) continue;
    encode(at(now_.finals, row), player < 0 ? now_.last_players[row] : player, inputs);
    inputs += encoding_.row_bytes();
  }
}

}  // namespace boardlab
