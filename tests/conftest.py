"""Set-up that all tests share."""

import signal

# Run in the background, a shell makes its programs deaf to Ctrl-C, and they pass that on to those they start. The tests of
# Ctrl-C must be able to hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
