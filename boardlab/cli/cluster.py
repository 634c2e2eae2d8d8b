"""`--cluster` for every command with jobs, and `boardlab cluster status`."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from boardlab.cli.common import console, table_of
from boardlab.errors import BoardLabError
from boardlab.jobs.clusters import cluster_in_use, later_cluster
from boardlab.numbers import counted, memory

ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="auto|ADDRESS",
        help="Work on a Ray cluster: auto starts one here, HOST:PORT is the head of another. The results are "
        "those without it.",
    ),
]


def takes_cluster(command: Callable[..., None]) -> Callable[..., None]:
    """Add --cluster to a command, whose jobs then run there."""
    own = inspect.signature(command)
    parameters = list(own.parameters.values())
    takes_context = "context" in own.parameters
    if not takes_context:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.insert(0, inspect.Parameter("context", kind, annotation=typer.Context))
    place = len(parameters) - (parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)
    parameters.insert(
        place,
        inspect.Parameter("cluster", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=ClusterOption),
    )

    @functools.wraps(command)
    def run(context: typer.Context, cluster: str | None = None, **options: Any) -> None:
        if takes_context:
            options["context"] = context
        if cluster is None:
            return command(**options)
        _check_alone(context)
        with later_cluster(cluster):
            command(**options)

    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {
        "context": typer.Context,
        **command.__annotations__,
        "cluster": ClusterOption,
    }
    del run.__wrapped__
    return run


def _check_alone(context: typer.Context) -> None:
    """Refuse options that a cluster makes idle."""
    defaults = {option.name: option.default for option in context.command.params}
    for name, why in (
        ("jobs", "all cores of the cluster work"),
        ("speed", "speed is measured on this machine"),
    ):
        if context.params.get(name) not in (None, False, defaults.get(name)):
            raise BoardLabError(f"--{name} does not go with --cluster: {why}")


def check_cluster_helps(learner: str, processes: int = 1) -> None:
    """Refuse a cluster for a run that would not use it; say how to use all of it."""
    if cluster_in_use(for_self_play=True) is None:
        return
    if learner != "alphazero":
        raise BoardLabError(
            f"--cluster does nothing here: {learner} learns in one process; give --runs for several runs, or "
            "--learner alphazero, whose games of self-play are shared"
        )
    if processes == 1:
        console.print(
            "one process of the cluster plays; --processes N divides each generation's games among N",
            style="dim",
        )


# ---- boardlab cluster ----

commands = typer.Typer(
    name="cluster",
    help="Machines that work together: see docs/cluster.md.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@commands.callback()
def _cluster() -> None:
    pass


@commands.command()
def status(
    address: Annotated[
        str | None,
        typer.Argument(
            metavar="[ADDRESS]", help="HOST:PORT of the head; by default the cluster on this machine."
        ),
    ] = None,
) -> None:
    """List the machines of a cluster, and whether they can work."""
    from boardlab.jobs.ray_status import status as status_of

    found = status_of(address)
    console.print(
        f"cluster {found.address}, Ray {found.ray}, {'with' if found.needs_token else 'without'} token: "
        f"{counted(len(found.machines), 'machines')}, {found.free:g} of {found.cores:g} cores free",
        markup=False,
        soft_wrap=True,
    )
    rows = [
        (
            machine.host,
            f"{machine.cores:g}",
            f"{machine.gpus:g}",
            memory(machine.memory),
            machine.problem or "ready",
        )
        for machine in found.machines
    ]
    console.print(table_of(("machine", "cores", "GPUs", "memory", "BoardLab"), rows))
