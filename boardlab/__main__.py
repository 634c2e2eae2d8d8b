"""`python -m boardlab` is the same as `boardlab`."""

import sys

from boardlab.interrupts import ignore_for_good


def main() -> None:
    """Runs a command. Ctrl-C while the commands are still being imported ends it as quietly as later."""
    try:
        from boardlab.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        run()
    finally:
        ignore_for_good()  # it was said how the command ended


if __name__ == "__main__":
    main()
