#include "games/othello_proof.h"

#include <algorithm>
#include <new>

#include "core/levels.h"
#include "games/othello_board.inc"

namespace boardlab::othello {

Proof::~Proof() = default;

std::unique_ptr<Proof> make_proof_baseline(const ProofOptions &options);
std::unique_ptr<Proof> make_proof_avx2(const ProofOptions &options);

std::unique_ptr<Proof> make_proof(const ProofOptions &options) {
#ifdef BOARDLAB_X86_LEVELS
  if (has_level("avx2")) return make_proof_avx2(options);
#endif
  return make_proof_baseline(options);
}

namespace {

using Six = Board<6>;

// Thrown through the proof when whoever asked wants no answer any more.
struct GivenUp {};

struct Limits {
  const Endgame &question;
  const Proof &proof;
};

void check_limits(void *limits) {
  const auto &[question, proof] = *static_cast<const Limits *>(limits);
  if (proof.nodes >= question.node_limit || (question.stop && question.stop(question.context))) throw GivenUp{};
}

// By null windows, each next to the bound that the last one found (MTD(f), Plaat et al. 1996).
void prove(Proof &proof, Endgame &question) {
  const auto own = static_cast<Bits64>(question.own), other = static_cast<Bits64>(question.other);
  Limits limits{question, proof};
  const auto bound = [&](Bits64 mine, Bits64 theirs, int least) {
    return proof.bound(mine, theirs, least, check_limits, &limits);
  };
  int lower = question.alpha, upper = question.beta, next = 0;
  while (lower < upper) {
    const int least = std::clamp(next, lower + 1, upper);
    const int found = bound(own, other, least);
    (found < least ? upper : lower) = question.value = found;
    next = found < least ? found : found + 1;
  }
  // An action that reaches the value; any, if the value is only known to lie below the window. The table knows most of
  // the answers by now.
  const Bits64 actions = Six::moves(own, other);
  question.best = actions ? lowest(actions) : -1;
  for (Bits64 rest = actions; rest && question.value > question.alpha; rest &= rest - 1) {
    const Bits64 here = rest & -rest, flipped = Six::flips(here, own, other);
    const int most = 1 - question.value;  // what the other side must not reach
    if (bound(other & ~flipped, own | flipped | here, most) >= most) continue;
    question.best = lowest(rest);
    break;
  }
}

}  // namespace

bool prove(Endgame &question) {
  ProofOptions options;
  options.table_mb = 1024;
  try {
    const std::unique_ptr<Proof> proof = make_proof(options);
    bool is_answered = true;
    try {
      prove(*proof, question);
    } catch (const GivenUp &) {
      is_answered = false;
    }
    question.nodes = proof->nodes;
    return is_answered;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

}  // namespace boardlab::othello
