"""Settings that do something only where another one, their switch, is on, or in some games."""

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError
from boardlab.games.game import Game
from boardlab.options import values_of
from boardlab.search.enhancements import ENHANCEMENTS

if TYPE_CHECKING:
    from boardlab.learners.learner import LearnerSettings

Case = Mapping[str, Container[Any]]


class _Set:
    """Every value but None."""

    def __contains__(self, value: object) -> bool:
        return value is not None


_SET = _Set()
_SEARCH = {"search": ("off",)}
_TCL = {"coherence": ("off",)}
_WARM = {"warm_start": ("off",)}
_UNWEIGHTED = {"warm_start": ("off", "rhea", *(n for n, e in ENHANCEMENTS.items() if not e.is_weighted))}
_UNRAVED = {
    "warm_start": ("off", "rhea", *(n for n, e in ENHANCEMENTS.items() if not e.rave)),
    "rave": (False,),
}
# Where all trees have Gumbel's root; that of an enhancement is PUCT's, and in an arena that of both sides.
_GUMBEL: tuple[Case, ...] = (
    {"gumbel": _SET, "warm_start": ("off",)},
    {"gumbel": _SET, "warm_start": ("rhea",), "switch": ("fixed",)},
)
_POSITIONS = {"window_positions": _SET}

SWITCHES: dict[str, tuple[Case, ...]] = {
    "epsilon_episodes": ({"epsilon_final": (None,)},),
    "start_actions": ({"choose_start": (0,)},),
    "start_actions_min": ({"choose_start": (0,)},),
    "traces": ({"lambda_": (0,)}, {"gamma": (0,)}),
    # A decay of 0 or 1 does not fall below the cut on the way.
    "horizon_cut": ({"lambda_": (0,)}, {"gamma": (0,)}, {"lambda_": (1,), "gamma": (1,)}),
    "tc_init": (_TCL,),
    "tc_beta": ({"coherence": ("off", "id")},),
    "tc_accumulate": (_TCL,),
    "replay_batch": ({"replay": (0,)},),
    "search_iterations": (_SEARCH,),
    "search_cpuct": (_SEARCH,),
    "search_choice": (_SEARCH,),
    "search_paper": (_SEARCH,),
    "target_depth": ({"target": ("network",)},),
    "blocks": ({"net": ("wang",)},),
    "head_filters": ({"net": ("wang", "mlp")},),
    "hidden": ({"net": ("wang",)},),
    "fast_simulations": ({"full_share": (1,)},),
    "noise": ({"noise_fraction": (0,)}, *_GUMBEL),
    "noise_fraction": ({"noise": (None,)}, *_GUMBEL),
    "c_visit": ({"gumbel": (None,)},),
    "c_scale": ({"gumbel": (None,)},),
    "temperature_moves": tuple({**case, "one_hot": (False,)} for case in _GUMBEL),
    "resign_played_out": ({"resign": (None,)},),
    "switch": (_WARM,),
    "warm_iterations": (_WARM, {"switch": ("adaptive",)}),
    "warm_weight": (_UNWEIGHTED,),
    "warm_decay": (_UNWEIGHTED, {"warm_weight": _SET}, {"switch": ("adaptive",)}),
    "warm_policy": ({"warm_start": ("off", "rhea")},),
    "equivalence": (_UNRAVED,),
    "rave_of": (_UNRAVED,),
    "ranked_window": ({"ranked_reward": (None,)},),
    "window": (_POSITIONS,),
    "window_first": (_POSITIONS,),
    "gate_games": ({"gate": (None,)},),
    "play_leaf_visits": ({"play_batch": (1,)},),
    "play_noise_fraction": ({"play_noise": (None,)},),
    "play_c_visit": ({"play_gumbel": (None,)},),
    "play_c_scale": ({"play_gumbel": (None,)},),
    "play_equivalence": ({"play_rave": (False,)},),
    "play_rave_of": ({"play_rave": (False,)},),
}
"""When a setting has nothing to do: where all switches of a case are off, each with its values that are that.

A case counts where the learner has its switches; its first one is what a sentence about it names.
"""


def idle_settings(wanted: "LearnerSettings", names: Iterable[str]) -> dict[str, str]:
    """Those of the named settings that do nothing in `wanted`, each with the switch that is off."""
    values = values_of(wanted)
    return {
        name: next(iter(case))
        for name in names
        for case in SWITCHES.get(name, ())
        if all(switch in values and values[switch] in off for switch, off in case.items())
    }


def check_switches(wanted: "LearnerSettings", given: Iterable[str]) -> None:
    """Refuses a setting that was given and would do nothing; those of a preset may wait for their switch."""
    for name, switch in idle_settings(wanted, given).items():
        value = values_of(wanted)[switch]
        written = switch.rstrip("_")
        if value is None:
            raise BoardLabError(f"{wanted.name}: {name} does nothing without {written}; give {written} too")
        if any(case.get(switch) is _SET for case in SWITCHES[name]):
            raise BoardLabError(
                f"{wanted.name}: {name} does nothing with {written}={value}; leave it out, or set "
                f"{written} to None"
            )
        raise BoardLabError(
            f"{wanted.name}: {name} does nothing with {written}={value}; give {written} another value"
        )


def check_for_game(wanted: "LearnerSettings", game: Game, given: Iterable[str]) -> None:
    """Refuses a setting that was given and asks for more than the game has."""
    if "staged" in given and getattr(wanted, "staged", False) and game.core.stages == 1:
        raise BoardLabError(
            f"{wanted.name}: staged does nothing in {game.name}, which has one stage; leave it out"
        )
    symmetries = getattr(wanted, "symmetries", 0)
    if "symmetries" in given and symmetries > game.symmetries:
        raise BoardLabError(
            f"{wanted.name}: symmetries must be at most {game.symmetries}, as many as {game.name} has, not "
            f"{symmetries}; 0 is all of them"
        )
