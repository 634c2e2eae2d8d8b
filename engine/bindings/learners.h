// Declarations shared by the bindings of learners.
#pragma once

#include "bindings/module.h"
#include "ntuple/self_play.h"

namespace boardlab {

// A learner as Python holds it, for one thread at a time.
struct PyLearner {
  explicit PyLearner(std::unique_ptr<ntuple::SelfPlay> l) : learner(std::move(l)) {}
  std::unique_ptr<ntuple::SelfPlay> learner;
  std::atomic<bool> busy{false};
};
// The same with its kind of learner, for functions that only that kind has.
template <class Kind>
struct PyKindOfLearner : PyLearner {
  explicit PyKindOfLearner(std::unique_ptr<Kind> l) : PyLearner(std::move(l)) {}
  const Kind &kind() const { return static_cast<const Kind &>(*learner); }
};

// Settings of self-play with the outcome of that name; throws if one is out of range.
ntuple::TdSettings checked_self_play(const Game &game, ntuple::TdSettings settings, const std::string &outcome);

}  // namespace boardlab
