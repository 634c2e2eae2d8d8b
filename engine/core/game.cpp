#include "core/game.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "core/hash_set.h"

namespace boardlab {

namespace {

[[noreturn]] void refuse(const std::string &name, const std::string &why) {
  throw std::invalid_argument("the game table of \"" + name + "\" cannot be played: " + why);
}

void check_table(const std::string &name, const bl_game &t) {
  if (!is_readable(t))
    refuse(name, "it was made for contract version " + std::to_string(t.abi_version) + " (" +
                     std::to_string(t.struct_size) + " bytes), this engine speaks version " +
                     std::to_string(BL_GAME_ABI) + " (" + std::to_string(sizeof(bl_game)) + " bytes)");
  if (!t.initial_state || !t.player || !t.last_player || !t.legal || !t.apply || !t.scores || !t.to_fields ||
      !t.from_fields)
    refuse(name, "a function that every game must have is missing");
  if (t.state_size < 1 || t.state_size > (1 << 20)) refuse(name, "state_size must be from 1 to 1048576 bytes");
  if (t.players < 1 || t.players > MAX_PLAYERS) refuse(name, "players must be from 1 to 8");
  if (t.action_count < 1 || t.max_legal < 1) refuse(name, "action_count and max_legal must be at least 1");
  if (t.max_legal > 1 << 24) refuse(name, "max_legal must be at most 16777216");
  if (t.horizon < 1) refuse(name, "horizon must be at least 1");
  if ((t.outcome_count > 0) != (t.chance != nullptr)) refuse(name, "outcome_count and chance must go together");
  if (t.field_count < 1) refuse(name, "field_count must be at least 1");
  if (!(t.min_score < t.max_score)) refuse(name, "min_score must be below max_score");
  if (t.reward_count > 0 && !(t.reward && t.reward_name && t.reward_range))
    refuse(name, "reward_count says there are named rewards, but their functions are missing");
  if (t.board_vector && (t.cells < 1 || !t.cell_values)) refuse(name, "board_vector needs cells and cell_values");
  if (t.planes && (t.plane_count < 1 || t.plane_rows < 1 || t.plane_cols < 1))
    refuse(name, "planes need plane_count, plane_rows and plane_cols");
  if ((t.flags & BL_HIDDEN) && !(t.conceal && t.determinize))
    refuse(name, "a game with hidden parts needs conceal and determinize");
  if (t.symmetry && !t.symmetry_action) refuse(name, "symmetry needs symmetry_action");
  if (t.situation && (t.situation_size < 1 || t.situation_size > (1 << 20)))
    refuse(name, "situation needs situation_size, from 1 to 1048576 bytes");
  if (t.hand_features < 0 || t.hand_features > (t.features ? t.feature_count : 0) || (t.hand_features && !t.situation))
    refuse(name, "hand_features must be some of the features of a game with situations");
}

}  // namespace

std::uint64_t hash_bytes(const void *data, std::size_t left) {
  const auto *bytes = static_cast<const unsigned char *>(data);
  std::uint64_t h = 0x9E3779B97F4A7C15ull ^ left;
  const auto mix = [&h](std::uint64_t word) {
    const auto product = static_cast<unsigned __int128>(h ^ word) * 0xA0761D6478BD642Full;
    h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    h += 0xE7037ED1A0B428DBull;
  };
  for (; left >= 8; bytes += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    mix(word);
  }
  if (left) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, left);
    mix(word);
  }
  mix(0x8EBC6AF09C88C6E3ull);
  return h;
}

Game::Game(std::string name, const bl_game &table) : name_(std::move(name)), t_(table) {
  try {
    check_table(name_, t_);
  } catch (...) {
    // Reading `destroy` is only sound in a table of our own version.
    if (is_readable(t_) && t_.destroy) t_.destroy(t_.self);
    throw;
  }
  if (t_.planes) {
    plane_shape_ = {t_.plane_count, t_.plane_rows, t_.plane_cols};
  } else if (cells()) {
    plane_shape_ = {0, 1, cells()};
    for (int c = 0; c < cells(); ++c) plane_shape_.count = std::max(plane_shape_.count, cell_values(c));
    if (players() > 1) plane_shape_.count += players();
  }
}

Game::~Game() {
  if (t_.destroy) t_.destroy(t_.self);
}

std::vector<JointValues> Game::joint_values() const {
  std::vector<JointValues> groups;
  if (!t_.joint_values || !cells()) return groups;
  bl_joint_values sizes{};
  for (int group = 0; group < cells() && t_.joint_values(t_.self, group, &sizes); ++group) {
    if (sizes.cell_count < 1 || sizes.cell_count > cells() || sizes.row_count < 1 || sizes.row_count > 65535)
      contradicts("joint_values");
    const auto width = static_cast<std::size_t>(sizes.cell_count), count = static_cast<std::size_t>(sizes.row_count);
    std::vector<std::int32_t> cells(width);
    std::vector<std::uint8_t> values(width * count);
    bl_joint_values joint{0, 0, cells.data(), values.data()};
    t_.joint_values(t_.self, group, &joint);
    JointValues &made = groups.emplace_back(JointValues{{cells.begin(), cells.end()}, {}});
    for (std::size_t i = 0; i < count; ++i)
      made.rows.emplace_back(values.data() + i * width, values.data() + (i + 1) * width);
    sizes = {};
  }
  return groups;
}

