/* A game in C: take one, two or three from a heap of 21; whoever takes the last one wins.
 *
 * Build it from the root of the repository (elsewhere use -I "$(boardlab --include)"), let agents play it, and
 * train one:
 *
 *     cc -O2 -shared -fPIC -I engine examples/c_game/countdown.c -o libcountdown.so
 *     boardlab --plugin libcountdown.so match countdown mcts random
 *     boardlab --plugin libcountdown.so train countdown --episodes 5000
 */
#include <string.h>

#include "core/contract.h"

typedef struct {
  int32_t left;
  int32_t to_move;
} state;

static void initial_state(void *self, void *s, uint64_t *rng) {
  (void)self, (void)rng;
  *(state *)s = (state){21, 0};
}
static int32_t player(void *self, const void *s) {
  (void)self;
  return ((const state *)s)->left ? ((const state *)s)->to_move : BL_TERMINAL;
}
static int32_t last_player(void *self, const void *s) {
  (void)self;
  return ((const state *)s)->left == 21 ? BL_CHANCE : 1 - ((const state *)s)->to_move;
}
static int32_t legal(void *self, const void *s, int32_t *actions) {
  (void)self;
  int32_t count = 0;
  while (count < 3 && count < ((const state *)s)->left) actions[count] = count, ++count;
  return count;
}
static void apply(void *self, void *s, int32_t action) {
  (void)self;
  ((state *)s)->left -= action + 1;
  ((state *)s)->to_move ^= 1;
}
static void scores(void *self, const void *s, double *out) {
  (void)self;
  out[0] = ((const state *)s)->left ? 0 : ((const state *)s)->to_move ? 1 : -1;
  out[1] = -out[0];
}
static void to_fields(void *self, const void *s, int32_t *fields) {
  (void)self;
  fields[0] = ((const state *)s)->left;
  fields[1] = ((const state *)s)->to_move;
}
static const char *from_fields(void *self, void *s, const int32_t *fields) {
  (void)self;
  if (fields[0] < 0 || fields[0] > 21) return "the heap has from 0 to 21";
  if (fields[1] < 0 || fields[1] > 1) return "player 0 or 1 is to move";
  *(state *)s = (state){fields[0], fields[1]};
  return 0;
}

/* Optional, for n-tuple networks and neural nets: the heap as a row of 21 cells, taken or not. */
static int32_t cell_values(void *self, int32_t cell) {
  (void)self, (void)cell;
  return 2;
}
static void board_vector(void *self, const void *s, int32_t player, uint8_t *cells) {
  (void)self, (void)player;
  for (int32_t i = 0; i < 21; ++i) cells[i] = i < ((const state *)s)->left;
}
/* Neighbours are cells that one action may take together; tuples are random walks over them. */
static int32_t adjacency(void *self, int32_t cell, int32_t *neighbours) {
  (void)self;
  int32_t count = 0;
  for (int32_t other = 0; other < 21; ++other)
    if (other != cell && other - cell < 3 && cell - other < 3) neighbours[count++] = other;
  return count;
}

const bl_game *boardlab_game(void) {
  static bl_game table;
  memset(&table, 0, sizeof table);
  table.abi_version = BL_GAME_ABI;
  table.struct_size = sizeof table;
  table.state_size = sizeof(state);
  table.players = 2;
  table.action_count = 3;
  table.max_legal = 3;
  table.horizon = 21;
  table.flags = BL_ZERO_SUM;
  table.min_score = -1;
  table.max_score = 1;
  table.field_count = 2;
  table.initial_state = initial_state;
  table.player = player;
  table.last_player = last_player;
  table.legal = legal;
  table.apply = apply;
  table.scores = scores;
  table.to_fields = to_fields;
  table.from_fields = from_fields;
  table.cells = 21;
  table.max_changes = 3;
  table.cell_values = cell_values;
  table.board_vector = board_vector;
  table.adjacency = adjacency;
  return &table;
}
