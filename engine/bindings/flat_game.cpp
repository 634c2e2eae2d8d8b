// The contract's table over the functions of a flat game, and the fields of its states.
#include "bindings/flat_game.h"

namespace boardlab {

FlatGame::FlatGame(const nb::object &rules, const nb::dict &facts)
    : rules_(rules),
      name_(nb::cast<std::string>(facts["name"])),
      calls_python_(nb::cast<bool>(facts["calls_python"])),
      is_checked_(nb::cast<bool>(facts["is_checked"])),
      is_zero_sum_((nb::cast<std::uint32_t>(facts["flags"]) & BL_ZERO_SUM) != 0),
      size_(nb::cast<std::size_t>(facts["size"])),
      mover_at_(nb::cast<std::size_t>(facts["mover_at"])),
      players_(nb::cast<std::int32_t>(facts["players"])),
      actions_(nb::cast<std::int32_t>(facts["action_count"])),
      outcomes_(nb::cast<std::int32_t>(facts["outcome_count"])),
      room_(static_cast<std::size_t>(std::max(actions_, outcomes_))),
      low_(nb::cast<double>(facts["min_score"])),
      high_(nb::cast<double>(facts["max_score"])),
      adjacency_(nb::cast<std::vector<std::vector<std::int32_t>>>(facts["adjacency"])),
      rewards_(nb::cast<std::vector<std::tuple<std::string, double, double>>>(facts["rewards"])),
      table_sizes_(nb::cast<std::vector<std::int32_t>>(facts["feature_table_sizes"])),
      stages_(nb::cast<std::int32_t>(facts["stages"])),
      observation_size_(nb::cast<std::int32_t>(facts["observation_size"])),
      planes_(nb::cast<std::vector<std::size_t>>(facts["planes"])),
      features_(nb::cast<std::int32_t>(facts["features"])),
      joint_(nb::cast<decltype(joint_)>(facts["joint_values"])) {
  for (const auto &[name, offset, kind, size, count] :
       nb::cast<std::vector<std::tuple<std::string, std::size_t, std::string, std::size_t, std::size_t>>>(
           facts["fields"])) {
    fields_.push_back({name, offset, size, count, kind.empty() ? '?' : kind[0]});
    if (offset + size * count > size_ || (size != 1 && size != 2 && size != 4 && size != 8))
      throw std::invalid_argument("a field is outside of the state");
  }
  for (const int values : nb::cast<std::vector<int>>(facts["cell_values"])) {
    if (values < 1 || values > 256) throw std::invalid_argument("a cell has from 1 to 256 values");
    top_.push_back(static_cast<std::uint8_t>(values - 1));
  }
  if (size_ < mover_at_ + 2 || players_ < 1 || players_ > BL_MAX_PLAYERS || planes_.size() != 3)
    throw std::invalid_argument("a fact of a game with a flat state is out of range");
  const auto functions = nb::cast<std::map<std::string, std::uintptr_t>>(facts["functions"]);
  const auto find = [&](const char *name, auto &function) {
    if (const auto at = functions.find(name); at != functions.end())
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(at->second);
  };
#define BOARDLAB_FIND(name) find(#name, f_.name)
  BOARDLAB_FIND(initial_state), BOARDLAB_FIND(training_start), BOARDLAB_FIND(player), BOARDLAB_FIND(round_over);
  BOARDLAB_FIND(stage), BOARDLAB_FIND(legal), BOARDLAB_FIND(apply), BOARDLAB_FIND(scores), BOARDLAB_FIND(moves_left);
  BOARDLAB_FIND(solve), BOARDLAB_FIND(chance), BOARDLAB_FIND(sample_chance), BOARDLAB_FIND(reward);
  BOARDLAB_FIND(features), BOARDLAB_FIND(conceal), BOARDLAB_FIND(symmetry), BOARDLAB_FIND(determinize);
  BOARDLAB_FIND(observe), BOARDLAB_FIND(board_vector), BOARDLAB_FIND(completions), BOARDLAB_FIND(feature_indices);
  BOARDLAB_FIND(planes), BOARDLAB_FIND(symmetry_action), BOARDLAB_FIND(symmetry_cells), BOARDLAB_FIND(playout);
  BOARDLAB_FIND(apply_changes);
#undef BOARDLAB_FIND
  if (!f_.initial_state || !f_.player || !f_.legal || !f_.apply || !f_.scores)
    throw std::invalid_argument("a function that every game must have is missing");
}

// A word for each item, two for those of 8 bytes; then who moved last.
void FlatGame::to_fields(const void *s, std::int32_t *out) const {
  for (const Field &field : fields_)
    for (std::size_t i = 0; i < field.count; ++i) {
      const auto *item = static_cast<const std::byte *>(s) + field.offset + i * field.size;
      std::int32_t words[2] = {0, 0};
      std::memcpy(words, item, field.size);
      if (field.kind == 'i' && field.size == 1) words[0] = static_cast<std::int8_t>(words[0]);
      if (field.kind == 'i' && field.size == 2) words[0] = static_cast<std::int16_t>(words[0]);
      out = std::copy_n(words, field.words(), out);
    }
  *out = last(s);
}

const char *FlatGame::refused_field(void *s, const std::int32_t *&word, const Field &field) const {
  static thread_local std::string why;
  for (std::size_t i = 0; i < field.count; ++i, word += field.words()) {
    auto *item = static_cast<std::byte *>(s) + field.offset + i * field.size;
    if (field.size < 4) {
      const int bits = static_cast<int>(8 * field.size);
      const int low = field.kind == 'i' ? -(1 << (bits - 1)) : 0;
      const int high = field.kind == 'i' ? (1 << (bits - 1)) - 1 : field.kind == 'b' ? 1 : (1 << bits) - 1;
      if (*word < low || *word > high) {
        why = field.name + (field.count > 1 ? "[" + std::to_string(i) + "]" : "") + " must be from " +
              std::to_string(low) + " to " + std::to_string(high) + ", not " + std::to_string(*word);
        return why.c_str();
      }
    }
    std::memcpy(item, word, field.size);  // the low bytes come first
  }
  return nullptr;
}

// Checks arbitrary numbers: null if they are a state, otherwise what is wrong with them.
const char *FlatGame::from_fields(void *s, const std::int32_t *fields) const {
  static thread_local std::string why;
  std::memset(s, 0, size_);
  for (const Field &field : fields_)
    if (const char *refused = refused_field(s, fields, field)) return refused;
  if (*fields < BL_CHANCE || *fields >= players_) {
    why = "the last field, who moved last, must be from -1 to " + std::to_string(players_ - 1);
    return why.c_str();
  }
  last(s) = static_cast<std::int8_t>(*fields);
  const Gil gil;
  try {
    if (is_checked_) {
      const nb::object state = nb::bytes(s, size_);
      const nb::object said = in_python([&] { return rules_.attr("check")(state); });
      if (!said.is_none()) {
        why = nb::cast<std::string>(nb::str(said));
        return why.c_str();
      }
    }
    const std::int32_t next = call(f_.player, s);
    if (!is_mover(next)) fail("player", s);
    mover(s) = static_cast<std::int8_t>(next);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_Exception)) throw;
    why = error.matches(PyExc_ValueError) ? nb::cast<std::string>(nb::str(error.value())) : describe(error);
    if (why.starts_with(name_ + ": ")) why.erase(0, name_.size() + 2);  // the caller adds the name
    return why.c_str();
  }
  return nullptr;
}

