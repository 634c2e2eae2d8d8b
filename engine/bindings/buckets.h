// Buckets of hands from Python.
#pragma once

#include "bindings/module.h"
#include "tabular/situations.h"

namespace boardlab {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Nothing but finite bounds in ascending order, as many as the shape needs, gives buckets. Throws
// std::invalid_argument if the shape does not fit the game's hands.
tabular::BucketsPtr buckets_of(const Game &game, const std::vector<int> &shape, const Numbers &bounds);

}  // namespace boardlab
