/* The contract of a game: one C table of facts and functions over a flat state.
 *
 * Every game in BoardLab, built in or a user's own, is one `bl_game`. Nothing above this header knows
 * more about a game than the table says, and nothing in it needs C++: a game may be written in C, in
 * Rust, or in Python compiled to C functions.
 *
 * A STATE is `state_size` bytes without pointers. It is copied with memcpy, stored by the million,
 * and two states with equal bytes are the same position (no path-dependent leftovers, padding zeroed).
 * A state fits a transposition table only because of that.
 *
 * PLAYERS are 0 .. players-1, and player 0 begins. A position in which nature moves (dice, tiles, cards)
 * belongs to BL_CHANCE, a finished one to BL_TERMINAL. Players never move at the same time.
 *
 * An AFTER-STATE is the position that a player has just created, before nature or the next player moves.
 *
 * Functions never allocate, never throw, never keep a pointer that they were given. They are called with
 * legal input only: the border to Python checks every argument. Asked twice about one position they give the
 * same answer, unless they get an `rng`; a search that notices another one stops. `self` is the game's own parameters;
 * several threads call with the same `self` at once, so it is read only. Functions marked "optional"
 * may be null; `boardlab::Game` (game.h) then supplies the default named there.
 */
#ifndef BOARDLAB_CONTRACT_H
#define BOARDLAB_CONTRACT_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BL_GAME_ABI 2u

#define BL_CHANCE (-1)
#define BL_TERMINAL (-2)

/* The most players a game may have: value vectors have a fixed size. */
#define BL_MAX_PLAYERS 8

enum {
  BL_ZERO_SUM = 1u << 0,    /* the scores of a finished game always add up to zero */
  BL_LOOSE_RANGE = 1u << 1, /* min_score..max_score is a generous estimate: searches scale by what they see */
  BL_HIDDEN = 1u << 2,      /* players do not see the whole state: conceal and determinize must be there */
};

/* One cell of the board vector that an action changed. */
typedef struct bl_cell_change {
  int32_t cell;
  uint8_t before;
  uint8_t after;
} bl_cell_change;

/* A question to a game's own exact solver, and the answer. */
typedef struct bl_solution {
  int32_t outcome;                /* in: -1 for the score, or the number of a named reward */
  int64_t node_limit;             /* in: give up after about this many positions */
  int32_t (*stop)(void *context); /* in, may be null: asked now and then; give up when it is not 0 */
  void *context;
  double scores[BL_MAX_PLAYERS]; /* out: under best play, one a player */
  int32_t action;                /* out: an action that leads to them, or -1 where the solver does not say */
  int64_t nodes;                 /* out: positions looked at */
} bl_solution;

/* Cells whose values depend on one another, and the joint values that they can have. */
typedef struct bl_joint_values {
  int32_t cell_count; /* out */
  int32_t row_count;  /* out: the joint values, at most 65535 */
  int32_t *cells;     /* in: null, or room for cell_count cells */
  uint8_t *rows;      /* in: null, or room for row_count rows of cell_count values */
} bl_joint_values;

