// Many games of one kind side by side, for learners that bring their own algorithm: one action a game and step,
// nature's moves drawn inside, finished games replaced by new ones at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/workers.h"
#include "evaluators/encoding.h"

namespace boardlab {

struct BatchOptions {
  std::size_t games = 1;
  Inputs inputs = Inputs::PLANES;
  int outcome = SCORE;
  int max_actions = 0;           // of the players, after which a game is cut
  bool training_starts = false;  // new games start from training_start
  int threads = 1;
};

class BatchEnv {
 public:
  // What the caller sees, in memory of the caller: one row a game.
  struct Arrays {
    std::byte *inputs;      // [games][row_bytes], as the player to move sees the position
    bool *mask;             // [games][actions]
    double *rewards;        // [games][players] what the last step paid, from the outcome's change and step_reward
    bool *done;             // [games] the last step ended the game, and the row shows a new one
    bool *truncated;        // [games] ... because it was cut
    std::int32_t *players;  // [games] who is to move
  };

  // Throws std::invalid_argument where the game does not offer the inputs. Writes nothing until `reset`.
  BatchEnv(GamePtr game, const BatchOptions &options);

  const Game &game() const { return *game_; }
  const GamePtr &game_ptr() const { return game_; }
  const Encoding &encoding() const { return encoding_; }
  std::size_t size() const { return options_.games; }
  void show_in(const Arrays &arrays) { arrays_ = arrays; }
  const void *state(std::size_t row) const { return at(now_.states, row); }

  // Starts all games anew, with the random streams of a seed or the present ones. Row i of a seed plays the same games
  // for any number of rows and threads.
  void reset(std::optional<std::uint64_t> seed);
  // Plays one action in every game or, unless `where` is null, in those with a flag. Throws std::invalid_argument,
  // which names the row, for an illegal one. If it throws, or rules in Python do, nothing has changed.
  void step(const std::int64_t *actions, const bool *where);
  // A uniformly random legal action of each game, from random streams of their own.
  void random_actions(std::int64_t *actions);

  // Every position as `player` sees it.
  void observe(int player, std::byte *inputs);
  std::size_t finished() const;
  // The last positions of the games that the last step ended, as `player` sees them. With -1, as the player to move
  // does or, where the game was over, the player who acted last.
  void observe_finished(int player, std::byte *inputs);

 private:
  struct alignas(16) Word {
    std::uint64_t bits[2] = {0, 0};
  };
  using States = std::vector<Word>;
  // All that a step changes. The next one is written beside it and takes its place at the end.
  struct Rows {
    States states, finals;
    std::vector<Rng> nature;
    std::vector<std::int32_t> players, last_players, actions_played, legal_counts;
    std::vector<double> paid, rewards;
    std::vector<std::uint8_t> legal, done, truncated;
  };
  static void resize(Rows &rows, std::size_t games, std::size_t words, std::size_t actions, std::size_t players);

  void *at(States &states, std::size_t row) const { return states.data() + row * words_; }
  const void *at(const States &states, std::size_t row) const { return states.data() + row * words_; }

  [[noreturn]] void refuse(std::size_t row, std::int64_t action) const;
  // Writes all rows of next_ and of the inputs with write(row), then makes them the present.
  template <class Write>
  void change(const Write &write);
  void start(std::size_t row);
  void play(std::size_t row, Action action);
  void wait(std::size_t row);
  // Nature's moves; returns whose turn it then is.
  int settle(void *state, Rng &nature) const;
  // The position as `player` sees it. What is hidden is erased first, in case the game's own inputs show too much.
  void encode(const void *state, int player, std::byte *inputs) const;
  void encode(const Rows &rows, std::size_t row) const;
  void publish() const;

  GamePtr game_;
  BatchOptions options_;
  Encoding encoding_;
  std::size_t words_, actions_, players_;
  Rows now_, next_;
  std::vector<Rng> choosers_;   // of random_actions
  std::vector<Action> chosen_;  // by the present step; NO_ACTION: the game waits
  bool has_started_ = false;
  Arrays arrays_{};
  Workers workers_;
};

}  // namespace boardlab
