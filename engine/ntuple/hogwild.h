// One network, trained by several threads at once without locks (Hogwild; Recht, Re, Wright and Niu 2011). The threads
// play episodes of their own and read and write the same tables; a step that another thread overwrites is lost. So the
// result depends on the timing of the threads: it is not reproducible, and neither is a resumed run.
#pragma once

#include <memory>
#include <vector>

#include "core/workers.h"
#include "ntuple/td.h"

namespace boardlab::ntuple {

class HogwildLearner final : public TdLearner {
 public:
  HogwildLearner(NetworkPtr network, const TdSettings &settings, int threads, std::uint64_t seed);
  // `stop` is asked by the calling thread only.
  std::int64_t train(std::int64_t episodes, const std::function<bool()> &stop) override;

 private:
  std::vector<std::unique_ptr<TdLearner>> others_;  // the calling thread works as well
  Workers workers_;
};

}  // namespace boardlab::ntuple
