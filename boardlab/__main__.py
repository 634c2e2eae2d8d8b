"""`python -m boardlab` is the same as `boardlab`."""

import signal
import sys


def main() -> None:
    """Runs a command. Ctrl-C while the commands are still being imported ends it as quietly as later."""
    try:
        from boardlab.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it was said how the command ended


if __name__ == "__main__":
    main()
