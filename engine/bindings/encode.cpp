#include "bindings/python_evaluator.h"

namespace boardlab {

// A learner stores its examples as fields, which are small and are checked when they are read. A net gets them as
// arrays, each transformed by a symmetry if the net is to learn that symmetric positions are equivalent.
void bind_encode(nb::module_ &m) {
  m.def(
      "encode",
      [](const std::shared_ptr<Game> &game,
         const nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> &fields,
         const nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> &symmetries,
         const std::string &inputs) {
        const std::size_t rows = fields.shape(0), width = static_cast<std::size_t>(game->table().field_count);
        if (fields.shape(1) != width)
          throw std::invalid_argument("a state of " + game->name() + " has " + std::to_string(width) + " fields, not " +
                                      std::to_string(fields.shape(1)));
        if (symmetries.shape(0) != rows) throw std::invalid_argument("there must be one symmetry for every state");
        ArrayBatch batch(Encoding(game, inputs_named(inputs)));
        batch.reserve(rows);
        const std::size_t actions = batch.encoding().actions();
        std::int32_t *images;
        auto image_array = new_array<std::int32_t>({rows, actions}, &images);
        {
          const WithoutGil release;
          StateBuffer state(*game);
          std::vector<Action> legal(static_cast<std::size_t>(game->max_legal())), turned(legal.size());
          for (std::size_t i = 0; i < rows; ++i) {
            state = StateBuffer(*game);
            if (const char *error =
                    game->table().from_fields(game->table().self, state.data(), fields.data() + i * width))
              throw std::invalid_argument("state " + std::to_string(i) + ": " + error);
            if (game->player(state.data()) < 0)
              throw std::invalid_argument("state " + std::to_string(i) + ": it is no player's turn");
            const std::uint64_t g = symmetries.data()[i];
            if (g >= game->symmetries())
              throw std::invalid_argument("there is no symmetry " + std::to_string(g) + "; " + game->name() + " has " +
                                          std::to_string(game->symmetries()));
            const auto n = static_cast<std::size_t>(game->legal(state.data(), legal.data()));
            std::int32_t *row = images + i * actions;
            std::fill_n(row, actions, -1);
            for (std::size_t k = 0; k < n; ++k) {
              turned[k] = game->symmetry_action(g, state.data(), legal[k]);
              row[legal[k]] = turned[k];
            }
            game->symmetry(g, state.data());
            batch.encoding().write(state.data(), {turned.data(), n}, batch.input_row(i), batch.legal_row(i));
          }
        }
        return nb::make_tuple(batch.inputs(rows), batch.legal(rows), image_array);
      },
      nb::arg("game"), nb::arg("fields").noconvert(), nb::arg("symmetries").noconvert(), nb::arg("inputs"),
      "(inputs, legal, images): states as a net sees them, each turned by its symmetry; images[i, a] is the image of "
      "the legal action a, -1 elsewhere.");
}

}  // namespace boardlab