Action Game::sample_chance(const void *s, Rng &rng) const {
  if (t_.sample_chance) return t_.sample_chance(t_.self, s, &rng.word);
  std::vector<std::int32_t> outcomes(static_cast<std::size_t>(t_.max_legal));
  std::vector<double> p(outcomes.size());
  const int n = chance(s, outcomes.data(), p.data());
  double u = rng.unit();
  for (int i = 0; i + 1 < n; ++i)
    if ((u -= p[static_cast<std::size_t>(i)]) < 0) return outcomes[static_cast<std::size_t>(i)];
  return outcomes[static_cast<std::size_t>(n - 1)];
}

void Game::planes(const void *s, int player, float *out) const {
  if (t_.planes) return t_.planes(t_.self, s, player, out);
  const auto n = static_cast<std::size_t>(cells());
  std::vector<std::uint8_t> vector(n);
  board_vector(s, player, vector.data());
  std::fill_n(out, plane_shape_.size(), 0.0f);
  for (std::size_t c = 0; c < n; ++c) out[vector[c] * n + c] = 1;
  // Cells are the same for all players: without this plane a net could not see who is to move.
  if (players() > 1) std::fill_n(out + static_cast<std::size_t>(plane_shape_.count - players() + player) * n, n, 1.0f);
}

int Game::playout(void *s, Rng &rng, int max_actions, bool cut_at_round) const {
  if (t_.playout) return t_.playout(t_.self, s, &rng.word, max_actions, cut_at_round);
  std::vector<Action> actions(static_cast<std::size_t>(t_.max_legal));
  int count = 0;
  while (count < max_actions) {
    const int p = player(s);
    if (p == TERMINAL || (cut_at_round && round_over(s))) break;
    if (p == CHANCE) {
      apply(s, sample_chance(s, rng));
      continue;
    }
    const int n = legal(s, actions.data());
    apply(s, actions[rng.below(static_cast<std::uint32_t>(n))]);
    ++count;
  }
  return count;
}

void Game::contradicts(const char *function) const {
  throw BrokenRules(name_ + ": " + function + " must be a function of " +
                    (is_hidden() ? "what the player to move sees" : "the position") +
                    "; it gave two answers for the same input");
}

bool Game::solve(const void *s, int outcome, std::int64_t node_limit, const Poll &poll, bl_solution &out) const {
  if (!t_.solve) return false;
  struct Asking {
    const Poll &poll;
    std::exception_ptr thrown;  // must not unwind through the game, which may be written in C
  } asking{poll, nullptr};
  out = {};
  out.outcome = outcome;
  out.node_limit = node_limit;
  out.action = -1;
  out.context = &asking;
  out.stop = [](void *context) -> std::int32_t {
    auto &asked = *static_cast<Asking *>(context);
    try {
      asked.poll();
    } catch (...) {
      asked.thrown = std::current_exception();
    }
    return asked.thrown != nullptr;
  };
  const bool solved = t_.solve(t_.self, s, &out) != 0;
  out.stop = nullptr;
  out.context = nullptr;
  if (asking.thrown) std::rethrow_exception(asking.thrown);
  return solved;
}

Range Game::outcome_range(int which) const {
  const bool loose = (t_.flags & BL_LOOSE_RANGE) != 0 || t_.step_reward != 0;
  if (which == SCORE) return {t_.min_score, t_.max_score, loose};
  double range[2];
  t_.reward_range(t_.self, which, range);
  return {range[0], range[1], true};
}

std::vector<std::uint8_t> Game::observe(const void *s, int player) const {
  if (t_.observe) {
    std::vector<std::uint8_t> key(static_cast<std::size_t>(t_.observation_size));
    key.resize(static_cast<std::size_t>(t_.observe(t_.self, s, player, key.data())));
    return key;
  }
  StateBuffer seen(*this);
  copy(seen.data(), s);
  conceal(seen.data(), player);
  const auto *bytes = static_cast<const std::uint8_t *>(seen.data());
  return {bytes, bytes + state_size()};
}

void Game::retrace(const void *s, void *start, std::vector<Action> &actions) const {
  actions.resize(MOST_RETRACED);
  const int n = t_.retrace(t_.self, s, start, MOST_RETRACED, actions.data());
  actions.resize(static_cast<std::size_t>(std::clamp(n, 0, MOST_RETRACED)));
  StateBuffer now(*this);
  copy(now.data(), start);
  std::vector<Action> legal(static_cast<std::size_t>(t_.max_legal));
  std::vector<double> p(legal.size());
  bool is_play = n >= 0;
  for (std::size_t i = 0; is_play && i < actions.size(); ++i) {
    const int mover = player(now.data());
    const int count = mover == TERMINAL ? 0
                      : mover == CHANCE ? chance(now.data(), legal.data(), p.data())
                                        : this->legal(now.data(), legal.data());
    is_play = std::find(legal.begin(), legal.begin() + count, actions[i]) != legal.begin() + count;
    if (is_play) apply(now.data(), actions[i]);
  }
  if (!is_play || !equal(now.data(), s))
    throw BrokenRules(name_ + ": retrace must return the start of the round and the actions and outcomes since, at " +
                      "most " + std::to_string(MOST_RETRACED) + "; those that it returned do not lead to the position");
}

