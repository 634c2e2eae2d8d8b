/* A game that uses the whole contract, so that tests can break every part of it.
 *
 * Nature deals each player a card that the other does not see (1 as often as 2 and 3 together) and lays a stone on a
 * row of five cells. The players mark the other four in turn; in the end the higher card wins by the difference.
 */
#include <math.h>
#include <string.h>

#include "core/contract.h"

enum { CELLS = 5, STONE = 3, UNSEEN = 4 };

typedef struct {
  int8_t card[2];     /* 0 before the deal */
  int8_t cell[CELLS]; /* 0 free, 1 + player, STONE */
} state;

static const double DEAL[] = {0.5, 0.25, 0.25}, LAY[] = {0.3, 0.15, 0.1, 0.15, 0.3};

static int count(const state *s, int value) {
  int found = 0;
  for (int i = 0; i < CELLS; ++i) found += s->cell[i] == value;
  return found;
}
static int to_move(const state *s) { return (count(s, 1) + count(s, 2)) % 2; }

static void initial_state(void *self, void *s, uint64_t *rng) {
  (void)self, (void)rng;
  memset(s, 0, sizeof(state));
}
static int32_t player(void *self, const void *at) {
  (void)self;
  const state *s = at;
  if (!s->card[0] || !s->card[1] || !count(s, STONE)) return BL_CHANCE;
  return count(s, 0) ? to_move(s) : BL_TERMINAL;
}
static int32_t last_player(void *self, const void *s) {
  (void)self;
  return count(s, 1) ? 1 - to_move(s) : BL_CHANCE;
}
static int32_t legal(void *self, const void *at, int32_t *actions) {
  (void)self;
  const state *s = at;
  int32_t n = 0;
  for (int i = 0; i < CELLS; ++i)
    if (!s->cell[i]) actions[n++] = i;
  return n;
}
static int32_t chance(void *self, const void *at, int32_t *outcomes, double *probabilities) {
  (void)self;
  const state *s = at;
  const int dealt = s->card[0] && s->card[1], n = dealt ? CELLS : 3;
  for (int i = 0; i < n; ++i) outcomes[i] = i, probabilities[i] = dealt ? LAY[i] : DEAL[i];
  return n;
}
static void apply(void *self, void *to, int32_t action) {
  state *s = to;
  if (player(self, s) != BL_CHANCE)
    s->cell[action] = (int8_t)(1 + to_move(s));
  else if (s->card[0] && s->card[1])
    s->cell[action] = STONE;
  else
    s->card[s->card[0] != 0] = (int8_t)(action + 1);
}
static void scores(void *self, const void *at, double *out) {
  const state *s = at;
  out[0] = player(self, s) == BL_TERMINAL ? s->card[0] - s->card[1] : 0;
  out[1] = -out[0];
}
static void to_fields(void *self, const void *at, int32_t *fields) {
  (void)self;
  const int8_t *bytes = at;
  for (int i = 0; i < 2 + CELLS; ++i) fields[i] = bytes[i];
}
static const char *from_fields(void *self, void *to, const int32_t *fields) {
  (void)self;
  state *s = to;
  for (int i = 0; i < 2 + CELLS; ++i) {
    if (fields[i] < 0 || fields[i] > 3) return "fields are from 0 to 3";
    ((int8_t *)to)[i] = (int8_t)fields[i];
  }
  const int more = count(s, 1) - count(s, 2);
  if (count(s, STONE) > 1 || more < 0 || more > 1) return "no game leads there";
  return 0;
}

/* ---- a named reward: marks on the two end cells ---- */

static const char *reward_name(void *self, int32_t reward) {
  (void)self, (void)reward;
  return "ends";
}
static void reward_range(void *self, int32_t reward, double *range) {
  (void)self, (void)reward;
  range[0] = -2, range[1] = 2;
}
static void reward(void *self, int32_t which, const void *at, double *out) {
  (void)self, (void)which;
  const int8_t *cell = ((const state *)at)->cell;
  out[0] = (cell[0] == 1) + (cell[4] == 1) - (cell[0] == 2) - (cell[4] == 2);
  out[1] = -out[0];
}

/* ---- hidden cards ---- */

static void conceal(void *self, void *to, int32_t viewer) {
  (void)self;
  state *s = to;
  if (s->card[1 - viewer]) s->card[1 - viewer] = UNSEEN;
}
static void determinize(void *self, void *to, int32_t viewer, uint64_t *rng) {
  (void)self;
  state *s = to;
  const uint32_t drawn = bl_random_below(rng, 4);
  if (s->card[1 - viewer] == UNSEEN) s->card[1 - viewer] = (int8_t)(drawn < 2 ? 1 : drawn);
}
static int32_t completions(void *self, const void *at, int32_t viewer, int32_t capacity, void *states,
                           double *probabilities) {
  (void)self, (void)capacity;
  state *full = states;
  const int hidden = ((const state *)at)->card[1 - viewer] == UNSEEN, n = hidden ? 3 : 1;
  for (int i = 0; i < n; ++i) {
    full[i] = *(const state *)at;
    if (hidden) full[i].card[1 - viewer] = (int8_t)(i + 1);
    probabilities[i] = hidden ? DEAL[i] : 1;
  }
  return n;
}

