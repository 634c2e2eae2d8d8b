// An n-tuple network (Lucas 2008): a position's value is a sum of table entries, one for every tuple of cells on every
// symmetric board,
//     V(s|p) = sigma( sum over tuples t, boards b:  table[p][stage][t][ index_t(b) ] ),
// where p is the player who created the after-state s, and an index is the mixed-radix number of the cells' values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/game.h"
#include "core/memory.h"
#include "ntuple/kernels.h"
#include "ntuple/maths.h"

namespace boardlab::ntuple {

// Cells whose values depend on one another, and all joint values that can occur: the cells of a ConnectFour column have
// 127 of them, not 4^6. Tables then have no entries for impossible values, which makes them small enough for the cache
// and long tuples affordable, without any loss.
struct Group {
  std::vector<int> cells;
  std::vector<std::vector<int>> states;  // each a value for every cell
};

// Everything needed to build a network again, except its weights.
struct Design {
  std::vector<std::vector<int>> tuples;   // cells of the board vector
  std::vector<std::uint64_t> symmetries;  // symmetric boards to read; the first is 0, the identity
  std::vector<Group> groups;              // cells in none of them are single
  bool per_player = true;                 // a set of tables for every player, or one for all
  bool staged = false;                    // a set of tables for every stage of the game
  bool feature_tables = false;            // with the game's extra tables
  bool squash = true;                     // sigma is tanh, or the identity
  bool per_action = false;                // a set of tables for every action as well: Q(s, a) instead of V(s)
};

class Network {
 public:
  // Throws std::invalid_argument if the design does not fit the game or the tables would take more than `memory_limit`
  // bytes. `coherent` tables keep N and A with every weight, for learning with TCL.
  Network(GamePtr game, Design design, bool coherent, std::uint64_t memory_limit);
  // Bytes that the tables would take, without allocating them; may exceed any memory. Throws like the constructor if
  // the design does not fit the game.
  static double bytes_of(const Game &game, const Design &design, bool coherent);
  Network(const Network &) = delete;
  Network &operator=(const Network &) = delete;

  // The same values with fewer slots, for reading only: a tuple that some symmetries map onto itself, such as a row or
  // a diagonal, is read once for all of them, from a table of sums. Null if that would save little.
  std::shared_ptr<Network> folded() const;

  const Game &game() const { return *game_; }
  const GamePtr &game_ptr() const { return game_; }
  const Design &design() const { return design_; }
  bool is_coherent() const { return coherent_; }
  int slots() const { return slots_; }
  Shape shape() const {
    return {static_cast<std::int32_t>(design_.tuples.size()), static_cast<std::int32_t>(design_.symmetries.size()),
            slots_};
  }
  int padded_slots() const { return padded_; }  // size of an array of indices
  int groups() const { return groups_; }        // of all views together
  std::uint64_t set_size() const { return set_size_; }
  // Start of the table of every tuple, then of every extra feature, within a set.
  std::vector<std::uint32_t> table_starts() const;
  std::uint64_t entries() const { return set_size_ * sets_; }
  static constexpr std::uint64_t bytes_an_entry(bool coherent) {
    return sizeof(float) + (coherent ? sizeof(Counter) : 0);
  }
  std::uint64_t bytes() const { return entries() * bytes_an_entry(coherent_); }

  float *weights(std::uint64_t set) const { return static_cast<float *>(weights_->data()) + set * set_size_; }
  Counter *counters(std::uint64_t set) const { return static_cast<Counter *>(counters_->data()) + set * set_size_; }
  // The set of tables for an after-state of the player.
  std::uint64_t set_of(const void *state, int player) const {
    const auto p = static_cast<std::uint64_t>(design_.per_player ? player : 0);
    return design_.staged ? p * stages_ + static_cast<std::uint64_t>(game_->stage(state)) : p;
  }
  bool is_staged() const { return design_.staged; }
  // With tables per action: start of its sets.
  std::uint64_t first_set(Action action) const {
    return static_cast<std::uint64_t>(action) * (sets_ / static_cast<std::uint64_t>(game_->action_count()));
  }

  // A position as the network sees it: the codes of the groups of cells in all views, and their values.
  struct Sight {
    std::vector<std::uint8_t> cells;
    std::vector<std::uint32_t> codes;  // mixed radix over the cells of the group
    std::vector<std::uint16_t> values;
    StateBuffer scratch;
  };
  Sight make_sight() const;
  void look(const void *state, int player, Sight &sight) const;
  // Prefetches the memory that `encode` will read.
  void fetch_rows(const Sight &sight) const;
  // indices[padded_slots] of what was seen; the state is used only for extra features.
  void encode(const Sight &sight, const void *state, int player, std::uint32_t *indices) const;