bl_game FlatGame::table(const nb::dict &facts) {
  const auto real = [&](const char *name) { return nb::cast<double>(facts[name]); };
  bl_game t{};
  t.abi_version = BL_GAME_ABI;
  t.struct_size = sizeof(bl_game);
  t.self = this;
  t.destroy = [](void *self) {
    const Gil gil;
    delete static_cast<FlatGame *>(self);
  };
  t.state_size = static_cast<std::int32_t>(size_);
  t.players = players_;
  t.action_count = actions_;
  t.outcome_count = outcomes_;
  t.max_legal = static_cast<std::int32_t>(room_);
  t.horizon = nb::cast<std::int32_t>(facts["horizon"]);
  t.flags = nb::cast<std::uint32_t>(facts["flags"]);
  t.min_score = low_;
  t.max_score = high_;
  t.step_reward = real("step_reward");
  t.field_count = 1;
  for (const Field &field : fields_) t.field_count += static_cast<std::int32_t>(field.count * field.words());

  t.initial_state = [](void *self, void *s, Word *rng) {
    of(self).start(s, rng, "initial_state", of(self).f_.initial_state);
  };
  t.player = [](void *self, const void *s) -> std::int32_t { return of(self).mover(s); };
  t.last_player = [](void *self, const void *s) -> std::int32_t { return of(self).last(s); };
  t.legal = [](void *self, const void *s, std::int32_t *actions) { return of(self).legal(s, actions); };
  t.apply = [](void *self, void *s, std::int32_t action) { of(self).apply(s, action); };
  t.scores = [](void *self, const void *s, double *scores) { of(self).scores(s, scores); };
  t.to_fields = [](void *self, const void *s, std::int32_t *fields) { of(self).to_fields(s, fields); };
  t.from_fields = [](void *self, void *s, const std::int32_t *fields) { return of(self).from_fields(s, fields); };

  if (f_.chance)
    t.chance = [](void *self, const void *s, std::int32_t *outcomes, double *p) {
      return of(self).chance(s, outcomes, p);
    };
  if (f_.sample_chance)
    t.sample_chance = [](void *self, const void *s, Word *rng) {
      const FlatGame &g = of(self);
      const Word seed = *rng;
      const std::int32_t outcome = g.call(g.f_.sample_chance, const_cast<void *>(s), rng);
      if (outcome < 0 || outcome >= g.outcomes_) g.fail("sample_chance", s, seed);
      return outcome;
    };
  if (f_.playout)
    t.playout = [](void *self, void *s, Word *rng, std::int32_t most, std::int32_t cut) {
      return of(self).playout(s, rng, most, cut);
    };
  if (f_.training_start)
    t.training_start = [](void *self, void *s, Word *rng) {
      of(self).start(s, rng, "training_start", of(self).f_.training_start);
    };
  if (f_.round_over)
    t.round_over = [](void *self, const void *s) {
      const std::int32_t over = of(self).call(of(self).f_.round_over, const_cast<void *>(s));
      if (over == FAILED) of(self).fail("round_over", s);
      return over;
    };
  if (f_.moves_left)
    t.moves_left = [](void *self, const void *s) {
      double left = 0;
      const std::int32_t status = of(self).call(of(self).f_.moves_left, const_cast<void *>(s), &left);
      if (status != 0 || !std::isfinite(left) || left < 0) of(self).fail("moves_left", s);
      return left;
    };
  if (f_.solve)
    t.solve = [](void *self, const void *s, bl_solution *solution) -> std::int32_t {
      if (solution->outcome >= 0) return 0;
      const FlatGame &g = of(self);
      const std::int32_t solved = g.call(g.f_.solve, const_cast<void *>(s), &solution->scores[0]);
      bool good = solved != FAILED;
      for (int p = 0; p < g.players_ && solved; ++p) good = good && std::isfinite(solution->scores[p]);
      if (!good) g.fail("solve", s);
      solution->action = -1;
      solution->nodes = 1;
      return solved;
    };
  if (f_.reward) {
    t.reward_count = static_cast<std::int32_t>(rewards_.size());
    t.reward_name = [](void *self, std::int32_t reward) {
      return std::get<0>(of(self).rewards_[static_cast<std::size_t>(reward)]).c_str();
    };
    t.reward_range = [](void *self, std::int32_t reward, double *range) {
      std::tie(std::ignore, range[0], range[1]) = of(self).rewards_[static_cast<std::size_t>(reward)];
    };
    t.reward = [](void *self, std::int32_t reward, const void *s, double *out) {
      const FlatGame &g = of(self);
      g.doubles("reward", s, g.players_, out, g.call(g.f_.reward, const_cast<void *>(s), reward, out), reward);
    };
  }
  if (f_.conceal) {
    t.conceal = [](void *self, void *s, std::int32_t player) {
      Before before(of(self), s);
      if (of(self).call(of(self).f_.conceal, s, player) != 0) of(self).fail("conceal", before.data(), player);
    };
    t.determinize = [](void *self, void *s, std::int32_t player, Word *rng) {
      const FlatGame &g = of(self);
      Before before(g, s);
      const Word seed = *rng;
      if (g.call(g.f_.determinize, s, player, rng) != 0 || g.call(g.f_.player, s) != g.mover(s))
        g.fail("determinize", before.data(), player, seed);
    };
  }
  if (f_.observe) {
    t.observation_size = observation_size_;
    t.observe = [](void *self, const void *s, std::int32_t player, std::uint8_t *key) {
      const FlatGame &g = of(self);
      const std::int32_t n = g.call(g.f_.observe, const_cast<void *>(s), player, key);
      if (n < 0 || n > g.observation_size_) g.fail("observe", s, player);
      return n;
    };
  }
  if (f_.completions)
    t.completions = [](void *self, const void *s, std::int32_t player, std::int32_t capacity, void *states, double *p) {
      return of(self).completions(s, player, capacity, states, p);
    };
  if (f_.board_vector) {
    t.cells = static_cast<std::int32_t>(top_.size());
    t.max_changes = t.cells;
    t.cell_values = [](void *self, std::int32_t cell) { return of(self).top_[static_cast<std::size_t>(cell)] + 1; };
    t.board_vector = [](void *self, const void *s, std::int32_t player, std::uint8_t *cells) {
      of(self).board_vector(s, player, cells);
    };
    if (!adjacency_.empty())
      t.adjacency = [](void *self, std::int32_t cell, std::int32_t *neighbours) {
        const auto &found = of(self).adjacency_[static_cast<std::size_t>(cell)];
        std::copy(found.begin(), found.end(), neighbours);
        return static_cast<std::int32_t>(found.size());
      };
    // Asking for two board vectors pays off where that is cheap.
    if (!calls_python_ || f_.apply_changes)
      t.apply_changes = [](void *self, void *s, std::int32_t action, std::int32_t player, bl_cell_change *changes) {
        return of(self).apply_changes(s, action, player, changes);
      };
    if (!joint_.empty())
      t.joint_values = [](void *self, std::int32_t group, bl_joint_values *joint) -> std::int32_t {
        if (static_cast<std::size_t>(group) >= of(self).joint_.size()) return 0;
        const auto &[cells, rows] = of(self).joint_[static_cast<std::size_t>(group)];
        joint->cell_count = static_cast<std::int32_t>(cells.size());
        joint->row_count = static_cast<std::int32_t>(rows.size() / cells.size());
        if (joint->cells) std::copy(cells.begin(), cells.end(), joint->cells);
        if (joint->rows) std::copy(rows.begin(), rows.end(), joint->rows);
        return 1;
      };
  }
  if (f_.stage) {
    t.stages = stages_;
    t.stage = [](void *self, const void *s) {
      const std::int32_t stage = of(self).call(of(self).f_.stage, const_cast<void *>(s));
      if (stage < 0 || stage >= of(self).stages_) of(self).fail("stage", s);
      return stage;
    };
  }
  if (f_.feature_indices) {
    t.feature_tables = static_cast<std::int32_t>(table_sizes_.size());
    t.feature_table_size = [](void *self, std::int32_t index) {
      return of(self).table_sizes_[static_cast<std::size_t>(index)];
    };
    t.feature_indices = [](void *self, const void *s, std::int32_t player, std::int32_t *out) {
      const FlatGame &g = of(self);
      bool good = g.call(g.f_.feature_indices, const_cast<void *>(s), player, out) == 0;
      for (std::size_t i = 0; i < g.table_sizes_.size(); ++i) good = good && out[i] >= 0 && out[i] < g.table_sizes_[i];
      if (!good) g.fail("feature_indices", s, player);
    };
  }
  if (f_.symmetry) {
    t.symmetries = nb::cast<std::uint64_t>(facts["symmetries"]);
    t.symmetry = [](void *self, Word g, void *s) { of(self).transform(s, "symmetry", of(self).f_.symmetry, g); };
    t.symmetry_action = [](void *self, Word g, const void *s, std::int32_t action) {
      const FlatGame &game = of(self);
      const std::int32_t turned = game.call(game.f_.symmetry_action, const_cast<void *>(s), g, action);
      if (turned < 0 || turned >= game.actions_) game.fail("symmetry_action", s, g, action);
      return turned;
    };
    if (f_.symmetry_cells)
      t.symmetry_cells = [](void *self, Word g, std::int32_t *source, std::uint8_t *values) -> std::int32_t {
        const FlatGame &game = of(self);
        const auto n = static_cast<std::int32_t>(game.top_.size());
        bool good = game.call(game.f_.symmetry_cells, g, source) == 0;
        for (std::int32_t i = 0; i < n; ++i) good = good && source[i] >= 0 && source[i] < n;
        if (!good) game.fail("symmetry_cells", nullptr, g);
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
          for (int v = 0; v < 256; ++v) values[i * 256 + static_cast<std::size_t>(v)] = static_cast<std::uint8_t>(v);
        return 1;
      };
  }
  if (f_.planes) {
    t.plane_count = static_cast<std::int32_t>(planes_[0]);
    t.plane_rows = static_cast<std::int32_t>(planes_[1]);
    t.plane_cols = static_cast<std::int32_t>(planes_[2]);
    t.planes = [](void *self, const void *s, std::int32_t player, float *out) {
      const FlatGame &g = of(self);
      bool good = g.call(g.f_.planes, const_cast<void *>(s), player, out) == 0;
      for (std::size_t i = 0; i < g.planes_[0] * g.planes_[1] * g.planes_[2]; ++i) good &= std::isfinite(out[i]);
      if (!good) g.fail("planes", s, player);
    };
  }
  if (f_.features) {
    t.feature_count = features_;
    t.features = [](void *self, const void *s, std::int32_t player, double *out) {
      const FlatGame &g = of(self);
      g.doubles("features", s, g.features_, out, g.call(g.f_.features, const_cast<void *>(s), player, out), player);
    };
  }
  return t;
}

void bind_flat_game(nb::module_ &m) {
  m.def(
      "flat_game",
      [](const nb::object &rules, const nb::dict &facts) {
        std::unique_ptr<FlatGame> game;
        bl_game table;
        try {
          game = std::make_unique<FlatGame>(rules, facts);
          table = game->table(facts);
        } catch (const nb::cast_error &) {
          throw std::invalid_argument("a fact of a game with a flat state has the wrong type");
        }
        game.release();  // the table's destroy frees it, also if the constructor throws
        return std::make_shared<Game>(nb::cast<std::string>(facts["name"]), table);
      },
      nb::arg("rules"), nb::arg("facts"), "A game over a declared flat state; see boardlab.games.flat.");
}

}  // namespace boardlab
