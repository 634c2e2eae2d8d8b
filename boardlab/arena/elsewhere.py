"""What other processes know: everything but names that were registered in this one."""

import re
from collections.abc import Sequence

from boardlab.errors import BoardLabError
from boardlab.evaluators.features import OWN_FEATURES
from boardlab.registries import REGISTRIES
from boardlab.search.agent import Agent

KINDS = ("learner", "evaluator", "agent", "exam")


def check_rebuilt_elsewhere(agents: Sequence[str | Agent], words: str = "") -> None:
    """Refuse agents that the workers of jobs cannot make from their expressions.

    `words` has further expressions and names of exams.
    """
    names = [agent.expression if isinstance(agent, Agent) else agent for agent in agents]
    for agent, name in zip(agents, names, strict=True):
        if name.strip() == "human":
            raise BoardLabError("a person plays at one terminal, so human needs jobs=1")
        if isinstance(agent, Agent) and agent.seed is None:
            raise BoardLabError(
                f"the agent {name} is an object of this process, and other processes cannot make it again; "
                "give its expression, register it in a plugin, or use jobs=1"
            )
    check_known_elsewhere(" ".join([*names, words]))


def check_known_elsewhere(words: str, features: str | None = None) -> None:
    """Refuse names registered in this process: the workers of jobs do not have them.

    `words` has expressions and names of exams and learners. What plugins register the workers have as well.
    """
    used = re.findall(r"[A-Za-z_][\w-]*", words)
    known = {kind: REGISTRIES[kind].own_here() for kind in KINDS if kind in REGISTRIES}
    own = [f'the {kind} "{name}" was' for kind, names in known.items() for name in names if name in used]
    if isinstance(features, str) and features in OWN_FEATURES.own_here():
        own.append(f'the features "{features}" were')
    if own:
        raise BoardLabError(
            f"{own[0]} registered in this process, and the processes of jobs do not know them; use jobs=1, "
            "or register them in a file: boardlab --plugin FILE COMMAND ... --jobs N"
        )
