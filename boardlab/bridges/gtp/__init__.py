"""BoardLab as a GTP engine, for front ends and other programs.

server    the commands
clock     time settings, and how long an action may take
thinking  searches in slices, for the clock and for analysis while thinking
inbox     lines of the controller, and whether one waits
"""

from boardlab.bridges.gtp.server import GtpServer

__all__ = ["GtpServer"]
