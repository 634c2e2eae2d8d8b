"""Register users' own agents and evaluators, written in Python, by name."""

from collections.abc import Callable
from dataclasses import dataclass, fields, make_dataclass
from typing import Any, TypeVar, overload

from boardlab import _engine
from boardlab.errors import BoardLabError, shown
from boardlab.evaluators import EVALUATORS, Evaluator, EvaluatorSpec
from boardlab.evaluators.python import Factory as JudgeFactory
from boardlab.evaluators.python import OwnEvaluator, check_inputs, check_own_name, own_evaluator
from boardlab.games.game import Game
from boardlab.options import first_line, option, own_options
from boardlab.paths import code_of
from boardlab.search.agent import python_agent
from boardlab.search.expression import AGENTS, format_spec, parse_evaluator
from boardlab.search.spec import SearchSpec

Factory = TypeVar("Factory", bound=Callable[..., Any])
"""factory(game, seed, **parameters) -> an object with act(state) and optionally reset(seed)"""


@dataclass(frozen=True)
class _Registered(SearchSpec):
    """An agent registered with `register_agent`."""


@overload
def register_agent(name: str) -> Callable[[Factory], Factory]: ...
@overload
def register_agent(name: str, factory: Factory) -> Factory: ...
def register_agent(name: str, factory: Any = None) -> Any:
    """Register a Python agent by name, for use wherever an agent is expected.

    Decorates a function of the game and the seed, or a class, that makes an object with a method act(state),
    which returns an action or a `Decision`:

        @bl.register_agent("eager")
        class Eager:
            def __init__(self, game, seed, share=0.5):
                self.rng, self.share = random.Random(seed), share

            def act(self, state):
                legal = state.legal_actions()
                return legal[0] if self.rng.random() < self.share else self.rng.choice(legal)

        bl.match(bl.game("tictactoe"), ["eager(share=0.9)", "random"])

    `register_agent("eager", Eager)` does the same. Keyword arguments become parameters. The default of an
    argument named `evaluator` is an evaluator expression (`evaluator="rollout"`); the object receives the
    evaluator that `boardlab.evaluator` makes, `ntuple("runs/c4")` for the agent `eager(ntuple("runs/c4"))`.
    Before every game its method reset(seed) is called; an object without one is replaced by a new one.
    """
    check_own_name("an agent", name)
    if name in AGENTS and not issubclass(AGENTS[name], _Registered):
        raise BoardLabError(f'"{name}" is an agent of BoardLab itself; choose another name')
    if name in EVALUATORS:
        raise BoardLabError(f'"{name}" is an evaluator already; choose another name')

    def register(make: Factory) -> Factory:
        if not callable(make):
            raise BoardLabError(
                "register_agent takes a function of the game and the seed, or a class, whose objects have "
                f"act(state), not {shown(make)}"
            )
        kind = make_dataclass(
            name,
            _options(name, make),
            bases=(_Registered,),
            namespace={
                "__doc__": first_line(make, "An agent written in Python."),
                "name": name,
                "own_code": code_of(make),
                "build": lambda self, game, seed: _build(self, make, game, seed),
            },
            frozen=True,
        )
        AGENTS.register(name, kind)
        return make

    return register if factory is None else register(factory)


def register_evaluator(
    name: str, *, inputs: str = "planes", priors: bool = True, outcome: str = "score"
) -> Callable[[JudgeFactory], JudgeFactory]:
    """Register a Python evaluator by name.

    After that `mcts(NAME, iterations=100)` is an agent.

    Decorates a function of the game that returns the judge (`boardlab.evaluators.python.Judge`):

        @bl.register_evaluator("even", priors=False)
        def even(game):
            return lambda planes, legal: np.zeros(len(planes))

    Keyword arguments become parameters: `def even(game, weight=1.0)` allows `mcts(even(weight=2))`.
    `boardlab agents` shows the first line of its docstring. On the command line, name the file that registers
    it: `boardlab --plugin even.py match tictactoe "mcts(even)" random`.
    """
    check_own_name("an evaluator", name)
    if name in EVALUATORS and not issubclass(EVALUATORS[name], OwnEvaluator):
        raise BoardLabError(f'"{name}" is an evaluator of BoardLab itself; choose another name')
    if name in AGENTS:
        raise BoardLabError(f'"{name}" is a search or a player already; choose another name')
    check_inputs(inputs)

    def register(make: JudgeFactory) -> JudgeFactory:
        EVALUATORS.register(name, own_evaluator(name, make, inputs=inputs, priors=priors, outcome=outcome))
        return make

    return register


def own_agents() -> list[str]:
    """The names registered with `register_agent`."""
    return [name for name, kind in AGENTS.items() if issubclass(kind, _Registered)]


def _options(name: str, make: Callable[..., Any]) -> list[Any]:
    found = own_options(make, ["game", "seed"], f"the agent {name}", ["name", *dir(_Registered)])
    asked = [field.default for argument, _, field in found if argument == "evaluator"]
    others = [parameter for parameter in found if parameter[0] != "evaluator"]
    # The evaluator comes first, so that expressions can leave out its name.
    try:
        judges = [parse_evaluator(expression) for expression in asked]
    except BoardLabError as error:
        raise BoardLabError(f"the agent {name}: its argument evaluator: {error}") from None
    evaluators = [("evaluator", EvaluatorSpec, option(judge, "judges positions")) for judge in judges]
    return [*evaluators, *others]


def _build(spec: SearchSpec, make: Callable[..., Any], game: Game, seed: int) -> _engine.Search:
    parameters = {field.name: getattr(spec, field.name) for field in fields(spec)}
    asked = parameters.get("evaluator")
    if isinstance(asked, EvaluatorSpec):
        parameters["evaluator"] = Evaluator(game, asked.build(game), format_spec(asked))

    def made(seed: int) -> Any:
        player = make(game, seed, **parameters)
        if not callable(getattr(player, "act", None)):
            raise BoardLabError(
                f"the agent {spec.name} must be an object with act(state), not {shown(player)}"
            )
        return player

    player = made(seed)

    def reset(seed: int) -> None:
        nonlocal player
        if callable(getattr(player, "reset", None)):
            player.reset(seed)
        else:
            player = made(seed)

    return python_agent(game, lambda state: player.act(state), spec.name, reset).core
