#include "ntuple/network.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "core/bits.h"

namespace boardlab::ntuple {

namespace {

constexpr int MOST_SLOTS = 1 << 20;
constexpr int MOST_CODES = 1 << 22;

[[noreturn]] void refuse(const std::string &why) { throw std::invalid_argument(why); }

std::string human(double bytes) {
  const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 6; ++unit) bytes /= 1024;
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s", bytes, units[unit]);
  return text;
}

void check(const Game &game, const Design &design) {
  if (!game.cells()) refuse(game.name() + " has no board vector, which n-tuple networks read");
  if (design.tuples.empty()) refuse("an n-tuple network needs at least one tuple");
  for (const auto &tuple : design.tuples) {
    if (tuple.empty()) refuse("a tuple must have at least one cell");
    if (static_cast<int>(tuple.size()) > game.cells())
      refuse("a tuple of " + std::to_string(tuple.size()) + " cells is longer than the board of " + game.name() +
             ", which has " + std::to_string(game.cells()) + " cells");
    std::vector<int> sorted = tuple;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      refuse("a tuple names cell " + std::to_string(*std::adjacent_find(sorted.begin(), sorted.end())) + " twice");
    if (sorted.front() < 0 || sorted.back() >= game.cells())
      refuse("a tuple names cell " + std::to_string(sorted.front() < 0 ? sorted.front() : sorted.back()) +
             "; the cells of " + game.name() + " are 0 to " + std::to_string(game.cells() - 1));
  }
  std::vector<bool> grouped(static_cast<std::size_t>(game.cells()));
  for (const Group &group : design.groups) {
    double codes = 1;
    for (const int cell : group.cells) {
      if (cell < 0 || cell >= game.cells() || grouped[static_cast<std::size_t>(cell)])
        refuse("a group of cells names a cell twice, or one that does not exist");
      grouped[static_cast<std::size_t>(cell)] = true;
      codes *= game.cell_values(cell);
    }
    if (codes > MOST_CODES || group.states.empty() || group.states.size() > 65535)
      refuse("a group of cells has no joint values, or too many");
    for (const auto &state : group.states) {
      if (state.size() != group.cells.size()) refuse("a joint value must name a value for every cell of its group");
      for (std::size_t i = 0; i < state.size(); ++i)
        if (state[i] < 0 || state[i] >= game.cell_values(group.cells[i]))
          refuse("a joint value of a group is out of its cells' range");
    }
  }
  if (design.symmetries.empty() || design.symmetries.front() != 0) refuse("the first symmetry must be 0, the identity");
  for (const std::uint64_t g : design.symmetries)
    if (g >= game.symmetries())
      refuse("there is no symmetry " + std::to_string(g) + "; " + game.name() + " has " +
             std::to_string(game.symmetries()));
  if (design.tuples.size() * design.symmetries.size() > MOST_SLOTS)
    refuse("tuples times symmetries must be at most " + std::to_string(MOST_SLOTS));
  if (design.feature_tables && game.table().feature_tables > 64)
    refuse(game.name() + " offers more than 64 extra feature tables");
  if (design.feature_tables && !(game.table().feature_tables > 0 && game.table().feature_indices))
    refuse(game.name() + " offers no extra feature tables");
}

// What a tuple reads of a group: the joint values of the cells that both have, numbered.
struct Part {
  std::size_t group;
  std::vector<int> cells;            // of the board, in the order of the tuple
  std::vector<std::size_t> members;  // the same as places in the group
  std::map<std::vector<int>, std::uint32_t> number;
};

std::vector<Part> parts_of(const std::vector<Group> &groups, const std::vector<int> &group_of_cell,
                           const std::vector<int> &tuple) {
  std::vector<Part> parts;
  for (const int cell : tuple) {
    const auto group = static_cast<std::size_t>(group_of_cell[static_cast<std::size_t>(cell)]);
    auto part = std::find_if(parts.begin(), parts.end(), [&](const Part &p) { return p.group == group; });
    if (part == parts.end()) part = parts.insert(parts.end(), {group, {}, {}, {}});
    const auto &members = groups[group].cells;
    part->cells.push_back(cell);
    part->members.push_back(
        static_cast<std::size_t>(std::find(members.begin(), members.end(), cell) - members.begin()));
  }
  for (Part &part : parts) {
    std::vector<int> seen(part.members.size());
    for (const auto &state : groups[part.group].states) {
      std::transform(part.members.begin(), part.members.end(), seen.begin(),
                     [&](std::size_t member) { return state[member]; });
      part.number.emplace(seen, 0);
    }
    std::uint32_t next = 0;
    for (auto &[joint, number] : part.number) number = next++;
  }
  return parts;
}

double tuple_size(const std::vector<Group> &groups, const std::vector<int> &group_of_cell,
                  const std::vector<int> &tuple) {
  double size = 1;
  for (const Part &part : parts_of(groups, group_of_cell, tuple)) size *= static_cast<double>(part.number.size());
  return size;
}

// The groups of the design, then every remaining cell as a group of one.
std::vector<Group> all_groups(const Game &game, const Design &design) {
  std::vector<Group> groups = design.groups;
  std::vector<bool> grouped(static_cast<std::size_t>(game.cells()));
  for (const Group &group : groups)
    for (const int cell : group.cells) grouped[static_cast<std::size_t>(cell)] = true;
  for (int cell = 0; cell < game.cells(); ++cell) {
    if (grouped[static_cast<std::size_t>(cell)]) continue;
    Group alone{{cell}, {}};
    for (int v = 0; v < game.cell_values(cell); ++v) alone.states.push_back({v});
    groups.push_back(std::move(alone));
  }
  return groups;
}

std::vector<int> numbers_of_groups(const Game &game, const std::vector<Group> &groups) {
  std::vector<int> group_of_cell(static_cast<std::size_t>(game.cells()));
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const int cell : groups[g].cells) group_of_cell[static_cast<std::size_t>(cell)] = static_cast<int>(g);
  return group_of_cell;
}

