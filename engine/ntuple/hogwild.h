// One network, trained by several threads at once without locks (Hogwild; Recht, Re, Wright and Niu 2011). Each thread
// plays its own episodes, and all read and write the same tables; an update that another thread overwrites is lost. So
// the result depends on timing: neither it nor a resumed run is reproducible.
#pragma once

#include <memory>
#include <vector>

#include "core/workers.h"
#include "ntuple/td.h"

namespace boardlab::ntuple {

class HogwildLearner final : public TdLearner {
 public:
  HogwildLearner(NetworkPtr network, const TdSettings &settings, int threads, std::uint64_t seed);
  // Only the calling thread calls `stop`.
  std::int64_t train(std::int64_t episodes, const std::function<bool()> &stop) override;
  void follow(const Pace &pace) override;

 private:
  std::vector<std::unique_ptr<TdLearner>> others_;  // the calling thread works as well
  Workers workers_;
};

}  // namespace boardlab::ntuple
