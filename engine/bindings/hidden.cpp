// Searches for games with hidden cards.
#include "bindings/buckets.h"
#include "bindings/searches.h"
#include "search/completions.h"
#include "search/ismcts.h"

namespace boardlab {

void bind_hidden(nb::module_ &m) {
  m.def(
      "ismcts_search",
      [](const EvaluatorPtr &e, std::int64_t iterations, double c, const std::string &start, const std::string &choose,
         std::int64_t max_nodes, bool weigh, const std::vector<int> &buckets, const Numbers &bounds,
         std::uint64_t seed) {
        using Start = IsmctsOptions::Start;
        using Choice = IsmctsOptions::Choice;
        IsmctsOptions options;
        options.iterations = static_cast<std::int64_t>(checked_count("iterations", iterations, 1, 4'000'000'000));
        if (!(c >= 0 && c <= 1e6)) throw std::invalid_argument("c must be from 0 to 1000000");
        options.c = c;
        options.start = start == "deal" ? Start::DEAL : start == "position" ? Start::POSITION : Start::EITHER;
        options.choice = choose == "visits"   ? Choice::VISITS
                         : choose == "value"  ? Choice::VALUE
                         : choose == "sample" ? Choice::SAMPLE
                                              : Choice::EITHER;
        options.max_nodes = checked_count("max_nodes", max_nodes, 1024, 1ll << 31);
        options.weigh = weigh;
        if (!buckets.empty()) options.buckets = buckets_of(e->game(), buckets, bounds);
        if (!e->game().is_hidden())
          throw std::invalid_argument("ismcts is for games with hidden cards; for " + e->game().name() + " use mcts");
        return wrap(std::make_unique<IsmctsSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("iterations"), nb::arg("c"), nb::arg("start"), nb::arg("choose"),
      nb::arg("max_nodes"), nb::arg("weigh"), nb::arg("buckets"), nb::arg("bounds"), nb::arg("seed"));
  m.def(
      "completions_search",
      [](const EvaluatorPtr &e, std::int64_t depth, std::int64_t worlds, std::uint64_t seed) {
        CompletionsOptions options;
        options.depth = static_cast<int>(checked_count("depth", depth, 1, 200));
        options.worlds = static_cast<int>(checked_count("worlds", worlds, 1, 1 << 20));
        return wrap(std::make_unique<CompletionsSearch>(e->clone(), options, seed));
      },
      nb::arg("evaluator"), nb::arg("depth"), nb::arg("worlds"), nb::arg("seed"));
}

}  // namespace boardlab
