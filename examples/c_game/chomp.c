/* Chomp in C, with parameters: the rules of chomp.py, which gives them names and pictures.
 *
 * A bar of chocolate; a bite at a piece takes it and all that is below and to the right of it. The piece top left
 * is poisoned: who has nothing else left to take loses.
 */
#include <stdlib.h>
#include <string.h>

#include "core/contract.h"

enum { MOST = 8 };

typedef struct {
  int32_t length[MOST]; /* pieces left in each row */
  int32_t to_move;
  int32_t bitten; /* whether anybody has moved */
} state;

typedef struct {
  int32_t rows, cols;
} rules;

static void initial_state(void *self, void *s, uint64_t *rng) {
  const rules *r = self;
  (void)rng;
  memset(s, 0, sizeof(state));
  for (int32_t row = 0; row < r->rows; ++row) ((state *)s)->length[row] = r->cols;
}
static int32_t player(void *self, const void *s) {
  const state *at = s;
  (void)self;
  return at->length[0] == 1 && at->length[1] == 0 ? BL_TERMINAL : at->to_move;
}
static int32_t last_player(void *self, const void *s) {
  (void)self;
  return ((const state *)s)->bitten ? 1 - ((const state *)s)->to_move : BL_CHANCE;
}
static int32_t legal(void *self, const void *s, int32_t *actions) {
  const rules *r = self;
  int32_t count = 0;
  for (int32_t row = 0; row < r->rows; ++row)
    for (int32_t col = 0; col < ((const state *)s)->length[row]; ++col)
      if (row || col) actions[count++] = row * r->cols + col;
  return count;
}
static void apply(void *self, void *s, int32_t action) {
  const rules *r = self;
  state *at = s;
  for (int32_t row = action / r->cols; row < r->rows; ++row)
    if (at->length[row] > action % r->cols) at->length[row] = action % r->cols;
  at->to_move ^= 1;
  at->bitten = 1;
}
static void scores(void *self, const void *s, double *out) {
  const state *at = s;
  out[0] = player(self, s) != BL_TERMINAL ? 0 : at->to_move == 0 ? -1 : 1;
  out[1] = -out[0];
}

/* The fields are the lengths of the rows, who moves, and whether anybody has moved. */
static void to_fields(void *self, const void *s, int32_t *fields) {
  const rules *r = self;
  const state *at = s;
  memcpy(fields, at->length, (size_t)r->rows * sizeof *fields);
  fields[r->rows] = at->to_move;
  fields[r->rows + 1] = at->bitten;
}
static const char *from_fields(void *self, void *s, const int32_t *fields) {
  const rules *r = self;
  state at = {{0}, fields[r->rows], fields[r->rows + 1]};
  for (int32_t row = 0; row < r->rows; ++row) {
    at.length[row] = fields[row];
    if (fields[row] < 0 || fields[row] > (row ? fields[row - 1] : r->cols))
      return "no row is longer than the bar or than the row above it";
  }
  if (at.length[0] == 0) return "the piece top left is never taken";
  if (at.to_move < 0 || at.to_move > 1 || at.bitten < 0 || at.bitten > 1) return "the last two fields are 0 or 1";
  *(state *)s = at;
  return 0;
}

/* Optional, for n-tuple networks and neural nets: which pieces are left. */
static int32_t cell_values(void *self, int32_t cell) {
  (void)self, (void)cell;
  return 2;
}
static void board_vector(void *self, const void *s, int32_t player, uint8_t *cells) {
  const rules *r = self;
  (void)player;
  for (int32_t cell = 0; cell < r->rows * r->cols; ++cell)
    cells[cell] = cell % r->cols < ((const state *)s)->length[cell / r->cols];
}
static int32_t adjacency(void *self, int32_t cell, int32_t *neighbours) {
  const rules *r = self;
  int32_t count = 0;
  if (cell >= r->cols) neighbours[count++] = cell - r->cols;
  if (cell < (r->rows - 1) * r->cols) neighbours[count++] = cell + r->cols;
  if (cell % r->cols) neighbours[count++] = cell - 1;
  if ((cell + 1) % r->cols) neighbours[count++] = cell + 1;
  return count;
}

const char *boardlab_make_game(bl_game *table, bl_parameters *parameters) {
  const rules given = {(int32_t)bl_integer(parameters, "rows", 4), (int32_t)bl_integer(parameters, "cols", 5)};
  const int32_t cells = given.rows * given.cols;
  if (cells < 2) return "a bar of one piece is no game";
  rules *made = malloc(sizeof *made);
  if (!made) return "there is no memory";
  *made = given;
  table->abi_version = BL_GAME_ABI, table->struct_size = sizeof *table;
  table->self = made, table->destroy = free;
  table->state_size = sizeof(state), table->players = 2, table->flags = BL_ZERO_SUM;
  table->min_score = -1, table->max_score = 1;
  table->action_count = table->max_legal = table->horizon = cells;
  table->field_count = given.rows + 2;
  table->initial_state = initial_state, table->player = player, table->last_player = last_player;
  table->legal = legal, table->apply = apply, table->scores = scores;
  table->to_fields = to_fields, table->from_fields = from_fields;
  table->cells = table->max_changes = cells, table->cell_values = cell_values;
  table->board_vector = board_vector, table->adjacency = adjacency;
  return 0;
}