typedef struct bl_game {
  /* ---- version: checked before anything else is read ---- */
  uint32_t abi_version; /* BL_GAME_ABI */
  uint32_t struct_size; /* sizeof(bl_game) of the header that the game was compiled with; functions that were added
                           at the end since then count as null */

  /* ---- facts ---- */
  void *self;                  /* handed back to every function */
  void (*destroy)(void *self); /* optional: called once, when nobody needs the game any more */
  int32_t state_size;          /* bytes of a state */
  int32_t players;             /* 1 .. BL_MAX_PLAYERS */
  int32_t action_count;        /* actions are 0 .. action_count-1 */
  int32_t outcome_count;       /* chance outcomes are 0 .. outcome_count-1; 0 in a game without chance */
  int32_t max_legal;           /* no state has more legal actions or chance outcomes than this */
  int32_t horizon;             /* a playout is cut after this many actions */
  uint32_t flags;              /* BL_ZERO_SUM | ... */
  double min_score, max_score; /* range of a player's final score */
  double step_reward;          /* paid to the mover for every action, on top of the scores (cube: -0.04) */

  /* ---- must: the rules ---- */

  /* Set-up only (a scramble, a random start); dice, tiles and cards are chance nodes that follow.
   * `rng` is one 64-bit word of generator state, to be advanced with bl_random below. */
  void (*initial_state)(void *self, void *state, uint64_t *rng);
  /* 0 .. players-1, BL_CHANCE or BL_TERMINAL. */
  int32_t (*player)(void *self, const void *state);
  /* Who created this position: the player of the last action, or BL_CHANCE where nobody has moved yet. */
  int32_t (*last_player)(void *self, const void *state);
  /* Writes the legal actions of the player to move, ascending, and returns their number (at least 1). */
  int32_t (*legal)(void *self, const void *state, int32_t *actions);
  /* Plays a legal action, or at a chance node an outcome. */
  void (*apply)(void *self, void *state, int32_t action);
  /* One number a player: final in a terminal state, before that what was paid so far (0 in games that pay
   * at the end). */
  void (*scores)(void *self, const void *state, double *scores);

  /* Chance: the outcomes at a chance node with their probabilities (sum 1); null iff outcome_count is 0. */
  int32_t (*chance)(void *self, const void *state, int32_t *outcomes, double *probabilities);
  /* optional: an outcome drawn without listing them. Default: draws from `chance`. */
  int32_t (*sample_chance)(void *self, const void *state, uint64_t *rng);

  /* The state as plain integers, from which text is written and read back; from_fields writes `state` and
   * returns null, or returns one sentence that says what is impossible about the fields. It is given any
   * integers at all. */
  int32_t field_count;
  void (*to_fields)(void *self, const void *state, int32_t *fields);
  const char *(*from_fields)(void *self, void *state, const int32_t *fields);

  /* ---- optional: other outcomes than the score to train on, e.g. Othello's "discs" ---- */
  int32_t reward_count;
  const char *(*reward_name)(void *self, int32_t reward);
  void (*reward_range)(void *self, int32_t reward, double *min_max);
  void (*reward)(void *self, int32_t reward, const void *state, double *scores);

  /* ---- optional: how episodes start and end ---- */
  void (*training_start)(void *self, void *state, uint64_t *rng); /* Default: initial_state. */
  int32_t (*round_over)(void *self, const void *state);           /* Searches, rollouts and TD end here. Default: 0. */
  double (*moves_left)(void *self, const void *state);            /* An estimate. Default: unknown (horizon). */
  /* Exact scores under best play: 1, or 0 when it gives up or does not know this outcome. Never asked about a
   * terminal state or a chance node. It may keep memory for itself, but the answer must not depend on earlier
   * questions. Default: 0. */
  int32_t (*solve)(void *self, const void *state, bl_solution *solution);
  /* Uniformly random actions until the end, until the players made max_actions, or (cut_at_round) until the
   * round is over; returns the number of player actions. Default: the same loop over the functions above. */
  int32_t (*playout)(void *self, void *state, uint64_t *rng, int32_t max_actions, int32_t cut_at_round);

  /* ---- optional: hidden cards ---- */
  /* Erases in place what `player` may not see; what remains can be read by anyone. */
  void (*conceal)(void *self, void *state, int32_t player);
  /* Writes a key of at most observation_size bytes and returns its length: equal if and only if the player
   * cannot tell two histories apart (of earlier rounds only what still counts, such as chips, need be kept). Default:
   * the concealed state. */
  int32_t observation_size;
  int32_t (*observe)(void *self, const void *state, int32_t player, uint8_t *key);
  /* Fills in, at random with the right probabilities, what conceal(player) erased. */
  void (*determinize)(void *self, void *state, int32_t player, uint64_t *rng);
  /* Every full state that fits with its probability, `state_size` bytes each; -1 when there are more than
   * `capacity`. Default: -1. */
  int32_t (*completions)(void *self, const void *state, int32_t player, int32_t capacity, void *states,
                         double *probabilities);

  /* ---- optional: n-tuple networks ---- */
  int32_t cells;                                    /* length of the board vector; 0 when there is none */
  int32_t stages;                                   /* phases of the game with tables of their own; 0 counts as 1 */
  int32_t feature_tables;                           /* extra tables beside the tuples (Othello: mobility) */
  int32_t max_changes;                              /* most cells that one action changes in the board vector */
  int32_t (*cell_values)(void *self, int32_t cell); /* the cell's values are 0 .. this-1 (at most 256) */
  void (*board_vector)(void *self, const void *state, int32_t player, uint8_t *cells);
  int32_t (*adjacency)(void *self, int32_t cell, int32_t *neighbours); /* at most `cells` of them */
  int32_t (*stage)(void *self, const void *state);                     /* Default: 0. */
  int32_t (*feature_table_size)(void *self, int32_t table);
  void (*feature_indices)(void *self, const void *state, int32_t player, int32_t *indices);
  /* Plays the action as `apply` does and reports the cells of board_vector(state, player) that it changed.
   * Default: apply, then compare. */
  int32_t (*apply_changes)(void *self, void *state, int32_t action, int32_t player, bl_cell_change *changes);

  /* ---- optional: symmetries; g = 0 is the identity ---- */
  uint64_t symmetries; /* their number; a sampler draws 0 .. symmetries-1 (Sim K20 has 20!) */
  void (*symmetry)(void *self, uint64_t g, void *state); /* transforms in place */
  /* What an action in `state` becomes in the transformed state. */
  int32_t (*symmetry_action)(void *self, uint64_t g, const void *state, int32_t action);
  /* The fast form: cell c of the transformed board vector is values[c*256 + v], v the value of cell
   * source[c] before. Returns 1, or 0 when this symmetry has no such form. */
  int32_t (*symmetry_cells)(void *self, uint64_t g, int32_t *source, uint8_t *values);

  /* ---- optional: neural networks and feature-based TD ---- */
  /* Default: one plane for each value of the board vector's cells, then, where there are several players, one for each:
   * all ones in that of `player`. */
  int32_t plane_count, plane_rows, plane_cols;
  void (*planes)(void *self, const void *state, int32_t player, float *planes); /* [count][rows][cols] */
  int32_t feature_count;
  void (*features)(void *self, const void *state, int32_t player, double *features);

  /* ---- optional: smaller tables of n-tuple networks ---- */
  /* Group number `group` (0, 1, ...) of cells whose values depend on one another: a column of Connect Four is a stack,
   * so that few of the joint values of its cells can occur. Returns 0 where there is no such group, else 1. Called
   * first with null pointers, for the counts. No cell is in two groups; the product of a group's cell_values is at most
   * 2^22. The order of the rows is kept in trained networks: never change it. Default: no groups, every joint value can
   * occur. */
  int32_t (*joint_values)(void *self, int32_t group, bl_joint_values *joint);

  /* ---- optional: regret minimisation, which plays what is alike in the same way ---- */
  /* Writes a key of at most situation_size bytes and returns its length: what `player`, who is to move, acts by in this
   * round, whatever earlier rounds paid and whoever sits in the seat. Where hand_features is not 0 the key leaves out
   * cards, which that many of the features, the first ones, describe (poker: strength and potential). Only what the
   * player sees counts. Default: the observation and the player; the whole game then counts as one round. */
  int32_t (*situation)(void *self, const void *state, int32_t player, uint8_t *key);
  int32_t situation_size;
  int32_t hand_features;

  /* ---- optional: hidden cards that the play so far tells about ---- */
  /* Writes the state in which the round of `state` began and, in order, the actions and chance outcomes, at most
   * `capacity`, that lead from there to `state`. Returns their number, or -1 where there are more. Nothing in `state`
   * is concealed. Default: unknown. */
  int32_t (*retrace)(void *self, const void *state, void *start, int32_t capacity, int32_t *actions);
} bl_game;

