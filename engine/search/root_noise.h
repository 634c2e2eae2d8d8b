// Dirichlet noise on the priors of the root (Silver et al. 2017).
#pragma once

#include <vector>

#include "core/rng.h"
#include "search/node_pool.h"
#include "search/tree_options.h"

namespace boardlab {

class RootNoise {
 public:
  // P <- (1 - fraction) P + fraction Dir(alpha)
  void add(NodePool &nodes, const TreeOptions &options, Rng &rng);
  void remove(NodePool &nodes);
  void forget() { clean_.clear(); }  // with the tree

 private:
  std::vector<float> clean_;  // the priors without noise; empty while there is none
};

}  // namespace boardlab
