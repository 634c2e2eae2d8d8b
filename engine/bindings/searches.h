// Declarations shared by the bindings of evaluators, searches and matches.
#pragma once

#include <stdexcept>

#include "bindings/module.h"
#include "search/search.h"

namespace boardlab {

using EvaluatorPtr = std::shared_ptr<Evaluator>;

// A search as Python holds it, for one thread at a time: a second call while it thinks is an error.
struct PySearch {
  explicit PySearch(std::unique_ptr<Search> s) : search(std::move(s)) {}
  std::unique_ptr<Search> search;
  std::atomic<bool> busy{false};
  std::atomic<bool> is_stopped{false};  // set by another thread; ends this call, or the next one
};
using SearchPtr = std::shared_ptr<PySearch>;

// A search that another thread has stopped.
struct StoppedSearch : std::runtime_error {
  StoppedSearch() : std::runtime_error("this search was stopped") {}
};

// Lets Ctrl-C and `stop` interrupt a search for the duration of one call.
class Interruptible {
 public:
  explicit Interruptible(PySearch &python) : search_(*python.search), is_stopped_(python.is_stopped) {
    search_.set_poll([this] { check(); });
  }
  void check() {
    if (is_stopped_.exchange(false)) throw StoppedSearch();
    signals_();
  }
  ~Interruptible() {
    search_.set_poll([] {});
  }
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

 private:
  Search &search_;
  std::atomic<bool> &is_stopped_;
  SignalPoll signals_;
};

class Busy {
 public:
  explicit Busy(PySearch &s) : search_(s) {
    if (search_.busy.exchange(true)) throw std::invalid_argument("this agent is already thinking in another thread");
  }
  ~Busy() { search_.busy = false; }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

 private:
  PySearch &search_;
};

inline SearchPtr wrap(std::unique_ptr<Search> search) { return std::make_shared<PySearch>(std::move(search)); }

// Throws if no player has to decide in this state.
void check_asked(const Game &game, const PyState &state);

Array<double> to_array(const std::vector<double> &values);

}  // namespace boardlab
