"""Records: games as text that other programs read, and theirs read back."""

from boardlab.arena.records.files import (
    FORMATS_HELP,
    check_addition,
    check_format,
    parse_records,
    read_records,
    write_records,
)
from boardlab.arena.records.record import Record, from_match

__all__ = [
    "FORMATS_HELP",
    "Record",
    "check_addition",
    "check_format",
    "from_match",
    "parse_records",
    "read_records",
    "write_records",
]
