"""Hostile input at random: what `make fuzz` throws at BoardLab for minutes and `make test` for seconds.

A module here that has `cases` and `run` takes part; `harness` finds it:

- `cases(rng)` yields cases for ever, all of them drawn from `rng`. Making one does no harm.
- `run(case)` does what the case says. An ordinary refusal is what a hostile case wants; any exception that comes out
  of `run` is a failure, and so are a crash and a case that does not end.
- `LIMIT_MB`, where it is given, is the memory that the child process may have.
"""