  // With a single view, a position may be read as a difference to another one.
  bool has_one_view() const { return views_.size() == 1; }
  // The groups that changed between two sights, or through the changed cells that a game reports.
  int compare(const Sight &before, const Sight &after, Change *changes) const;
  int compare(const Sight &before, const bl_cell_change *cells, int count, Change *changes) const;
  // Computes indices as a difference; marks the slots whose index changed and returns their number.
  int shift(const Change *changes, int count, const void *state, int player, const std::uint32_t *from,
            std::uint32_t *to, std::uint64_t *marks) const;
  int mark_words() const { return mark_words_; }

  float sum(std::uint64_t set, const std::uint32_t *indices) const {
    return kernels_->sum(weights(set), indices, slots_);
  }
  float gather(std::uint64_t set, const std::uint32_t *indices, float *kept) const {
    return kernels_->gather(weights(set), indices, slots_, kept);
  }
  float difference(std::uint64_t set, const std::uint32_t *indices, const std::uint64_t *marks,
                   const float *kept) const {
    return kernels_->difference(weights(set), indices, marks, mark_words_, kept);
  }
  float squash(float sum) const { return design_.squash ? fast_tanh(sum) : sum; }

  const Kernels &kernels() const { return *kernels_; }
  void use_kernels(const Kernels &chosen) { kernels_ = &chosen; }

 private:
  // A fold: for every tuple one slot per set of cells that its boards read, and where the digits of that slot's index
  // go in the other slots that read the same cells.
  struct Fold {
    struct Tuple {
      std::vector<std::size_t> slots;
      std::vector<std::uint32_t> radices;                // of the digits
      std::vector<std::vector<std::uint32_t>> readings;  // the digits' other multipliers
    };
    std::vector<Tuple> tuples;
    std::size_t slots = 0;
  };
  bool find_fold(Fold &fold) const;
  std::uint32_t row_entry(std::size_t group, std::size_t value, std::size_t slot) const {
    const std::size_t at = value * static_cast<std::size_t>(views_[0].width) + slot;
    return has_short_rows_ ? views_[0].short_rows[group][at] : views_[0].rows[group][at];
  }
  void place_rows(const std::vector<std::uint32_t> &rows, const std::vector<std::size_t> &row_at, std::size_t width,
                  std::size_t view_count, std::size_t view_slots);
  Network(const Network &whole, const Fold &fold);
  void build_groups();
  void build_views();
  std::uint16_t value_of(std::size_t group, std::uint32_t code) const {
    return lookup_[group].empty() ? static_cast<std::uint16_t>(code) : lookup_[group][code];
  }
  void add_feature_indices(const void *state, int player, std::uint32_t *indices) const;

  GamePtr game_;
  Design design_;
  bool coherent_;
  const Kernels *kernels_;
  int slots_ = 0, tuple_slots_ = 0, padded_ = 0, groups_ = 0, mark_words_ = 0;
  std::uint64_t stages_ = 1, sets_ = 1, set_size_ = 0;

  std::vector<Group> board_groups_;                // every cell is in one of them
  std::vector<int> group_of_cell_;                 // of the board
  std::vector<std::uint32_t> multiplier_of_cell_;  // within its group's code
  struct Member {
    std::uint32_t cell, multiplier;
  };
  std::vector<Member> members_;                     // the cells that determine the groups' codes, group by group
  std::vector<std::size_t> members_of_group_;       // where they begin; one more for the end
  std::vector<std::vector<std::uint16_t>> lookup_;  // [group]: code to value; empty if they are equal

  std::vector<View> views_;
  std::vector<std::uint64_t> view_symmetry_;  // to apply to the state before a view reads it
  std::vector<std::uint32_t> start_;          // [padded_]: where each slot's table begins
  bool has_short_rows_ = false;
  std::unique_ptr<Memory> rows_;
  std::vector<const std::uint32_t *> row_of_group_;
  std::vector<const std::uint16_t *> short_row_of_group_;
  std::vector<std::uint8_t> zero_is_idle_;
  std::unique_ptr<Memory> weights_, counters_;
};

using NetworkPtr = std::shared_ptr<Network>;

}  // namespace boardlab::ntuple
