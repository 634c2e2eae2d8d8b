"""`python -m boardlab` is the same as `boardlab`."""

from boardlab.cli import main

if __name__ == "__main__":
    main()