// Number of entries in one set of tables: every tuple's, then every extra feature's. Floating point cannot overflow.
std::vector<double> table_sizes(const Game &game, const Design &design, const std::vector<Group> &groups,
                                const std::vector<int> &group_of_cell) {
  std::vector<double> sizes;
  for (const auto &tuple : design.tuples) sizes.push_back(tuple_size(groups, group_of_cell, tuple));
  const bl_game &table = game.table();
  for (int f = 0; design.feature_tables && f < table.feature_tables; ++f)
    sizes.push_back(table.feature_table_size(table.self, f));
  return sizes;
}

std::uint64_t number_of_sets(const Game &game, const Design &design) {
  return static_cast<std::uint64_t>(design.staged ? game.stages() : 1) *
         static_cast<std::uint64_t>(design.per_player ? game.players() : 1) *
         static_cast<std::uint64_t>(design.per_action ? game.action_count() : 1);
}

// Whether the other cells of a group determine the value of its last one.
bool decides_last(const Group &group) {
  std::set<std::vector<int>> others;
  for (const auto &state : group.states) others.emplace(state.begin(), state.end() - 1);
  return others.size() == group.states.size();
}

}  // namespace

void Network::build_groups() {
  board_groups_ = all_groups(*game_, design_);
  group_of_cell_ = numbers_of_groups(*game_, board_groups_);
  multiplier_of_cell_.assign(group_of_cell_.size(), 0);
  const auto place = [&](const Group &group) {
    std::uint32_t codes = 1;
    for (std::size_t i = 0; i < group.cells.size(); ++i) {
      // Skip a last cell that the others determine: fewer codes have to be looked up.
      if (i > 0 && i + 1 == group.cells.size() && decides_last(group)) break;
      multiplier_of_cell_[static_cast<std::size_t>(group.cells[i])] = codes;
      codes *= static_cast<std::uint32_t>(game_->cell_values(group.cells[i]));
    }
    return codes;
  };
  for (std::size_t g = 0; g < board_groups_.size(); ++g) {
    const Group &group = board_groups_[g];
    const std::uint32_t codes = place(group);
    lookup_.emplace_back();
    if (g >= design_.groups.size()) continue;  // a single cell: its code is its value
    lookup_.back().resize(codes);
    for (std::size_t s = 0; s < group.states.size(); ++s) {
      std::uint32_t code = 0;
      for (std::size_t i = 0; i < group.cells.size(); ++i)
        code += multiplier_of_cell_[static_cast<std::size_t>(group.cells[i])] *
                static_cast<std::uint32_t>(group.states[s][i]);
      lookup_.back()[code] = static_cast<std::uint16_t>(s);
    }
  }
  for (const Group &group : board_groups_) {
    members_of_group_.push_back(members_.size());
    for (const int cell : group.cells)
      if (const std::uint32_t multiplier = multiplier_of_cell_[static_cast<std::size_t>(cell)])
        members_.push_back({static_cast<std::uint32_t>(cell), multiplier});
  }
  members_of_group_.push_back(members_.size());
}

