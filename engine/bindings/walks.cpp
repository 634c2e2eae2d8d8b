#include "core/walks.h"

#include "bindings/module.h"

namespace boardlab {

namespace {

// A walker as Python holds it, for one thread at a time.
struct PyWalks {
  PyWalks(GamePtr game, const void *goal, int threads) : walks(std::move(game), goal, threads) {}
  RandomWalks walks;
  std::atomic<bool> busy{false};
};

class Busy {
 public:
  explicit Busy(PyWalks &w) : walks_(w) {
    if (walks_.busy.exchange(true)) throw std::invalid_argument("these walks are already running in another thread");
  }
  ~Busy() { walks_.busy = false; }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

 private:
  PyWalks &walks_;
};

}  // namespace

void bind_walks(nb::module_ &m) {
  nb::class_<PyWalks>(m, "RandomWalks", "Random walks away from the goal of a puzzle whose actions are always legal.")
      .def(
          "__init__",
          [](PyWalks *self, const PyState &goal, std::int64_t threads) {
            if (goal.player() != TERMINAL)
              throw std::invalid_argument("random walks must start from a goal, which is a finished game");
            new (self) PyWalks(goal.game, goal.data(), static_cast<int>(checked_count("threads", threads, 1, 1024)));
          },
          nb::arg("goal"), nb::arg("threads"))
      .def(
          "walk",
          [](PyWalks &self, std::int64_t walks, std::int64_t length, std::uint64_t seed, bool successors) {
            const std::size_t n = checked_count("walks", walks, 1, 1 << 24);
            const std::size_t steps = checked_count("length", length, 1, 100000);
            const std::size_t cells = self.walks.cells(), actions = self.walks.actions();
            if (n * steps > (std::size_t{1} << 32) / cells / (successors ? actions : 1))
              throw std::invalid_argument("these walks would take more than 4 GiB at once; use fewer or shorter ones");
            const Busy busy(self);
            std::uint8_t *rows, *next = nullptr, *solved = nullptr;
            auto row_array = new_array<std::uint8_t>({n * steps, cells}, &rows);
            nb::object next_array = nb::none(), solved_array = nb::none();
            if (successors) {
              next_array = nb::cast(new_array<std::uint8_t>({n * steps, actions, cells}, &next));
              solved_array = nb::cast(new_array<std::uint8_t>({n * steps, actions}, &solved));
            }
            {
              const WithoutGil release;
              self.walks.walk(n, steps, seed, rows, next, solved);
            }
            return nb::make_tuple(row_array, next_array, solved_array);
          },
          nb::arg("walks"), nb::arg("length"), nb::arg("seed"), nb::arg("successors") = false,
          "(cells, successors, solved): the board vectors after 1 .. length actions, walk by walk; with `successors` "
          "also those one action on, and whether they are the goal.");
}

}  // namespace boardlab
