#include "evaluators/cell_weights.h"

#include <cmath>
#include <stdexcept>

namespace boardlab {

CellWeightsEvaluator::CellWeightsEvaluator(GamePtr g, std::vector<double> weights)
    : Evaluator(std::move(g), SCORE),
      weights_(std::move(weights)),
      fields_(static_cast<std::size_t>(game().table().field_count)) {
  if (game().players() != 2 || weights_.empty() || weights_.size() > fields_.size())
    throw std::invalid_argument("weights of cells do not fit " + game().name());
  for (const double weight : weights_) total_ += std::abs(weight);
}

void CellWeightsEvaluator::value(const void *state, Rng &, double *out) {
  game().table().to_fields(game().table().self, state, fields_.data());
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    sum += fields_[i] == 1 ? weights_[i] : fields_[i] == 2 ? -weights_[i] : 0;
  out[0] = sum / total_;
  out[1] = -out[0];
}

}  // namespace boardlab
