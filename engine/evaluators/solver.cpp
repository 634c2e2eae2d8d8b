#include "evaluators/solver.h"

#include <stdexcept>

namespace boardlab {

void SolverEvaluator::value(const void *state, Rng &, double *out) {
  bl_solution solution;
  if (!game().solve(state, outcome(), INT64_MAX, poll, solution))
    throw std::invalid_argument(game().name() + " has no exact solver for this position");
  std::copy(solution.scores, solution.scores + game().players(), out);
}

}  // namespace boardlab