double Network::bytes_of(const Game &game, const Design &design, bool coherent) {
  check(game, design);
  const std::vector<Group> groups = all_groups(game, design);
  const std::vector<double> sizes = table_sizes(game, design, groups, numbers_of_groups(game, groups));
  return std::accumulate(sizes.begin(), sizes.end(), 0.0) * static_cast<double>(number_of_sets(game, design)) *
         static_cast<double>(bytes_an_entry(coherent));
}

Network::Network(GamePtr game, Design design, bool coherent, std::uint64_t memory_limit)
    : game_(std::move(game)), design_(std::move(design)), coherent_(coherent), kernels_(&ntuple::kernels()) {
  check(*game_, design_);
  stages_ = design_.staged ? static_cast<std::uint64_t>(game_->stages()) : 1;
  sets_ = number_of_sets(*game_, design_);

  // Compute sizes first, then refuse, then allocate.
  build_groups();
  const std::vector<double> sizes = table_sizes(*game_, design_, board_groups_, group_of_cell_);
  const double size = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  has_short_rows_ = *std::max_element(sizes.begin(), sizes.end()) <= 65536;
  const double wanted = size * static_cast<double>(sets_) * static_cast<double>(bytes_an_entry(coherent_));
  if (wanted > static_cast<double>(memory_limit))
    refuse("the tables would take " + human(wanted) + "; the limit is " + human(static_cast<double>(memory_limit)) +
           " (fewer or shorter tuples need less)");
  if (size >= 4294967296.0) refuse("one set of tables may have at most 4294967295 entries");
  // The symmetric boards of a position read the tables of different actions at once: one index must reach them all.
  if (design_.per_action && size * static_cast<double>(sets_) >= 4294967296.0)
    refuse("tables for every action may have at most 4294967295 entries in all");

  std::vector<std::uint32_t> starts;
  for (const double entries : sizes) {
    starts.push_back(static_cast<std::uint32_t>(set_size_));
    set_size_ += static_cast<std::uint64_t>(entries);
  }
  const auto features = starts.begin() + static_cast<std::ptrdiff_t>(design_.tuples.size());
  for (std::size_t b = 0; b < design_.symmetries.size(); ++b) start_.insert(start_.end(), starts.begin(), features);
  tuple_slots_ = static_cast<int>(start_.size());
  start_.insert(start_.end(), features, starts.end());
  slots_ = static_cast<int>(start_.size());
  padded_ = (slots_ + 63) / 64 * 64 + 16;
  start_.resize(static_cast<std::size_t>(padded_), 0);
  mark_words_ = (slots_ + 63) / 64;
  build_views();
  weights_ = std::make_unique<Memory>(entries() * sizeof(float));
  if (coherent_) counters_ = std::make_unique<Memory>(entries() * sizeof(Counter));
}

