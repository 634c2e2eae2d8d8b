"""`python -m boardlab`, the same as `boardlab`."""

import sys

from boardlab.interrupts import ignore_for_good


def main() -> None:
    """Run a command.

    Ctrl-C while modules are still being imported ends it as quietly as later.
    """
    try:
        from boardlab.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        run()
    finally:
        ignore_for_good()  # the command has already reported how it ended


if __name__ == "__main__":
    main()