/* ---- parameters ----
 *
 * A library exports one of two functions:
 *
 *     const bl_game *boardlab_game(void);                                           its one game
 *     const char *boardlab_make_game(bl_game *table, bl_parameters *parameters);    a game with these parameters
 *
 * The second fills `table`, which is all zeros, and returns null, or a sentence that says which parameters are
 * impossible. It is called once for every game that is made. `table->self` then holds what the parameters decide,
 * usually memory that `table->destroy` frees. A class in Python declares the parameters (boardlab.LibraryGame) and
 * checks their types and ranges; without such a class there are none, and bl_integer and its siblings return
 * `otherwise`.
 */

enum { BL_INTEGER = 1, BL_REAL = 2, BL_TEXT = 3, BL_INTEGERS = 4 };

typedef struct bl_parameter {
  const char *name;
  int32_t kind;     /* BL_INTEGER (also 1 for True, 0 for False), BL_REAL, BL_TEXT or BL_INTEGERS */
  int32_t is_asked; /* set below: BoardLab refuses a library that leaves out a parameter, as with a typing error */
  int64_t integer;  /* of kind BL_INTEGER */
  double real;      /* BL_REAL */
  const char *text; /* BL_TEXT: UTF-8, only while boardlab_make_game runs */
  const int64_t *integers; /* BL_INTEGERS: `count` of them, only while it runs */
  int32_t count;
} bl_parameter;