std::vector<std::byte> Game::completions(const void *s, int player, int capacity, std::vector<double> &p) const {
  if (!is_hidden()) {
    const auto *bytes = static_cast<const std::byte *>(s);
    p.assign(1, 1.0);
    return {bytes, bytes + state_size()};
  }
  p.clear();
  if (!t_.completions) return {};
  std::vector<std::byte> states(state_size() * static_cast<std::size_t>(capacity));
  p.resize(static_cast<std::size_t>(capacity));
  const int n = t_.completions(t_.self, s, player, capacity, states.data(), p.data());
  p.resize(static_cast<std::size_t>(std::max(n, 0)));
  states.resize(state_size() * p.size());
  return states;
}

int Game::apply_changes(void *s, Action action, int player, bl_cell_change *changes) const {
  if (t_.apply_changes) return t_.apply_changes(t_.self, s, action, player, changes);
  std::vector<std::uint8_t> before(static_cast<std::size_t>(t_.cells)), after(before.size());
  board_vector(s, player, before.data());
  apply(s, action);
  board_vector(s, player, after.data());
  int n = 0;
  for (int c = 0; c < t_.cells; ++c) {
    const auto i = static_cast<std::size_t>(c);
    if (before[i] != after[i]) changes[n++] = {c, before[i], after[i]};
  }
  return n;
}

namespace {

int branches(const Game &game, const void *s, std::vector<Action> &actions, std::vector<double> &p) {
  const int player = game.player(s);
  if (player == TERMINAL) return 0;
  if (player == CHANCE) return game.chance(s, actions.data(), p.data());
  return game.legal(s, actions.data());
}

}  // namespace

std::uint64_t perft(const Game &game, const void *state, int depth, const Poll &poll) {
  if (depth == 0) return 1;
  // One frame per level, all allocated before the walk.
  struct Frame {
    StateBuffer state;
    std::vector<Action> actions;
    int next = 0, count = 0;
  };
  std::vector<Frame> frames(static_cast<std::size_t>(depth));
  std::vector<double> p(static_cast<std::size_t>(game.max_legal()));
  for (auto &frame : frames) {
    frame.state = StateBuffer(game);
    frame.actions.resize(static_cast<std::size_t>(game.max_legal()));
  }
  std::uint64_t total = 0, steps = 0;
  std::size_t level = 0;
  const std::size_t last = frames.size() - 1;
  game.copy(frames[0].state.data(), state);
  frames[0].count = branches(game, state, frames[0].actions, p);
  while (true) {
    // Counted on every level: if games end before `depth`, the last one is never reached.
    if (++steps % 65536 == 0) poll();
    Frame &frame = frames[level];
    if (level == last) {
      total += static_cast<std::uint64_t>(frame.count);
      frame.next = frame.count;
    }
    if (frame.next == frame.count) {
      if (level == 0) return total;
      --level;
      continue;
    }
    Frame &child = frames[level + 1];
    game.copy(child.state.data(), frame.state.data());
    game.apply(child.state.data(), frame.actions[static_cast<std::size_t>(frame.next++)]);
    child.next = 0;
    child.count = branches(game, child.state.data(), child.actions, p);
    ++level;
  }
}

std::vector<std::uint64_t> count_states(const Game &game, const std::vector<const void *> &starts, int depth,
                                        const Poll &poll) {
  const std::size_t size = game.state_size();
  std::vector<Action> actions(static_cast<std::size_t>(game.max_legal()));
  std::vector<double> p(actions.size());
  StateBuffer current(game), child(game);
  std::vector<std::byte> frontier, next;
  HashSet seen;
  const auto add = [&](const void *state, std::vector<std::byte> &list) {
    const auto *bytes = static_cast<const std::byte *>(state);
    if (seen.insert(game.hash(state))) list.insert(list.end(), bytes, bytes + size);
  };
  for (const void *start : starts) add(start, frontier);
  std::vector<std::uint64_t> counts{frontier.size() / size};
  for (int d = 0; d < depth && !frontier.empty(); ++d) {
    next.clear();
    for (std::size_t at = 0; at < frontier.size(); at += size) {
      if (at / size % 4096 == 0) poll();
      std::memcpy(current.data(), frontier.data() + at, size);
      const int n = branches(game, current.data(), actions, p);
      for (int i = 0; i < n; ++i) {
        game.copy(child.data(), current.data());
        game.apply(child.data(), actions[static_cast<std::size_t>(i)]);
        add(child.data(), next);
      }
    }
    if (!next.empty()) counts.push_back(next.size() / size);
    frontier.swap(next);
  }
  return counts;
}

}  // namespace boardlab