// One view reads all boards if every symmetry has the fast form (a permutation of cells with a map of values);
// otherwise every symmetry is a separate view, which reads the transformed state.
void Network::build_views() {
  const Game &game = *game_;
  const auto board = static_cast<std::size_t>(game.cells());
  const std::size_t boards = design_.symmetries.size(), tuples = design_.tuples.size();
  std::vector<std::vector<std::int32_t>> source(boards, std::vector<std::int32_t>(board));
  std::vector<std::vector<std::uint8_t>> values(boards, std::vector<std::uint8_t>(board * 256));
  bool fast = true;
  for (std::size_t b = 1; b < boards && fast; ++b)
    fast = game.table().symmetry_cells &&
           game.table().symmetry_cells(game.table().self, design_.symmetries[b], source[b].data(), values[b].data());
  for (std::size_t b = 0; b < boards; ++b) {
    if (fast && b > 0) continue;
    for (std::size_t c = 0; c < board; ++c) {
      source[b][c] = static_cast<std::int32_t>(c);
      for (std::size_t v = 0; v < 256; ++v) values[b][c * 256 + v] = static_cast<std::uint8_t>(v);
    }
  }
  const std::size_t view_count = fast ? 1 : boards, boards_a_view = fast ? boards : 1;
  const std::size_t view_slots = boards_a_view * tuples, vector = has_short_rows_ ? 32 : 16;
  const std::size_t width = (view_slots + vector - 1) / vector * vector;
  const std::size_t groups = board_groups_.size();
  groups_ = static_cast<int>(view_count * groups);

  // Without fast forms all views share the same rows: they differ in the state they read.
  std::vector<std::size_t> row_at(groups);
  std::size_t total = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    row_at[g] = total;
    total += board_groups_[g].states.size() * width;
  }
  std::vector<std::uint32_t> rows(total, 0);
  for (std::size_t t = 0; t < tuples; ++t) {
    const std::vector<Part> parts = parts_of(board_groups_, group_of_cell_, design_.tuples[t]);
    for (std::size_t b = 0; b < boards_a_view; ++b) {
      std::uint32_t multiplier = 1;
      for (const Part &part : parts) {
        // On a symmetric board the part's cells hold the values of other cells, which must form one group as well.
        const auto from = static_cast<std::size_t>(
            group_of_cell_[static_cast<std::size_t>(source[b][static_cast<std::size_t>(part.cells[0])])]);
        const Group &group = board_groups_[from];
        for (std::size_t s = 0; s < group.states.size(); ++s) {
          std::vector<int> seen;
          for (const int cell : part.cells) {
            const auto c = static_cast<std::size_t>(cell);
            const auto member = std::find(group.cells.begin(), group.cells.end(), source[b][c]);
            if (member == group.cells.end())
              refuse(game.name() + ": a symmetry tears a group of cells apart; train without compact tables");
            const int held = group.states[s][static_cast<std::size_t>(member - group.cells.begin())];
            seen.push_back(values[b][c * 256 + static_cast<std::size_t>(held)]);
          }
          const auto number = part.number.find(seen);
          if (number == part.number.end())
            refuse(game.name() + ": a symmetry maps cells to values that they cannot have");
          rows[row_at[from] + s * width + b * tuples + t] += multiplier * number->second;
        }
        multiplier *= static_cast<std::uint32_t>(part.number.size());
      }
    }
  }

  for (std::size_t view = 0; view < view_count; ++view) view_symmetry_.push_back(fast ? 0 : design_.symmetries[view]);
  place_rows(rows, row_at, width, view_count, tuples);
  padded_ = std::max(padded_, static_cast<int>((view_count - 1) * tuples + width) + 16);
  start_.resize(static_cast<std::size_t>(padded_), 0);
}

// The rows as the kernels read them, the same for all views.
void Network::place_rows(const std::vector<std::uint32_t> &rows, const std::vector<std::size_t> &row_at,
                         std::size_t width, std::size_t view_count, std::size_t view_slots) {
  const std::size_t groups = row_at.size();
  // Aligned, so that a row touches as few cache lines as possible.
  rows_ = std::make_unique<Memory>(rows.size() * (has_short_rows_ ? sizeof(std::uint16_t) : sizeof(std::uint32_t)));
  auto *long_rows = static_cast<std::uint32_t *>(rows_->data());
  auto *short_rows = static_cast<std::uint16_t *>(rows_->data());
  if (has_short_rows_)
    std::transform(rows.begin(), rows.end(), short_rows, [](std::uint32_t x) { return static_cast<std::uint16_t>(x); });
  else
    std::copy(rows.begin(), rows.end(), long_rows);
  for (std::size_t view = 0; view < view_count; ++view)
    for (std::size_t g = 0; g < groups; ++g) {
      const std::uint32_t *row = rows.data() + row_at[g];
      if (has_short_rows_)
        short_row_of_group_.push_back(short_rows + row_at[g]);
      else
        row_of_group_.push_back(long_rows + row_at[g]);
      zero_is_idle_.push_back(std::all_of(row, row + width, [](std::uint32_t x) { return x == 0; }));
    }
  for (std::size_t view = 0; view < view_count; ++view)
    views_.push_back(
        {static_cast<std::int32_t>(view * view_slots), static_cast<std::int32_t>(width),
         static_cast<std::int32_t>(groups), has_short_rows_ ? nullptr : row_of_group_.data() + view * groups,
         has_short_rows_ ? short_row_of_group_.data() + view * groups : nullptr, zero_is_idle_.data() + view * groups});
}

