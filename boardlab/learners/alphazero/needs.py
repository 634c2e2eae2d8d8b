"""Settings of AlphaZero that do nothing unless another one is on."""

from collections.abc import Mapping, Sequence

from boardlab.options import Need, Not
from boardlab.search.enhancements import ENHANCEMENTS

_WARM = {"warm_start": Not("off")}
_WEIGHTED = {"warm_start": [name for name, made in ENHANCEMENTS.items() if made.is_weighted]}
_RAVED: Need = {"warm_start": [name for name, made in ENHANCEMENTS.items() if made.rave], "rave": (True,)}
# With Gumbel's root in all trees there is no noise and no temperature. An enhancement has PUCT's root, and so
# have both sides of an arena.
_NOT_GUMBEL: tuple[Need, ...] = (
    {"gumbel": (None,), "warm_start": Not("off")},
    {"gumbel": (None,), "warm_start": Not("rhea"), "switch": Not("fixed")},
)
_GENERATIONS = {"window_positions": (None,)}

NEEDS: Mapping[str, Sequence[Need]] = {
    "blocks": [{"net": Not("wang")}],
    "head_filters": [{"net": Not("wang", "mlp")}],
    "hidden": [{"net": Not("wang")}],
    "fast_simulations": [{"full_share": Not(1)}],
    "noise": [{"noise_fraction": Not(0)}, *_NOT_GUMBEL],
    "noise_fraction": [{"noise": Not(None)}, *_NOT_GUMBEL],
    "c_visit": [{"gumbel": Not(None)}],
    "c_scale": [{"gumbel": Not(None)}],
    "temperature_moves": [{**need, "one_hot": (True,)} for need in _NOT_GUMBEL],
    "resign_played_out": [{"resign": Not(None)}],
    "switch": [_WARM],
    "warm_iterations": [_WARM, {"switch": Not("adaptive")}],
    "warm_weight": [_WEIGHTED],
    "warm_decay": [_WEIGHTED, {"warm_weight": (None,)}, {"switch": Not("adaptive")}],
    "warm_policy": [{"warm_start": Not("off", "rhea")}],
    "equivalence": [_RAVED],
    "rave_of": [_RAVED],
    "ranked_window": [{"ranked_reward": Not(None)}],
    "window": [_GENERATIONS],
    "window_first": [_GENERATIONS],
    "gate_games": [{"gate": Not(None)}],
    "play_leaf_visits": [{"play_batch": Not(1)}],
    "play_noise_fraction": [{"play_noise": Not(None)}],
    "play_c_visit": [{"play_gumbel": Not(None)}],
    "play_c_scale": [{"play_gumbel": Not(None)}],
    "play_equivalence": [{"play_rave": (True,)}],
    "play_rave_of": [{"play_rave": (True,)}],
}
