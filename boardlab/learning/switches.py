"""Settings that do something only where another one, their switch, is on."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from boardlab.errors import BoardLabError

if TYPE_CHECKING:
    from boardlab.learning.learner import LearnerSettings

_SEARCH = {"search": ("off",)}
_TCL = {"coherence": ("off",)}
_WARM = {"warm_start": ("off",)}
_RAVE = {"warm_start": ("off", "rollout", "wro", "rhea")}

SWITCHES: dict[str, Mapping[str, tuple[Any, ...]]] = {
    "start_actions": {"choose_start": (0,)},
    "traces": {"lambda_": (0,)},
    "horizon_cut": {"lambda_": (0,)},
    "tc_init": _TCL,
    "tc_beta": {"coherence": ("off", "id")},
    "tc_accumulate": _TCL,
    "replay_batch": {"replay": (0,)},
    "search_iterations": _SEARCH,
    "search_cpuct": _SEARCH,
    "search_choice": _SEARCH,
    "target_depth": {"target": ("network",)},
    "fast_simulations": {"full_share": (1,)},
    "dirichlet": {"noise": (0,)},
    "resign_played_out": {"resign": (None,)},
    "warm_iterations": {**_WARM, "switch": ("adaptive",)},
    "warm_weight": {"warm_start": ("off", "rollout", "rave", "rora", "rhea")},
    "warm_policy": _WARM,
    "equivalence": _RAVE,
    "rave_of": _RAVE,
    "ranked_window": {"ranked_reward": (None,)},
    "gate_games": {"gate": (None,)},
}
"""A setting's switches, each with the values that leave it nothing to do; whichever of them a learner has."""


def idle_settings(wanted: "LearnerSettings", names: Iterable[str]) -> dict[str, str]:
    """Those of the named settings that do nothing in `wanted`, each with the switch that is off."""
    return {
        name: switch
        for name in names
        for switch, off in SWITCHES.get(name, {}).items()
        if hasattr(wanted, switch) and getattr(wanted, switch) in off
    }


def check_switches(wanted: "LearnerSettings", given: Iterable[str]) -> None:
    """Refuses a setting that was given and would do nothing; those of a preset may wait for their switch."""
    for name, switch in idle_settings(wanted, given).items():
        value = getattr(wanted, switch)
        written = switch.rstrip("_")
        if value is None:
            raise BoardLabError(f"{wanted.name}: {name} does nothing without {written}; give {written} too")
        raise BoardLabError(
            f"{wanted.name}: {name} does nothing with {written}={value}; give {written} another value"
        )