/* ---- what learners read: the row as a player sees it, and the own card ---- */

static int32_t cell_values(void *self, int32_t cell) {
  (void)self, (void)cell;
  return STONE + 1;
}
static void board_vector(void *self, const void *at, int32_t viewer, uint8_t *cells) {
  (void)self;
  const state *s = at;
  for (int i = 0; i < CELLS; ++i) {
    const int value = s->cell[i];
    cells[i] = (uint8_t)(value == 0 || value == STONE ? value : value == 1 + viewer ? 1 : 2);
  }
  cells[CELLS] = (uint8_t)s->card[viewer];
}
static int32_t adjacency(void *self, int32_t cell, int32_t *neighbours) {
  (void)self;
  int32_t n = 0;
  if (cell > 0 && cell < CELLS) neighbours[n++] = cell - 1;
  if (cell < CELLS - 1) neighbours[n++] = cell + 1;
  return n;
}
static int32_t stage(void *self, const void *s) {
  (void)self;
  return count(s, STONE);
}
static int32_t feature_table_size(void *self, int32_t table) {
  (void)self, (void)table;
  return 4;
}
static void feature_indices(void *self, const void *s, int32_t viewer, int32_t *indices) {
  (void)self;
  indices[0] = ((const state *)s)->card[viewer];
}
static void planes(void *self, const void *s, int32_t viewer, float *out) {
  (void)self;
  out[0] = (float)((const state *)s)->card[viewer];
}
static void features(void *self, const void *s, int32_t viewer, double *out) {
  (void)self;
  out[0] = (double)((const state *)s)->card[viewer];
}
static double moves_left(void *self, const void *s) {
  (void)self;
  return count(s, 0);
}

/* ---- symmetry 1 is the mirror ---- */

static void symmetry(void *self, uint64_t g, void *to) {
  (void)self;
  state *s = to, old = *s;
  for (int i = 0; i < CELLS; ++i) s->cell[i] = old.cell[g ? CELLS - 1 - i : i];
}
static int32_t symmetry_action(void *self, uint64_t g, const void *s, int32_t action) {
  (void)self, (void)s;
  return g ? CELLS - 1 - action : action;
}
static int32_t symmetry_cells(void *self, uint64_t g, int32_t *source, uint8_t *values) {
  (void)self;
  for (int i = 0; i < CELLS; ++i) source[i] = g ? CELLS - 1 - i : i;
  source[CELLS] = CELLS;
  for (int i = 0; i < (CELLS + 1) * 256; ++i) values[i] = (uint8_t)i;
  return 1;
}

const bl_game *boardlab_game(void) {
  static bl_game table;
  memset(&table, 0, sizeof table);
  table.abi_version = BL_GAME_ABI;
  table.struct_size = sizeof table;
  table.state_size = sizeof(state);
  table.players = 2;
  table.action_count = table.outcome_count = table.max_legal = CELLS;
  table.horizon = 4;
  table.flags = BL_ZERO_SUM | BL_HIDDEN;
  table.min_score = -2;
  table.max_score = 2;
  table.field_count = 2 + CELLS;
  table.initial_state = initial_state;
  table.player = player;
  table.last_player = last_player;
  table.legal = legal;
  table.apply = apply;
  table.scores = scores;
  table.chance = chance;
  table.to_fields = to_fields;
  table.from_fields = from_fields;
  table.reward_count = 1;
  table.reward_name = reward_name;
  table.reward_range = reward_range;
  table.reward = reward;
  table.moves_left = moves_left;
  table.conceal = conceal;
  table.determinize = determinize;
  table.completions = completions;
  table.cells = CELLS + 1;
  table.stages = 2;
  table.feature_tables = 1;
  table.max_changes = CELLS + 1;
  table.cell_values = cell_values;
  table.board_vector = board_vector;
  table.adjacency = adjacency;
  table.stage = stage;
  table.feature_table_size = feature_table_size;
  table.feature_indices = feature_indices;
  table.symmetries = 2;
  table.symmetry = symmetry;
  table.symmetry_action = symmetry_action;
  table.symmetry_cells = symmetry_cells;
  table.plane_count = table.plane_rows = table.plane_cols = 1;
  table.planes = planes;
  table.feature_count = 1;
  table.features = features;
  return &table;
}
