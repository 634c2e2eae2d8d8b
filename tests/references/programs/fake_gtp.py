"""A GTP program that shakes hands properly and then does what its argument says when it is asked to play."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def answer(text, mark="="):
    print(f"{mark} {text}\n", flush=True)


how = sys.argv[1]
if how == "deaf":
    time.sleep(600)
if how == "dead":
    print("cannot open eval.dat", file=sys.stderr)
    sys.exit(3)
if how == "old":
    answer("1")
if how == "no_lines":
    while True:
        sys.stdout.write("x" * 65536)
if how == "chatter":
    while True:
        print("info thinking")
for line in sys.stdin:
    command = line.split()
    if command[0] == "protocol_version":
        answer("2")
    elif command[0] != "genmove":
        answer("")
    elif how == "hang":
        time.sleep(600)
    elif how == "hang_with_child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(sys.argv[2]).write_text(str(child.pid))
        time.sleep(600)
    elif how == "hang_with_session":  # a daemon: its parent has ended, and it leads a session of its own
        if not os.fork():
            os.setsid()
            if not os.fork():
                Path(sys.argv[2]).write_text(str(os.getpid()))
                time.sleep(600)
            os._exit(0)
        time.sleep(600)
    elif how == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    elif how == "die":
        print("segmentation fault, sort of", file=sys.stderr)
        sys.exit(7)
    elif how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "illegal":
        answer("a1")
    elif how == "nonsense":
        answer("\x00\xff what?")
    elif how == "refuse":
        answer("I do not want to", "?")
    elif how == "resign":
        answer("resign")
    elif how == "slow":
        time.sleep(0.1)
        answer("d3" if command[1] == "b" else "c3")
    elif how == "polite":  # the first legal action, as boardlab would tell it
        answer("D3")