// Reads the fold off the rows: a slot's row of a cell's value 1 holds the multiplier of that cell.
bool Network::find_fold(Fold &fold) const {
  if (!has_one_view() || !design_.groups.empty() || design_.per_action) return false;
  struct Digit {
    std::uint32_t multiplier;
    std::size_t cell;
  };
  const std::size_t tuples = design_.tuples.size(), boards = design_.symmetries.size();
  const std::size_t cells = board_groups_.size();
  for (std::size_t t = 0; t < tuples; ++t) {
    std::map<std::vector<std::size_t>, std::vector<std::vector<std::uint32_t>>> readings;  // by the cells read
    std::map<std::vector<std::size_t>, std::vector<Digit>> first;
    Fold::Tuple tuple;
    for (std::size_t b = 0; b < boards; ++b) {
      const std::size_t slot = b * tuples + t;
      std::vector<Digit> digits;
      std::vector<std::size_t> read;
      for (std::size_t c = 0; c < cells; ++c) {
        const std::size_t radix = board_groups_[c].states.size();
        const std::uint32_t multiplier = radix > 1 ? row_entry(c, 1, slot) : 0;
        // A symmetry that changes values has different rows.
        for (std::size_t v = 0; v < radix; ++v)
          if (row_entry(c, v, slot) != v * multiplier) return false;
        if (!multiplier) continue;
        digits.push_back({multiplier, c});
        read.push_back(c);
      }
      if (!first.contains(read)) {
        std::vector<Digit> sorted = digits;
        std::sort(sorted.begin(), sorted.end(), [](Digit x, Digit y) { return x.multiplier < y.multiplier; });
        if (first.empty())
          for (const Digit &digit : sorted)
            tuple.radices.push_back(static_cast<std::uint32_t>(board_groups_[digit.cell].states.size()));
        first.emplace(read, std::move(sorted));
        tuple.slots.push_back(slot);
      }
      std::vector<std::uint32_t> reading;
      for (const Digit &digit : first[read]) reading.push_back(row_entry(digit.cell, 1, slot));
      readings[read].push_back(std::move(reading));
    }
    for (auto &[read, found] : readings) std::sort(found.begin(), found.end());
    tuple.readings = readings.begin()->second;
    // The symmetries may not be a group: then the sets of cells are read in different ways.
    for (const auto &[read, found] : readings)
      if (found != tuple.readings) return false;
    fold.slots += tuple.slots.size();
    fold.tuples.push_back(std::move(tuple));
  }
  return true;
}

std::shared_ptr<Network> Network::folded() const {
  Fold fold;
  if (!find_fold(fold) || 4 * fold.slots > 3 * static_cast<std::size_t>(tuple_slots_)) return nullptr;
  return std::shared_ptr<Network>(new Network(*this, fold));
}

