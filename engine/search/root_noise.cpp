#include "search/root_noise.h"

#include "core/distributions.h"

namespace boardlab {

namespace {

// A draw from the Dirichlet distribution, not yet divided by its sum.
double draw(std::vector<double> &noise, double alpha, Rng &rng) {
  double sum = 0;
  for (double &x : noise) sum += x = draw_gamma(alpha, rng);
  if (sum > 0) return sum;
  // A tiny alpha puts everything on one action, and rounding has left nothing of it.
  noise[rng.below(static_cast<std::uint32_t>(noise.size()))] = 1;
  return 1;
}

}  // namespace

void RootNoise::add(NodePool &nodes, const TreeOptions &options, Rng &rng) {
  const Node &root = nodes.root();
  std::vector<double> noise(root.count);
  const double sum = draw(noise, options.noise_alpha, rng), fraction = options.noise_fraction;
  clean_.resize(root.count);
  for (std::uint32_t i = 0; i < root.count; ++i) {
    float &prior = nodes[root.first + i].prior;
    clean_[i] = prior;
    prior = static_cast<float>((1 - fraction) * prior + fraction * noise[i] / sum);
  }
}

void RootNoise::remove(NodePool &nodes) {
  const std::uint32_t first = nodes.root().first;
  for (std::size_t i = 0; i < clean_.size(); ++i) nodes[first + static_cast<std::uint32_t>(i)].prior = clean_[i];
  clean_.clear();
}

}  // namespace boardlab
