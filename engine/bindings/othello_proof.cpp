#include "games/othello_proof.h"

#include "bindings/module.h"

namespace boardlab {

namespace {

// A proof as Python holds it, for one thread at a time.
struct PyOthelloProof {
  explicit PyOthelloProof(const othello::ProofOptions &options) : proof(othello::make_proof(options)) {}
  std::unique_ptr<othello::Proof> proof;
  std::atomic<bool> busy{false};
};

class Asking {
 public:
  explicit Asking(PyOthelloProof &p) : proof_(p) {
    if (proof_.busy.exchange(true)) throw std::invalid_argument("this proof is already at work in another thread");
  }
  ~Asking() { proof_.busy = false; }
  Asking(const Asking &) = delete;
  Asking &operator=(const Asking &) = delete;

 private:
  PyOthelloProof &proof_;
};

void check_boards(std::uint64_t own, std::uint64_t other) {
  if (own & other) throw std::invalid_argument("a cell holds discs of both players");
  if ((own | other) >> 36) throw std::invalid_argument("a 6x6 board has 36 cells");
}

}  // namespace

void bind_othello_proof(nb::module_ &m) {
  nb::class_<PyOthelloProof>(m, "OthelloProof", "Bounds on the value of 6x6 Othello positions, from far away.")
      .def(
          "__init__",
          [](PyOthelloProof *self, std::int64_t table_mb, std::int64_t lessons, std::uint64_t seed,
             std::int64_t images_from, unsigned without) {
            othello::ProofOptions options;
            options.table_mb = static_cast<std::int64_t>(checked_count("table_mb", table_mb, 1, 1 << 20));
            options.lessons = static_cast<std::int64_t>(checked_count("lessons", lessons, 0, 100'000'000));
            options.seed = seed;
            options.images_from = static_cast<int>(checked_count("images_from", images_from, 8, 36));
            options.without = without;
            const WithoutGil release;
            new (self) PyOthelloProof(options);
          },
          nb::arg("table_mb") = 64, nb::arg("lessons") = othello::ProofOptions{}.lessons, nb::arg("seed") = 0,
          nb::arg("images_from") = othello::ProofOptions{}.images_from, nb::arg("without") = 0)
      .def(
          "bound",
          [](PyOthelloProof &self, std::uint64_t own, std::uint64_t other, std::int64_t least) {
            check_boards(own, other);
            if (least < -36 || least > 36) throw std::invalid_argument("a difference of discs lies between -36 and 36");
            const Asking asking(self);
            SignalPoll signals;
            const WithoutGil release;
            return self.proof->bound(
                own, other, static_cast<int>(least), [](void *poll) { (*static_cast<SignalPoll *>(poll))(); },
                &signals);
          },
          nb::arg("own"), nb::arg("other"), nb::arg("least"),
          "A lower bound on the value if it is at least `least`, otherwise an upper bound.")
      .def(
          "guess",
          [](PyOthelloProof &self, std::uint64_t own, std::uint64_t other, std::int64_t depth) {
            check_boards(own, other);
            const auto checked = static_cast<int>(checked_count("depth", depth, 0, 32));
            const Asking asking(self);
            const WithoutGil release;
            return self.proof->guess(own, other, checked);
          },
          nb::arg("own"), nb::arg("other"), nb::arg("depth"), "The value in 1/128 discs, by a search with the guess.")
      .def_prop_ro("nodes", [](const PyOthelloProof &self) { return self.proof->nodes; });
}

}  // namespace boardlab
