"""`python -m boardlab` is the same as `boardlab`."""

import sys


def main() -> None:
    """Runs a command. Ctrl-C while the commands are still being imported ends it as quietly as later."""
    try:
        from boardlab.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