Network::Network(const Network &whole, const Fold &fold)
    : game_(whole.game_),
      design_(whole.design_),
      coherent_(false),
      kernels_(whole.kernels_),
      groups_(whole.groups_),
      stages_(whole.stages_),
      sets_(whole.sets_),
      set_size_(whole.set_size_),
      board_groups_(whole.board_groups_),
      group_of_cell_(whole.group_of_cell_),
      multiplier_of_cell_(whole.multiplier_of_cell_),
      members_(whole.members_),
      members_of_group_(whole.members_of_group_),
      lookup_(whole.lookup_),
      view_symmetry_(whole.view_symmetry_),
      has_short_rows_(whole.has_short_rows_) {
  const int features = whole.slots_ - whole.tuple_slots_;
  tuple_slots_ = static_cast<int>(fold.slots);
  slots_ = tuple_slots_ + features;
  mark_words_ = (slots_ + 63) / 64;
  padded_ = mark_words_ * 64 + 16;
  std::vector<std::size_t> from;
  for (const Fold::Tuple &tuple : fold.tuples) from.insert(from.end(), tuple.slots.begin(), tuple.slots.end());
  for (const std::size_t slot : from) start_.push_back(whole.start_[slot]);
  for (int f = 0; f < features; ++f) start_.push_back(whole.start_[static_cast<std::size_t>(whole.tuple_slots_ + f)]);
  start_.resize(static_cast<std::size_t>(padded_), 0);

  const std::size_t vector = has_short_rows_ ? 32 : 16, width = (fold.slots + vector - 1) / vector * vector;
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> row_at;
  for (std::size_t g = 0; g < board_groups_.size(); ++g) {
    row_at.push_back(rows.size());
    for (std::size_t v = 0; v < board_groups_[g].states.size(); ++v) {
      for (const std::size_t slot : from) rows.push_back(whole.row_entry(g, v, slot));
      rows.resize(rows.size() + width - from.size(), 0);
    }
  }
  place_rows(rows, row_at, width, 1, fold.slots);
  padded_ = std::max(padded_, static_cast<int>(width) + 16);
  start_.resize(static_cast<std::size_t>(padded_), 0);

  weights_ = std::make_unique<Memory>(entries() * sizeof(float));
  for (std::uint64_t set = 0; set < sets_; ++set) std::copy_n(whole.weights(set), set_size_, weights(set));
  for (std::size_t t = 0; t < fold.tuples.size(); ++t) {
    const Fold::Tuple &tuple = fold.tuples[t];
    if (tuple.readings.size() == 1) continue;
    std::vector<std::vector<std::uint32_t>> entry;  // [reading][index]
    for (const auto &reading : tuple.readings) {
      std::vector<std::uint32_t> at{0};
      for (std::size_t k = 0; k < reading.size(); ++k) {
        const std::size_t below = at.size();
        for (std::uint32_t v = 1; v < tuple.radices[k]; ++v)
          for (std::size_t i = 0; i < below; ++i) at.push_back(at[i] + v * reading[k]);
      }
      entry.push_back(std::move(at));
    }
    for (std::uint64_t set = 0; set < sets_; ++set) {
      const float *old = whole.weights(set) + whole.start_[t];
      float *sum = weights(set) + whole.start_[t];
      for (std::size_t i = 0; i < entry[0].size(); ++i) {
        sum[i] = 0;
        for (const auto &at : entry) sum[i] += old[at[i]];
      }
    }
  }
}

std::vector<std::uint32_t> Network::table_starts() const {
  std::vector<std::uint32_t> starts(start_.begin(),
                                    start_.begin() + static_cast<std::ptrdiff_t>(design_.tuples.size()));
  starts.insert(starts.end(), start_.begin() + tuple_slots_, start_.begin() + slots_);
  return starts;
}

Network::Sight Network::make_sight() const {
  const auto groups = static_cast<std::size_t>(groups_);
  return {std::vector<std::uint8_t>(static_cast<std::size_t>(game_->cells())), std::vector<std::uint32_t>(groups),
          std::vector<std::uint16_t>(groups), StateBuffer(*game_)};
}

void Network::look(const void *state, int player, Sight &sight) const {
  const std::size_t board = group_of_cell_.size(), groups = board_groups_.size();
  for (std::size_t view = 0; view < views_.size(); ++view) {
    const void *seen = state;
    if (view > 0) {
      game_->copy(sight.scratch.data(), state);
      game_->symmetry(view_symmetry_[view], sight.scratch.data());
      seen = sight.scratch.data();
    }
    game_->board_vector(seen, player, sight.cells.data());
    std::uint16_t *values = sight.values.data() + view * groups;
    if (design_.groups.empty()) {  // then group = cell and value = code
      for (std::size_t c = 0; c < board; ++c) values[c] = sight.cells[c];
      continue;
    }
    std::uint32_t *codes = sight.codes.data() + view * groups;
    const Member *member = members_.data();
    for (std::size_t g = 0; g < groups; ++g) {
      std::uint32_t code = 0;
      for (const Member *end = members_.data() + members_of_group_[g + 1]; member < end; ++member)
        code += member->multiplier * sight.cells[member->cell];
      codes[g] = code;
      values[g] = value_of(g, code);
    }
  }
}