typedef struct bl_parameters {
  uint32_t abi_version; /* BL_GAME_ABI of the engine */
  uint32_t item_size;   /* sizeof(bl_parameter) of the engine, which may add members at the end */
  bl_parameter *items;
  int32_t count;
} bl_parameters;

static inline bl_parameter *bl_find(bl_parameters *parameters, const char *name, int32_t kind) {
  for (int32_t i = 0; i < parameters->count; ++i) {
    bl_parameter *item = (bl_parameter *)((char *)parameters->items + (size_t)i * parameters->item_size);
    if (item->kind == kind && strcmp(item->name, name) == 0) {
      item->is_asked = 1;
      return item;
    }
  }
  return 0;
}

static inline int64_t bl_integer(bl_parameters *parameters, const char *name, int64_t otherwise) {
  const bl_parameter *found = bl_find(parameters, name, BL_INTEGER);
  return found ? found->integer : otherwise;
}

static inline double bl_real(bl_parameters *parameters, const char *name, double otherwise) {
  const bl_parameter *found = bl_find(parameters, name, BL_REAL);
  return found ? found->real : otherwise;
}

static inline const char *bl_text(bl_parameters *parameters, const char *name, const char *otherwise) {
  const bl_parameter *found = bl_find(parameters, name, BL_TEXT);
  return found ? found->text : otherwise;
}

/* Copies at most `most` of the numbers and returns how many there are; -1 without this parameter. */
static inline int32_t bl_integers(bl_parameters *parameters, const char *name, int64_t *values, int32_t most) {
  const bl_parameter *found = bl_find(parameters, name, BL_INTEGERS);
  for (int32_t i = 0; found && i < found->count && i < most; ++i) values[i] = found->integers[i];
  return found ? found->count : -1;
}

/* splitmix64 (Steele, Lea, Flood 2014): one word of state, any seed is good, the same in every language. */
static inline uint64_t bl_random(uint64_t *rng) {
  uint64_t z = (*rng += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* 0 .. n-1, n < 2^32; the bias is below n/2^32. */
static inline uint32_t bl_random_below(uint64_t *rng, uint32_t n) {
  return (uint32_t)(((bl_random(rng) >> 32) * (uint64_t)n) >> 32);
}

/* [0, 1) */
static inline double bl_random_unit(uint64_t *rng) { return (double)(bl_random(rng) >> 11) * 0x1.0p-53; }

#ifdef __cplusplus
}
#endif

#endif