int Network::compare(const Sight &before, const Sight &after, Change *changes) const {
  int count = 0;
  for (int g = 0; g < groups_; ++g) {
    const auto i = static_cast<std::size_t>(g);
    changes[count] = {g, before.values[i], after.values[i]};
    count += before.values[i] != after.values[i];
  }
  return count;
}

int Network::compare(const Sight &before, const bl_cell_change *cells, int count, Change *changes) const {
  if (design_.groups.empty()) {
    for (int i = 0; i < count; ++i) changes[i] = {cells[i].cell, cells[i].before, cells[i].after};
    return count;
  }
  // Changed cells of one group become one change; an action changes few cells, so a list suffices.
  std::uint32_t codes[16];
  int groups = 0;
  for (int i = 0; i < count; ++i) {
    const auto cell = static_cast<std::size_t>(cells[i].cell);
    const int group = group_of_cell_[cell];
    int at = 0;
    while (at < groups && changes[at].group != group) ++at;
    if (at == groups) {
      if (groups == 16) return -1;
      changes[groups] = {group, before.values[static_cast<std::size_t>(group)], 0};
      codes[groups++] = before.codes[static_cast<std::size_t>(group)];
    }
    codes[at] += multiplier_of_cell_[cell] * (std::uint32_t{cells[i].after} - std::uint32_t{cells[i].before});
  }
  for (int at = 0; at < groups; ++at)
    changes[at].after = value_of(static_cast<std::size_t>(changes[at].group), codes[at]);
  return groups;
}

void Network::add_feature_indices(const void *state, int player, std::uint32_t *indices) const {
  const bl_game &table = game_->table();
  std::int32_t found[64];
  table.feature_indices(table.self, state, player, found);
  for (int slot = tuple_slots_; slot < slots_; ++slot)
    indices[slot] = start_[static_cast<std::size_t>(slot)] + static_cast<std::uint32_t>(found[slot - tuple_slots_]);
}

void Network::fetch_rows(const Sight &sight) const {
  if (!has_short_rows_ || groups_ > 8) return;  // more cache lines than prefetching pays for
  const std::uint16_t *value = sight.values.data();
  for (const View &view : views_)
    for (int g = 0; g < view.groups; ++g) {
      const auto width = static_cast<std::size_t>(view.width);
      const std::uint16_t *row = view.short_rows[g] + width * *value++;
      for (std::size_t at = 0; at < width; at += 32) __builtin_prefetch(row + at);
    }
}

void Network::encode(const Sight &sight, const void *state, int player, std::uint32_t *indices) const {
  // In order: a view's last row may overlap the first slots of the next one, which then writes them.
  const std::uint16_t *values = sight.values.data();
  for (const View &view : views_) {
    kernels_->encode(view, start_.data() + view.first_slot, values, indices + view.first_slot);
    values += view.groups;
  }
  if (slots_ > tuple_slots_) add_feature_indices(state, player, indices);
}

int Network::shift(const Change *changes, int count, const void *state, int player, const std::uint32_t *from,
                   std::uint32_t *to, std::uint64_t *marks) const {
  kernels_->shift(views_[0], start_.data(), changes, count, from, to, marks);
  int touched = 0;
  // The lanes after the last slot of the tuples are idle: equal in both, so not marked.
  for (int word = 0; word < mark_words_; ++word) touched += popcount(marks[word]);
  if (slots_ > tuple_slots_) {
    add_feature_indices(state, player, to);
    for (int slot = tuple_slots_; slot < slots_; ++slot) marks[slot / 64] |= std::uint64_t{1} << slot % 64;
    touched += slots_ - tuple_slots_;
  }
  return touched;
}

}  // namespace boardlab::ntuple
